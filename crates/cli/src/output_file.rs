//! Files that a command is asked to write.

use std::io;
use std::path::Path;

/// Writes a file so that what it held before stays where the new text cannot be written, on a full disk for example. A pipe or a device is
/// written to, and not replaced; where a link leads, the file there is.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    if !is_file(path) {
        return std::fs::write(path, text);
    }
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    dbdyno_record::write_whole(&path, text.as_bytes())
}

/// Whether it is a file, or becomes one.
pub fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}
