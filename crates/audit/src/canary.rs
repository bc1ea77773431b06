//! A unique text, stored through the server and then looked for in its files, raw.
//!
//! It is random, so that no compression of whole words hides it, and nothing else on the disk looks like it. Not finding it
//! says something only when it was seen that it had been flushed.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use memchr::memmem;

use crate::walk::walk;

/// Files of more bytes than this in all are not searched: no test server has as many.
const MOST_BYTES: u64 = 64 << 30;
const CHUNK: usize = 1 << 20;

/// A unique text of 64 hexadecimal digits.
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
    /// Files that could not be read, with why.
    pub unread: Vec<String>,
    /// One path for each volume on which the files lie: the named directories, what links lead to, and where other file systems begin.
    pub roots: Vec<PathBuf>,
    /// Whether a directory or a link could not be entered, so that more volumes may hold files.
    pub has_gaps: bool,
}

/// Looks for a text in all files below some directories, also behind links and on other file systems.
#[must_use]
pub fn search(places: &[PathBuf], text: &str) -> Sightings {
    let finder = memmem::Finder::new(text.as_bytes());
    let mut seen = Sightings::default();
    let walked = walk(places, &mut |path, metadata| {
        if metadata.is_file() {
            look(path, &finder, &mut seen);
        }
    });
    seen.has_gaps = !walked.unentered.is_empty();
    seen.unread.extend(walked.unentered);
    seen.roots = walked.roots;
    seen
}

fn look(path: &Path, finder: &memmem::Finder<'_>, seen: &mut Sightings) {
    match contains(path, finder, seen) {
        Ok(true) => seen.files.push(path.to_owned()),
        Ok(false) => {}
        // A server removes files while it runs.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => seen.unread.push(format!("{}: {error}", path.display())),
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
        // A canary that lies across two chunks is found in the second.
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
        assert!(seen.unread.is_empty() && !seen.has_gaps && seen.bytes > 5 * CHUNK as u64);
    }

    #[test]
    fn a_canary_behind_a_link_is_found_and_a_link_that_cannot_be_followed_is_told() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let canary = Canary::new();
        std::fs::write(elsewhere.path().join("segment"), canary.text()).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), place.path().join("pg_wal")).unwrap();
        let seen = search(&[place.path().to_owned()], canary.text());
        let elsewhere = elsewhere.path().canonicalize().unwrap();
        assert_eq!(seen.files, [elsewhere.join("segment")]);
        assert!(seen.roots.contains(&elsewhere) && !seen.has_gaps, "{seen:?}");
        std::os::unix::fs::symlink("/no/such/disk", place.path().join("tablespace")).unwrap();
        let seen = search(&[place.path().to_owned()], canary.text());
        assert!(seen.has_gaps && seen.unread.len() == 1, "{seen:?}");
    }

    #[test]
    fn what_the_kernel_makes_up_is_not_read() {
        for place in ["/proc", "/sys", "/dev"] {
            let seen = search(&[PathBuf::from(place)], "anything");
            assert_eq!((seen.bytes, seen.unread.len()), (0, 1), "{place}");
        }
    }
}
