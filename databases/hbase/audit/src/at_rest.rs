//! A canary, stored and then looked for in the servers' files.

use std::path::PathBuf;

use dbdyno_audit::{
    Canary, ChannelError, Scene, Traces, Writer, at_rest, entries_below, not_stored, shortened, stored,
    without_files,
};
use dbdyno_database_hbase::WebServer;
use dbdyno_driver::{DbError, Driver, Key, Row, Session, Target};
use dbdyno_record::audit::AuditFinding;

use crate::driven::{connected, managing, own_table};

const AT_REST: &str = "https://hbase.apache.org/book.html#hbase.encryption.server";
const FIX: &str = "hbase.crypto.keyprovider with ENCRYPTION => 'AES' of the column families and hbase.regionserver.wal.encryption=true, or an encryption zone of HDFS, or an encrypted volume";

/// Whether the files hold values in clear text.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    if let Some(finding) = without_files(scene) {
        return finding;
    }
    let canary = Canary::new();
    let stored = stored(scene, |scene, writer| {
        let target = match writer {
            Writer::Application => scene.target,
            Writer::Administrator => managing(scene),
        };
        let stored = store(scene, target, &canary);
        stored.map_err(|error| ChannelError::Unexpected(shortened(&error.message)))
    });
    if let Err(error) = stored {
        return not_stored(&error);
    }
    // The table's name is the audit's own, so that its file shows both; so does a block that HDFS says to be the table's.
    let blocks = blocks(scene);
    let is_flushed = is_flushed(&scene.place.data, scene.own_name(), &blocks);
    let traces = Traces {
        is_flushed,
        is_own: is_flushed,
    };
    at_rest(scene, &canary, traces, FIX, AT_REST)
}

/// Stores the canary in a table that is then dropped: it is flushed first, and its files are kept for some minutes.
fn store(scene: &Scene<'_>, target: &Target, canary: &Canary) -> Result<(), DbError> {
    connected(scene, target, async |driver| {
        let table = own_table(scene);
        driver.create_table(&table).await?;
        let written = async {
            let mut row = Row::new();
            row.push(0, canary.text().as_bytes());
            let mut session = driver.session(&table).await?;
            session.insert(&Key::new(1, "canary"), &row).await
        }
        .await;
        driver.drop_table(&table).await?;
        written
    })
}

/// The names of the files in which HDFS keeps the table, if it says so.
fn blocks(scene: &mut Scene<'_>) -> Vec<String> {
    if WebServer::of(scene.target).is_none() {
        return Vec::new();
    }
    let blocks = connected(scene, scene.target, async |driver| {
        driver.blocks(&own_table(scene))
    });
    let got = match &blocks {
        Ok(blocks) if blocks.is_empty() => "none".to_owned(),
        Ok(blocks) => blocks.join(", "),
        Err(error) => format!("none: {}", shortened(&error.message)),
    };
    let sent = "the question which blocks the table of the text has, to the web server of HDFS";
    scene.note("hdfs.blocks", sent, got);
    blocks.unwrap_or_default()
}

/// Whether there is a file of the table's, or a block of HDFS with one of these names, that holds something.
fn is_flushed(places: &[PathBuf], table: &str, blocks: &[String]) -> bool {
    let of_table = entries_below(places, &|path, metadata| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_block = || blocks.iter().any(|block| *block == name);
        // Sums and descriptions of regions and tables begin with a dot; logs of positions are no data.
        let is_data = || !name.starts_with('.') && !name.ends_with(".seqid");
        let is_inside = || {
            path.parent()
                .is_some_and(|directory| directory.iter().any(|name| name == table))
        };
        metadata.is_file() && metadata.len() > 0 && (is_block() || (is_data() && is_inside()))
    });
    !of_table.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_the_table_shows_a_flush() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("current/BP-1/current/finalized/subdir0");
        std::fs::create_dir_all(&directory).unwrap();
        let own = ["blk_1073741830".to_owned()];
        let seen = || is_flushed(&[place.path().to_owned()], "own", &own);
        std::fs::write(directory.join("blk_1073741830_1006.meta"), "x").unwrap();
        std::fs::write(directory.join("blk_1073741831"), "x").unwrap();
        assert!(!seen());
        std::fs::write(directory.join("blk_1073741830"), "x").unwrap();
        assert!(seen());
    }

    #[test]
    fn only_a_data_file_of_the_table_shows_a_flush() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let region = place.join("archive/data/default/own/region/family");
        std::fs::create_dir_all(&region).unwrap();
        let seen = || is_flushed(&[place.to_owned()], "own", &[]);
        std::fs::write(region.join(".regioninfo"), "x").unwrap();
        std::fs::write(place.join("archive/other"), "x").unwrap();
        assert!(!seen());
        std::fs::write(region.join("file"), "").unwrap();
        assert!(!seen());
        std::fs::write(region.join("file"), "x").unwrap();
        assert!(seen());
    }
}
