//! Facts that the open database states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{Durability, SystemFacts};
use rusqlite::Connection;

use crate::shared::Shared;

pub fn facts(connection: &Connection, shared: &Shared, sessions: usize) -> rusqlite::Result<SystemFacts> {
    let number =
        |name: &str| -> rusqlite::Result<i64> { connection.pragma_query_value(None, name, |row| row.get(0)) };
    let journal_mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    let synchronous = number("synchronous")?;
    // The level in force is what the connection says, not what was asked for.
    let (durability, synchronous) = match synchronous {
        0 => (Durability::None, "OFF"),
        1 => (Durability::Buffered, "NORMAL"),
        2 => (Durability::Synced, "FULL"),
        _ => (Durability::Synced, "EXTRA"),
    };
    Ok(SystemFacts {
        product: "SQLite".to_owned(),
        version: rusqlite::version().to_owned(),
        topology: "embedded".to_owned(),
        nodes: Some(0),
        replicas: Some(1),
        durability,
        durability_means: format!("journal_mode={journal_mode}, synchronous={synchronous}"),
        consistency: None,
        consistency_means: String::new(),
        settings: BTreeMap::from([
            (
                "cache".to_owned(),
                format!(
                    "{} bytes of pages, shared out among the sessions ({} bytes each for {} now)",
                    shared.options.cache_bytes,
                    shared.cache_share_bytes(sessions),
                    sessions
                ),
            ),
            ("compression".to_owned(), "none".to_owned()),
            (
                "structure".to_owned(),
                "B-tree with a write-ahead log, one writer at a time".to_owned(),
            ),
            ("page_size".to_owned(), format!("{} bytes", number("page_size")?)),
            (
                "wal_autocheckpoint".to_owned(),
                format!("{} pages", number("wal_autocheckpoint")?),
            ),
            ("mmap_size".to_owned(), format!("{} bytes", number("mmap_size")?)),
            (
                "busy_timeout".to_owned(),
                format!("{} ms", number("busy_timeout")?),
            ),
            ("place".to_owned(), shared.place.describe()),
        ]),
    })
}
