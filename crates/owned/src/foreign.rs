//! Files that can come from anywhere. In the place of one there may be a link to a device that never ends, a pipe that
//! nobody writes to, or a file of gigabytes: only regular files are read, opened without waiting, and only up to a limit.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file for reading.
///
/// # Errors
/// When it is not there, may not be read, or is a pipe, a device or a socket.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(File::options().read(true), path)
}

/// Opens a file, without waiting for anybody at its other end.
///
/// # Errors
/// When the operating system refuses, or it is a pipe, a device or a socket.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // To open a device can have an effect.
    if let Ok(found) = fs::metadata(path) {
        refuse_others(&found)?;
    }
    let without_waiting = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = options
        .custom_flags(without_waiting.bits().cast_signed())
        .open(path)?;
    refuse_others(&file.metadata()?)?;
    Ok(file)
}

/// Whether it is one that can be read to its end without waiting. A directory can be locked, and the operating system itself
/// refuses to read it.
pub(crate) fn is_regular(found: &Metadata) -> bool {
    found.is_file() || found.is_dir()
}

fn refuse_others(found: &Metadata) -> io::Result<()> {
    if is_regular(found) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is not a regular file",
    ))
}

/// What is in a file that has at most this many bytes.
///
/// # Errors
/// When it cannot be [opened](open) or read, or is larger.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    if file.metadata()?.len() > most_bytes {
        return Err(too_large(most_bytes));
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(too_large(most_bytes));
    }
    Ok(bytes)
}

/// Reads a file of text, as [`read`] reads bytes.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    text(read(path, most_bytes)?)
}

pub(crate) fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// What is said of a file that is larger than that.
#[must_use]
pub fn too_large(most_bytes: u64) -> io::Error {
    let limit = most_bytes >> 20;
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("it is larger than {limit} MiB, the most that dbdyno reads of such a file"),
    )
}
