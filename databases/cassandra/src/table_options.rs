//! Compression and caching of a table: asked for when it is made, and read back from the schema.

use std::collections::BTreeMap;

use dbdyno_driver::{DbError, ErrorClass, ScanOrder, TableFacts, Target, options};
use scylla::client::session::Session;

use crate::error::{of_execution, unexpected};
use crate::info::INFO;

/// The name of an option's value that leaves the choice to the server.
const SERVERS: &str = "default";
/// Algorithms by their names in addresses, and the server's classes.
const COMPRESSORS: [(&str, &str); 4] = [
    ("lz4", "LZ4Compressor"),
    ("zstd", "ZstdCompressor"),
    ("snappy", "SnappyCompressor"),
    ("deflate", "DeflateCompressor"),
];

/// The options that an address asks of tables that are made; `None`: the server's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableOptions {
    compression: Option<&'static str>,
    caching: Option<&'static str>,
}

impl TableOptions {
    /// Those of an address.
    ///
    /// # Errors
    /// When an option has a value that cannot be.
    pub(crate) fn of(target: &Target) -> Result<Self, DbError> {
        let one_of = |name: &str, choices: &[&'static str]| {
            let chosen = options::choice(&INFO, target, name, choices, SERVERS)?;
            Ok((chosen != SERVERS).then_some(chosen))
        };
        Ok(Self {
            compression: one_of("compression", &["lz4", "zstd", "snappy", "deflate", "off"])?,
            caching: one_of("caching", &["keys", "rows", "all", "none"])?,
        })
    }

    /// The end of a statement that makes a table, after the columns.
    pub(crate) fn clause(self) -> String {
        let compression = self.compression.map(|name| match class_of(name) {
            Some(class) => format!("compression = {{'class': '{class}'}}"),
            None => "compression = {'enabled': 'false'}".to_owned(),
        });
        let caching = self.caching.map(|name| {
            let of = |cached: bool, what: &str| if cached { "ALL" } else { what }.to_owned();
            let keys = of(matches!(name, "keys" | "all"), "NONE");
            let rows = of(matches!(name, "rows" | "all"), "NONE");
            format!("caching = {{'keys': '{keys}', 'rows_per_partition': '{rows}'}}")
        });
        let parts: Vec<String> = [compression, caching].into_iter().flatten().collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!(" WITH {}", parts.join(" AND ")),
        }
    }

    /// Refuses a table that was made with other options: they would hold for a part of its files at most.
    pub(crate) fn check(self, facts: &TableFacts, table: &str) -> Result<(), DbError> {
        for (name, asked) in [("compression", self.compression), ("caching", self.caching)] {
            let seen = facts.settings.get(name).map(String::as_str);
            let is_it = |seen: &str, asked: &str| seen.split(' ').next() == Some(asked);
            if let Some((seen, asked)) = seen.zip(asked).filter(|(seen, asked)| !is_it(seen, asked)) {
                return Err(DbError::new(
                    ErrorClass::Rejected,
                    format!(
                        "the table {table} has {name} {seen}, not {asked}; drop it, or leave out `{name}`"
                    ),
                ));
            }
        }
        Ok(())
    }
}

fn class_of(name: &str) -> Option<&'static str> {
    COMPRESSORS
        .iter()
        .find(|(own, _)| *own == name)
        .map(|(_, class)| *class)
}

