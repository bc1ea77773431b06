//! Facts that the open database states about itself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use dbdyno_driver::embedded::open_error;
use dbdyno_driver::{DbError, Durability, SystemFacts};

use crate::{info::INFO, shared::Shared};

pub fn facts(shared: &Shared) -> Result<SystemFacts, DbError> {
    let durability = shared.options.durability;
    let page_size =
        page_size(shared.place.path()).map_err(|error| open_error(&INFO, shared.place.path(), error))?;
    Ok(SystemFacts {
        product: "redb".to_owned(),
        version: env!("LIBRARY_VERSION").to_owned(),
        topology: "embedded".to_owned(),
        nodes: Some(0),
        replicas: Some(1),
        durability,
        durability_means: match durability {
            Durability::None => "commits stay in the process (Durability::None)",
            Durability::Buffered => {
                "each commit is written to the operating system (Durability::Immediate, the file's sync left out)"
            }
            Durability::Synced => "each commit is written and synced (Durability::Immediate: fdatasync)",
        }
        .to_owned(),
        consistency: None,
        consistency_means: String::new(),
        settings: BTreeMap::from([
            (
                "cache".to_owned(),
                format!("{} bytes of pages", shared.options.cache_bytes),
            ),
            ("compression".to_owned(), "none".to_owned()),
            ("structure".to_owned(), "copy-on-write B-tree, one writer at a time".to_owned()),
            ("page_size".to_owned(), format!("{page_size} bytes")),
            ("place".to_owned(), shared.place.describe()),
        ]),
    })
}

/// The page size in the file's header: 4 bytes at offset 12 (redb's docs/design.md). The library reports it only after
/// it has read every page.
fn page_size(path: &Path) -> io::Result<u32> {
    let mut header = [0; 16];
    File::open(path)?.read_exact(&mut header)?;
    let [.., a, b, c, d] = header;
    Ok(u32::from_le_bytes([a, b, c, d]))
}
