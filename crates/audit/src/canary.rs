//! A unique text, stored through the server and then looked for in its files, raw.
//!
//! It is random, so that no compression of whole words hides it, and nothing else on the disk looks like it. Not finding it
//! says something only when it was seen that it had been flushed.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memchr::memmem;

/// Files of more bytes than this in all are not searched: no test server has as many.
const MOST_BYTES: u64 = 64 << 30;
const CHUNK: usize = 1 << 20;
/// Directories in directories are followed this deep.
const DEEPEST: usize = 32;

/// A unique text of 64 letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary(String);

impl Canary {
    /// Another one each time.
    #[must_use]
    pub fn new() -> Self {
        Self(unique())
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Default for Canary {
    fn default() -> Self {
        Self::new()
    }
}

/// 64 hexadecimal digits that nobody can guess.
pub(crate) fn unique() -> String {
    let mut bytes = [0; 32];
    // Without randomness from the kernel, the time is unique enough: nothing here protects anything.
    if getrandom::fill(&mut bytes).is_err() {
        let nanoseconds = jiff::Timestamp::now().as_nanosecond();
        bytes[..16].copy_from_slice(&nanoseconds.to_le_bytes());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where a canary was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    /// The files that hold it in clear text.
    pub files: Vec<PathBuf>,
    /// Bytes that were read.
    pub bytes: u64,
    /// What could not be read, with why.
    pub unread: Vec<String>,
    /// When a file was changed last.
    pub changed_at: Option<SystemTime>,
}

/// Looks for a text in all files below some directories. Links are not followed.
#[must_use]
pub fn search(places: &[PathBuf], text: &str) -> Sightings {
    let finder = memmem::Finder::new(text.as_bytes());
    let mut seen = Sightings::default();
    for place in places {
        match place.metadata() {
            Ok(_) if is_of_the_kernel(place) => {
                seen.unread
                    .push(format!("{}: it holds no files of a disk", place.display()));
            }
            Ok(metadata) => visit(place, metadata.dev(), &finder, 0, &mut seen),
            Err(error) => seen.unread.push(format!("{}: {error}", place.display())),
        }
    }
    seen
}

/// Whether a path belongs to a file system that the kernel makes up: statfs(2) lists their numbers. No server keeps data there, and
/// reading may wait for ever.
#[must_use]
pub fn is_of_the_kernel(place: &Path) -> bool {
    const PROC: i64 = 0x9fa0;
    const SYS: i64 = 0x6265_6572;
    const TERMINALS: i64 = 0x1cd1;
    const DEBUG: i64 = 0x6462_6720;
    const TRACE: i64 = 0x7472_6163;
    const CGROUPS: [i64; 2] = [0x0027_e0eb, 0x6367_7270];
    let made_up = [PROC, SYS, TERMINALS, DEBUG, TRACE, CGROUPS[0], CGROUPS[1]];
    let is_device = place.canonicalize().is_ok_and(|path| path.starts_with("/dev"));
    // The type of the field differs between machines.
    #[allow(
        clippy::unnecessary_cast,
        reason = "the field has other types on other machines"
    )]
    let kind = rustix::fs::statfs(place).map(|status| status.f_type as i64);
    is_device || kind.is_ok_and(|kind| made_up.contains(&kind))
}

/// Other file systems below are not entered: `device` is that of the directory which was named.
fn visit(path: &Path, device: u64, finder: &memmem::Finder<'_>, depth: usize, seen: &mut Sightings) {
    let kind = match path.symlink_metadata() {
        Ok(metadata) if metadata.dev() != device => return,
        Ok(metadata) => {
            if metadata.is_file() {
                seen.changed_at = seen.changed_at.max(metadata.modified().ok());
            }
            metadata.file_type()
        }
        // A server removes files while it runs.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => return seen.unread.push(format!("{}: {error}", path.display())),
    };
    if kind.is_dir() && depth < DEEPEST {
        match path.read_dir() {
            Ok(entries) => {
                for entry in entries.flatten() {
                    visit(&entry.path(), device, finder, depth + 1, seen);
                }
            }
            Err(error) => seen.unread.push(format!("{}: {error}", path.display())),
        }
    } else if kind.is_file() {
        match contains(path, finder, seen) {
            Ok(true) => seen.files.push(path.to_owned()),
            Ok(false) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => seen.unread.push(format!("{}: {error}", path.display())),
        }
    }
}

fn contains(path: &Path, finder: &memmem::Finder<'_>, seen: &mut Sightings) -> std::io::Result<bool> {
    let overlap = finder.needle().len() - 1;
    let mut file = File::open(path)?;
    let mut buffer = vec![0; CHUNK + overlap];
    let mut kept = 0;
    loop {
        if seen.bytes >= MOST_BYTES {
            return Err(std::io::Error::other("more was not read"));
        }
        let read = file.read(&mut buffer[kept..])?;
        if read == 0 {
            return Ok(false);
        }
        seen.bytes += read as u64;
        let filled = kept + read;
        if finder.find(&buffer[..filled]).is_some() {
            return Ok(true);
        }
        // What lies across two chunks is found in the second.
        kept = overlap.min(filled);
        buffer.copy_within(filled - kept..filled, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_is_found_wherever_it_lies_also_across_chunks() {
        let place = tempfile::tempdir().unwrap();
        let canary = Canary::new();
        assert_ne!(canary, Canary::new());
        for (name, before) in [
            ("a", 0),
            ("b", CHUNK - 10),
            ("c", CHUNK + 5),
            ("d", 3 * CHUNK - 63),
        ] {
            let mut content = vec![0xff; before];
            content.extend(canary.text().as_bytes());
            std::fs::create_dir_all(place.path().join(name)).unwrap();
            std::fs::write(place.path().join(name).join("file"), content).unwrap();
        }
        std::fs::write(place.path().join("none"), vec![b'0'; 2 * CHUNK]).unwrap();
        std::os::unix::fs::symlink("/dev/zero", place.path().join("endless")).unwrap();
        let mut seen = search(&[place.path().to_owned()], canary.text());
        seen.files.sort();
        let names: Vec<String> = seen
            .files
            .iter()
            .map(|path| {
                path.parent()
                    .unwrap()
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        assert!(seen.unread.is_empty() && seen.bytes > 5 * CHUNK as u64);
        assert!(seen.changed_at.is_some());
    }

    #[test]
    fn what_the_kernel_makes_up_is_not_read() {
        for place in ["/proc", "/sys", "/dev"] {
            let seen = search(&[PathBuf::from(place)], "anything");
            assert_eq!((seen.bytes, seen.unread.len()), (0, 1), "{place}");
        }
    }
}
