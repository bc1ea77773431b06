//! A canary, stored and then looked for in the commit log, the SSTables and everything else that the nodes write.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_audit::{Canary, Deadline, Scene, at_rest, not_stored, search, without_files};
use dbdyno_record::audit::{AuditFinding, ProtectionLevel};

use crate::client::must;
use crate::workshop::Workshop;

const ENCRYPTION: &str =
    "https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html";
const FIX: &str = "put the data, commit log and hints directories on an encrypted volume: transparent_data_encryption_options covers the commit log only, and no file of a table";
/// Longest wait for the flush of a table, which is set to flush every second.
const FLUSH: Duration = Duration::from_secs(15);
/// Directories in directories are followed this deep.
const DEEPEST: usize = 8;

/// Whether the files hold values in clear text.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    if let Some(finding) = without_files(scene) {
        return finding;
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
            let is_flushed = is_flushed(&scene.place.data, &scene.own_name);
            let finding = at_rest(scene, &canary, is_flushed, FIX, ENCRYPTION);
            with_commit_log(scene, &canary, finding)
        }
        Err(error) => not_stored(&error),
    };
    workshop.close();
    finding
}

/// Where tables are in clear text, the commit log may be encrypted: its segments say so, and the canary is in none of them.
fn with_commit_log(scene: &mut Scene<'_>, canary: &Canary, mut finding: AuditFinding) -> AuditFinding {
    let mut segments = Vec::new();
    for place in &scene.place.data {
        find_segments(place, 0, &mut segments);
    }
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

/// Adds the commit log's segments below a directory.
fn find_segments(directory: &Path, depth: usize, segments: &mut Vec<PathBuf>) {
    for entry in directory.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => find_segments(&entry.path(), depth + 1, segments),
            Ok(kind) if kind.is_file() && name.starts_with("CommitLog-") && name.ends_with(".log") => {
                segments.push(entry.path());
            }
            _ => {}
        }
    }
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
        if places.iter().any(|place| has_data(place, table, false, 0)) {
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
fn has_data(directory: &Path, table: &str, is_inside: bool, depth: usize) -> bool {
    let Ok(entries) = directory.read_dir() else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => has_data(
                &entry.path(),
                table,
                is_inside || name.starts_with(table),
                depth + 1,
            ),
            Ok(kind) => kind.is_file() && is_inside && name.ends_with("-TOC.txt"),
            Err(_) => false,
        }
    })
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
        let seen = || has_data(place.path(), "dbdyno_audit_1", false, 0);
        write("data/system/local-1", "nb-1-big-TOC.txt");
        write("data/ycsb/dbdyno_audit_1-00", "nb-1-big-Data.db");
        assert!(!seen(), "it is being written");
        write("data/ycsb/dbdyno_audit_1-00", "nb-1-big-TOC.txt");
        assert!(seen());
    }
}
