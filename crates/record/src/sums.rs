//! `SHA256SUMS`: checksums of the files of a folder, taken when they were written, so that damage is found. The format is that of
//! `sha256sum`, so `sha256sum --check` finds it, too.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{atomic, regular_file};

/// The name of the file.
pub(crate) const FILE: &str = "SHA256SUMS";

/// Sums and names. A file that is about to be replaced has two sums for a moment: a power cut leaves one that fits.
type Sums = BTreeSet<(String, String)>;

/// Writes a file, whole or not at all, with its sum; and the sums of `others`, which lie beside it and are complete.
pub(crate) fn write(path: &Path, bytes: &[u8], others: &[&str]) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let before = read(folder)?;
    let mut sums = before.clone();
    for other in others {
        if let Ok(file) = regular_file::open(&folder.join(other)) {
            sums.retain(|(known, _)| known != other);
            sums.insert(((*other).to_owned(), of_file(file)?));
        }
    }
    let sum = (name.to_owned(), text(&Sha256::digest(bytes)));
    sums.insert(sum.clone());
    if sums != before {
        keep(folder, &sums)?;
    }
    atomic::write(path, bytes)?;
    let both = sums.len();
    sums.retain(|(known, other)| known != name || *other == sum.1);
    if sums.len() < both {
        keep(folder, &sums)?;
    }
    Ok(())
}

/// Whether these bytes are those that were written to the file; `true` where that is not known.
pub(crate) fn fits(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let known = of(path)?;
    Ok(known.is_empty() || known.contains(&text(&Sha256::digest(bytes))))
}

/// Whether a file is no longer what was written; `false` where that is not known, or where the file is gone. It reads a large file piece
/// by piece.
pub(crate) fn is_changed(path: &Path) -> io::Result<bool> {
    let known = of(path)?;
    if known.is_empty() {
        return Ok(false);
    }
    match regular_file::open(path) {
        Ok(file) => Ok(!known.contains(&of_file(file)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The sums that a file may have; none where nothing is known of it.
fn of(path: &Path) -> io::Result<BTreeSet<String>> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(BTreeSet::new());
    };
    let sums = read(folder)?.into_iter();
    Ok(sums
        .filter(|(known, _)| known == name)
        .map(|(_, sum)| sum)
        .collect())
}

/// The files of a folder that have a sum.
pub(crate) fn names(folder: &Path) -> io::Result<BTreeSet<String>> {
    Ok(read(folder)?.into_iter().map(|(name, _)| name).collect())
}

fn read(folder: &Path) -> io::Result<Sums> {
    let text = match regular_file::read(&folder.join(FILE), regular_file::LARGEST_DOCUMENT_BYTES) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Sums::new()),
        Err(error) => return Err(error),
    };
    Ok(text
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (name.to_owned(), sum.to_owned()))
        .collect())
}

fn keep(folder: &Path, sums: &Sums) -> io::Result<()> {
    let lines: String = sums
        .iter()
        .map(|(name, sum)| format!("{sum}  {name}\n"))
        .collect();
    atomic::write(&folder.join(FILE), lines.as_bytes())
}

fn of_file(mut file: File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(text(&hasher.finalize()))
}

fn text(sum: &[u8]) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_written_fits_and_anything_else_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let (path, beside) = (folder.path().join("a.json"), folder.path().join("b.csv"));
        fs::write(&beside, "rows").unwrap();
        assert!(fits(&path, b"whatever").unwrap(), "nothing is known yet");
        for text in ["one", "two"] {
            write(&path, text.as_bytes(), &["b.csv", "missing"]).unwrap();
            assert!(fits(&path, text.as_bytes()).unwrap());
            assert!(!fits(&path, b"other").unwrap());
        }
        assert!(!fits(&path, b"one").unwrap(), "only the last one counts");
        assert!(fits(&beside, b"rows").unwrap() && !fits(&beside, b"row").unwrap());
        // The sum of "two", by coreutils.
        let sums = fs::read_to_string(folder.path().join(FILE)).unwrap();
        let two = "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3  a.json\n";
        assert!(sums.starts_with(two), "{sums}");
    }
}