/// The options of a table as the schema states them, and the order of scans that the partitioner gives.
pub(crate) async fn read(
    session: &Session,
    keyspace: &str,
    table: &str,
    hosts: &str,
) -> Result<TableFacts, DbError> {
    type Maps = (BTreeMap<String, String>, BTreeMap<String, String>);
    let answer = session
        .query_unpaged(
            "SELECT compression, caching FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
            (keyspace, table),
        )
        .await
        .map_err(|error| of_execution(error, hosts))?
        .into_rows_result()
        .map_err(|error| unexpected(error, hosts))?;
    let row = answer
        .maybe_first_row::<Maps>()
        .map_err(|error| unexpected(error, hosts))?;
    let mut facts = TableFacts::default();
    if let Some((compression, caching)) = row {
        facts
            .settings
            .insert("compression".to_owned(), compression_in_words(&compression));
        facts
            .settings
            .insert("caching".to_owned(), caching_in_words(&caching).to_owned());
    }
    let answer = session
        .query_unpaged("SELECT partitioner FROM system.local", ())
        .await
        .map_err(|error| of_execution(error, hosts))?
        .into_rows_result()
        .map_err(|error| unexpected(error, hosts))?;
    let row = answer
        .maybe_first_row::<(Option<String>,)>()
        .map_err(|error| unexpected(error, hosts))?;
    if let Some(partitioner) = row.and_then(|(partitioner,)| partitioner) {
        let is_ordered = simple(&partitioner) == "ByteOrderedPartitioner";
        facts.scan_order = is_ordered.then_some(ScanOrder::Key);
        facts.settings.insert("partitioner".to_owned(), partitioner);
    }
    Ok(facts)
}

/// A class without its package.
fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

/// `zstd (16 KiB chunks)`, `off`.
fn compression_in_words(compression: &BTreeMap<String, String>) -> String {
    let enabled = compression
        .get("enabled")
        .is_none_or(|enabled| enabled != "false");
    let Some(class) = compression.get("class").filter(|_| enabled) else {
        return "off".to_owned();
    };
    let class = simple(class);
    let name = COMPRESSORS
        .iter()
        .find(|(_, own)| *own == class)
        .map_or(class, |(name, _)| name);
    match compression.get("chunk_length_in_kb") {
        Some(chunk) => format!("{name} ({chunk} KiB chunks)"),
        None => name.to_owned(),
    }
}

fn caching_in_words(caching: &BTreeMap<String, String>) -> &'static str {
    let caches = |what: &str| caching.get(what).is_some_and(|amount| amount != "NONE");
    match (caches("keys"), caches("rows_per_partition")) {
        (true, true) => "all",
        (true, false) => "keys",
        (false, true) => "rows",
        (false, false) => "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: &str) -> Result<TableOptions, DbError> {
        TableOptions::of(&Target::parse(&format!("cassandra://h{options}")).unwrap())
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_table_is_made_with_what_is_asked_for() {
        assert_eq!(of("").unwrap().clause(), "");
        assert_eq!(
            of("?compression=zstd&caching=all").unwrap().clause(),
            " WITH compression = {'class': 'ZstdCompressor'} AND caching = {'keys': 'ALL', 'rows_per_partition': 'ALL'}"
        );
        assert_eq!(
            of("?compression=off").unwrap().clause(),
            " WITH compression = {'enabled': 'false'}"
        );
        for (options, expected) in [("?compression=gzip", "one of"), ("?caching=some", "one of")] {
            let error = of(options).unwrap_err();
            assert!(error.message.contains(expected), "{error}");
        }
    }

    #[test]
    fn the_schema_is_read_as_addresses_write_it() {
        let class = |name: &str| ("class", format!("org.apache.cassandra.io.compress.{name}"));
        let (key, value) = class("SnappyCompressor");
        let snappy = map(&[(key, &value), ("chunk_length_in_kb", "16")]);
        assert_eq!(compression_in_words(&snappy), "snappy (16 KiB chunks)");
        assert_eq!(compression_in_words(&map(&[("enabled", "false")])), "off");
        let keys = map(&[("keys", "ALL"), ("rows_per_partition", "NONE")]);
        assert_eq!(caching_in_words(&keys), "keys");
    }

    #[test]
    fn a_table_of_other_options_is_refused() {
        let facts = TableFacts {
            settings: map(&[("compression", "lz4 (16 KiB chunks)"), ("caching", "keys")]),
            ..TableFacts::default()
        };
        of("?compression=lz4&caching=keys")
            .unwrap()
            .check(&facts, "t")
            .unwrap();
        of("").unwrap().check(&facts, "t").unwrap();
        let error = of("?compression=zstd").unwrap().check(&facts, "t").unwrap_err();
        assert!(
            error
                .message
                .contains("has compression lz4 (16 KiB chunks), not zstd"),
            "{error}"
        );
    }
}
