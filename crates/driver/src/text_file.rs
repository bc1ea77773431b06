//! Reading small files that people wrote.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Files that people write are far smaller. What has no end, such as `/dev/zero`, would fill the memory.
pub const MOST_BYTES: u64 = 64 << 20;

/// The text of a file of at most [`MOST_BYTES`].
///
/// # Errors
/// When it cannot be read, is longer, or is not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    read_at_most(path, MOST_BYTES)
}

fn read_at_most(path: &Path, most_bytes: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {most_bytes} bytes"),
        ));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_end_is_refused() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 67108864 bytes");
    }

    #[test]
    fn a_file_of_the_largest_size_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notes");
        std::fs::write(&path, "1234").unwrap();
        assert_eq!(read_at_most(&path, 4).unwrap(), "1234");
        assert!(read_at_most(&path, 3).is_err());
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
