//! The servers' logs: what is found in them, and what of them could not be read.

use std::collections::BTreeSet;
use std::fs::{DirEntry, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use dbdyno_audit::is_of_the_kernel;

/// What happened last is at the end of a log.
const TAIL_BYTES: u64 = 32 << 20;
/// Files that are read, the newest first.
const MOST_FILES: usize = 200;
/// Files and directories that are looked at, so that no link into a large tree holds up an audit.
const MOST_ENTRIES: usize = 20_000;
/// Directories in directories are followed this deep.
const DEEPEST: usize = 6;

/// How many lines hold all the words of each of these lists, and what could not be read, with why.
pub fn count<const N: usize>(logs: &[PathBuf], lists: [&[&str]; N]) -> ([usize; N], Vec<String>) {
    let mut gathered = Gathered::default();
    for log in logs {
        gathered.visit(log, 0);
    }
    let (files, mut unread) = gathered.newest_first();
    let mut lines = [0; N];
    for path in files {
        let tail = match tail(&path) {
            Ok(tail) => tail,
            // A server removes old logs while it runs.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                unread.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let text = String::from_utf8_lossy(&tail);
        for line in text.lines() {
            for (lines, words) in lines.iter_mut().zip(lists) {
                *lines += usize::from(words.iter().all(|word| line.contains(word)));
            }
        }
    }
    (lines, unread)
}

/// Logs, and what stands where logs should be and cannot be read.
#[derive(Default)]
struct Gathered {
    files: BTreeSet<(Option<SystemTime>, PathBuf)>,
    unread: Vec<String>,
    /// Links may lead to the same place again.
    known: BTreeSet<PathBuf>,
}

impl Gathered {
    fn leave_out(&mut self, path: &Path, why: &dyn std::fmt::Display) {
        self.unread.push(format!("{}: {why}", path.display()));
    }

    /// Takes a log, or the logs of a directory. Links are followed: logs are often links to where there is room.
    fn visit(&mut self, path: &Path, depth: usize) {
        let (path, metadata) = match path
            .canonicalize()
            .and_then(|path| Ok((path.clone(), path.metadata()?)))
        {
            Ok(found) => found,
            // A file that was just removed, or a link to one. A log that was named and is not there may be another one.
            Err(error) if error.kind() == ErrorKind::NotFound && depth > 0 => return,
            Err(error) => return self.leave_out(path, &error),
        };
        if !self.known.insert(path.clone()) {
            return;
        }
        if self.known.len() > MOST_ENTRIES {
            return self.leave_out(&path, &"there are too many files");
        }
        if is_of_the_kernel(&path) {
            self.leave_out(&path, &"it contains no files on disk");
        } else if metadata.is_dir() && depth < DEEPEST {
            self.visit_entries(&path, depth + 1);
        } else if metadata.is_dir() {
            self.leave_out(&path, &"it is too deep in other directories");
        } else if metadata.is_file() {
            self.files.insert((metadata.modified().ok(), path));
        } else {
            self.leave_out(&path, &"it is not a regular file");
        }
    }

    fn visit_entries(&mut self, directory: &Path, depth: usize) {
        let entries: std::io::Result<Vec<DirEntry>> = directory
            .read_dir()
            .and_then(|entries| entries.take(MOST_ENTRIES).collect());
        match entries {
            Ok(entries) => {
                for entry in entries {
                    self.visit(&entry.path(), depth);
                    if self.known.len() > MOST_ENTRIES {
                        return;
                    }
                }
            }
            Err(error) => self.leave_out(directory, &error),
        }
    }

    /// The files to read, the last changed first, and what is not read.
    fn newest_first(self) -> (Vec<PathBuf>, Vec<String>) {
        let mut unread = self.unread;
        if self.files.len() > MOST_FILES {
            unread.push(format!(
                "all but the newest {MOST_FILES} of {} files",
                self.files.len()
            ));
        }
        let newest = self.files.into_iter().rev().take(MOST_FILES);
        (newest.map(|(_, path)| path).collect(), unread)
    }
}

fn tail(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;

    /// Counts lines with `Client=` and `x` in a directory that is filled first and removed afterwards.
    fn counted(name: &str, fill: impl Fn(&Path)) -> (usize, Vec<String>) {
        let place = std::env::temp_dir().join(format!("dbdyno-logs-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        fill(&place);
        let ([lines], unread) = count(std::slice::from_ref(&place), [&["Client=", "x"]]);
        std::fs::remove_dir_all(&place).unwrap();
        (lines, unread)
    }

    const LINES: &str = "Client=a create x\nClient=a\ncreate x\n";

    #[test]
    fn lines_are_counted_in_directories_and_behind_links_once() {
        let (lines, unread) = counted("links", |place| {
            std::fs::create_dir_all(place.join("elsewhere/deeper")).unwrap();
            std::fs::write(place.join("elsewhere/deeper/one"), LINES).unwrap();
            std::fs::write(place.join("two"), LINES).unwrap();
            symlink(place.join("two"), place.join("link")).unwrap();
            symlink(place, place.join("elsewhere/loop")).unwrap();
            symlink(place.join("gone"), place.join("dangling")).unwrap();
        });
        assert_eq!((lines, unread), (2, Vec::new()));
    }

    #[test]
    fn what_is_no_file_on_disk_or_not_there_is_named() {
        let (lines, unread) = counted("unread", |place| {
            std::fs::write(place.join("one"), LINES).unwrap();
            symlink("/proc/self/status", place.join("kernel")).unwrap();
        });
        assert_eq!((lines, unread.len()), (1, 1), "{unread:?}");
        let (_, unread) = count(&[PathBuf::from("/no/such/log")], [&["x"]]);
        assert_eq!(unread.len(), 1, "{unread:?}");
    }

    #[test]
    fn the_newest_of_many_files_are_read_and_the_others_are_named() {
        let (lines, unread) = counted("many", |place| {
            for number in 0..=MOST_FILES {
                std::fs::write(place.join(format!("{number:04}")), "nothing").unwrap();
            }
            let newest = File::create(place.join("0100")).unwrap();
            std::fs::write(place.join("0100"), LINES).unwrap();
            newest
                .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 33))
                .unwrap();
        });
        assert_eq!((lines, unread.len()), (1, 1), "{unread:?}");
    }
}
