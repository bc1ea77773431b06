//! A canary, stored and then looked for in the commit log, the SSTables and everything else that the nodes write.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_audit::{
    Canary, Deadline, Scene, Traces, at_rest, entries_below, not_stored, search, without_files,
};
use dbdyno_record::audit::{AuditFinding, ProtectionLevel};

use crate::client::must;
use crate::workshop::Workshop;

const ENCRYPTION: &str =
    "https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html";
const FIX: &str = "put the data, commit log and hints directories on an encrypted volume: transparent_data_encryption_options covers the commit log only, and no file of a table";
/// Longest wait for the flush of a table, which is set to flush every second.
const FLUSH: Duration = Duration::from_secs(15);

/// Whether the files hold values in clear text.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    if let Some(finding) = without_files(scene) {
        return finding;
    }
    if scene.administrator.is_some() {
        let sent = "the text, stored in a table of the audit's own";
        scene.note("files.writer", sent, "the administrator stores it");
    }
    let mut workshop = match Workshop::open(scene) {
        Ok(workshop) => workshop,
        Err(error) => return not_stored(&error),
    };
    let canary = Canary::new();
    let insert = format!(
        "INSERT INTO {} (id, value) VALUES ('canary', '{}')",
        workshop.table,
        canary.text()
    );
    let stored = must(&mut workshop.channel, &insert);
    let finding = match stored {
        Ok(_) => {
            // The table's name is the audit's own, so that its file shows both.
            let is_flushed = is_flushed(&scene.place.data, scene.own_name());
            let traces = Traces {
                is_flushed,
                is_own: is_flushed,
            };
            let finding = at_rest(scene, &canary, traces, FIX, ENCRYPTION);
            with_commit_log(scene, &canary, finding)
        }
        Err(error) => not_stored(&error),
    };
    workshop.close();
    finding
}

/// Where tables are in clear text, the commit log may be encrypted: its segments say so, and the canary is in none of them.
fn with_commit_log(scene: &mut Scene<'_>, canary: &Canary, mut finding: AuditFinding) -> AuditFinding {
    let segments = segments(&scene.place.data);
    let encrypted = segments.iter().filter(|segment| names_cipher(segment)).count();
    if finding.level != ProtectionLevel::SupportedOff || encrypted == 0 {
        return finding;
    }
    let with_canary = search(&segments, canary.text()).files.len();
    scene.note(
        "files.commit-log",
        "the headers of the commit log's segments, and the canary in them",
        format!(
            "{} segments, {encrypted} of which name a cipher; the canary is in {with_canary}",
            segments.len()
        ),
    );
    if encrypted == segments.len() && with_canary == 0 {
        finding.level = ProtectionLevel::Partial;
        finding.summary = format!(
            "The commit log is encrypted, and the tables are not. {}",
            finding.summary
        );
    }
    finding
}

/// The commit log's segments below the directories.
fn segments(places: &[PathBuf]) -> Vec<PathBuf> {
    entries_below(places, &|path, metadata| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        metadata.is_file() && name.starts_with("CommitLog-") && name.ends_with(".log")
    })
}

/// Whether the header of a segment, a JSON text after a few numbers, names the cipher of what follows.
fn names_cipher(segment: &Path) -> bool {
    const HEADER: u64 = 1024;
    let mut header = Vec::new();
    let read = std::fs::File::open(segment).and_then(|file| file.take(HEADER).read_to_end(&mut header));
    read.is_ok() && String::from_utf8_lossy(&header).contains("\"encCipher\":\"AES")
}

/// Waits until the table has a complete file of data.
fn is_flushed(places: &[PathBuf], table: &str) -> bool {
    let deadline = Deadline::within(FLUSH);
    loop {
        if has_data(places, table) {
            return true;
        }
        if deadline.left().is_none() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Whether a directory whose name begins with the table's holds a complete file of data, `data/KEYSPACE/TABLE-ID/...-Data.db`: the
/// list of its components, `...-TOC.txt`, is written when they are. While a file is being written, the values are not in it yet.
fn has_data(places: &[PathBuf], table: &str) -> bool {
    let of_table = entries_below(places, &|path, metadata| {
        let is_list = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().ends_with("-TOC.txt"));
        let is_inside = |directory: &Path| {
            directory
                .iter()
                .any(|name| name.to_string_lossy().starts_with(table))
        };
        metadata.is_file() && is_list && path.parent().is_some_and(is_inside)
    });
    !of_table.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tables_own_file_is_a_flush_and_only_when_it_is_complete() {
        let place = tempfile::tempdir().unwrap();
        let write = |directory: &str, file: &str| {
            let directory = place.path().join(directory);
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join(file), "").unwrap();
        };
        let seen = || has_data(&[place.path().to_owned()], "dbdyno_audit_1");
        write("data/system/local-1", "nb-1-big-TOC.txt");
        write("data/ycsb/dbdyno_audit_1-00", "nb-1-big-Data.db");
        assert!(!seen(), "it is being written");
        write("data/ycsb/dbdyno_audit_1-00", "nb-1-big-TOC.txt");
        assert!(seen());
    }

    #[test]
    fn tables_and_segments_behind_a_link_are_seen() {
        let (place, disk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for path in [
            "data/ycsb/dbdyno_audit_1-00/nb-1-big-TOC.txt",
            "log/CommitLog-7-1.log",
        ] {
            std::fs::create_dir_all(disk.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(disk.path().join(path), "").unwrap();
        }
        for name in ["data", "log"] {
            std::os::unix::fs::symlink(disk.path().join(name), place.path().join(name)).unwrap();
        }
        let places = [place.path().to_owned()];
        assert!(has_data(&places, "dbdyno_audit_1"));
        assert_eq!(segments(&places).len(), 1);
    }
}
