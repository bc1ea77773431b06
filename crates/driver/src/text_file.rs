//! Reading small files that people wrote.

use std::io;
use std::path::Path;

use dbdyno_owned::named;

/// Files that people write are far smaller. What has no end, such as `/dev/zero`, would fill the memory.
pub const MOST_BYTES: u64 = 64 << 20;

/// The text of a [file that a person names](named), of at most [`MOST_BYTES`].
///
/// # Errors
/// When it cannot be read, is longer, is not UTF-8, or is a pipe that stays silent.
pub fn read(path: &Path) -> io::Result<String> {
    named::read_text(path, MOST_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_end_is_refused() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert!(
            error.to_string().starts_with("it is larger than 64 MiB"),
            "{error}"
        );
    }
}
