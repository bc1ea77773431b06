//! Facts that the open database states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{Durability, SystemFacts};

use crate::options::{BLOCK_BYTES, WRITE_BUFFER_BYTES};
use crate::shared::Shared;

pub fn facts(shared: &Shared) -> SystemFacts {
    let durability = shared.options.durability;
    SystemFacts {
        product: "fjall".to_owned(),
        version: env!("LIBRARY_VERSION").to_owned(),
        topology: "embedded".to_owned(),
        nodes: Some(0),
        replicas: Some(1),
        durability,
        durability_means: match durability {
            Durability::None => "journal kept in a buffer of the process (no persist call)",
            Durability::Buffered => {
                "journal written to the operating system after each write (PersistMode::Buffer)"
            }
            Durability::Synced => "journal synced after each write (PersistMode::SyncData: fdatasync)",
        }
        .to_owned(),
        // Cache and places are asked of the open database; what else the driver sets has no way to be asked.
        consistency: None,
        consistency_means: String::new(),
        settings: BTreeMap::from([
            (
                "cache".to_owned(),
                format!("{} bytes of blocks", shared.database.cache_capacity()),
            ),
            ("compression".to_owned(), shared.options.compression.to_string()),
            (
                "structure".to_owned(),
                "log-structured merge tree, levelled compaction".to_owned(),
            ),
            (
                "page_size".to_owned(),
                format!("{BLOCK_BYTES} bytes (data blocks of new tables)"),
            ),
            (
                "write_buffer".to_owned(),
                format!("{WRITE_BUFFER_BYTES} bytes for each new table, beside the cache"),
            ),
            (
                "background_threads".to_owned(),
                shared.options.background_threads.to_string(),
            ),
            ("place".to_owned(), shared.place.describe()),
        ]),
    }
}
