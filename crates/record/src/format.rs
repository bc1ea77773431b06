//! Format versions: every JSON file of a result folder names its format, e.g. `dbdyno.trial/1`.
//!
//! The number grows with every change that an older reader could not read. A reader reads its own number and all below.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::folder::FolderError;
use crate::regular_file::{self, LARGEST_DOCUMENT_BYTES};
use crate::sums;

#[derive(Deserialize)]
struct Header {
    format: Option<String>,
}

/// Reads a JSON file of the given format (`name/number`).
///
/// # Errors
/// When it cannot be read, is not JSON, names another or a newer format, or does not hold what the format says.
pub(crate) fn read_json<T: DeserializeOwned>(
    path: &Path,
    format: &str,
    remedy: &str,
) -> Result<T, FolderError> {
    let text = regular_file::read_text(path, LARGEST_DOCUMENT_BYTES)
        .map_err(|source| FolderError::io("read", path, source))?;
    let damaged = |reason: String| FolderError::Damaged {
        path: path.into(),
        reason,
        remedy: remedy.to_owned(),
    };
    if text.trim().is_empty() {
        return Err(damaged("the file is empty".to_owned()));
    }
    // The format first: the content of a newer one would only give a puzzling message.
    let header: Header = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    let found = header.format.unwrap_or_default();
    match age(&found, format) {
        Age::Readable => {
            let text = read_summed(path, LARGEST_DOCUMENT_BYTES, remedy)?;
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))
        }
        Age::Newer => Err(FolderError::Newer {
            path: path.into(),
            found,
            known: format.to_owned(),
        }),
        Age::Foreign => Err(FolderError::Foreign {
            path: path.into(),
            reason: format!("its format is {found:?}, not {format:?}"),
        }),
    }
}

/// The content of a file of at most this many bytes, if it is the content that was written.
///
/// # Errors
/// When it is not, or cannot be read.
pub(crate) fn read_summed(path: &Path, most_bytes: u64, remedy: &str) -> Result<String, FolderError> {
    let read =
        || regular_file::read_text(path, most_bytes).map_err(|source| FolderError::io("read", path, source));
    let mut text = read()?;
    // A writer may have replaced the file after it was read, and before its sum was.
    for _ in 0..3 {
        match sums::fits(path, text.as_bytes()) {
            Ok(true) => return Ok(text),
            Ok(false) => {}
            Err(source) => return Err(FolderError::io("read the sums beside", path, source)),
        }
        let again = read()?;
        if again == text {
            break;
        }
        text = again;
    }
    Err(FolderError::Damaged {
        path: path.into(),
        reason: format!(
            "its content changed after it was written: its SHA-256 is not the one in {}",
            sums::FILE
        ),
        remedy: remedy.to_owned(),
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Age {
    Readable,
    Newer,
    Foreign,
}

fn age(found: &str, known: &str) -> Age {
    let parse = |format: &str| {
        let (name, number) = format.split_once('/')?;
        Some((name.to_owned(), number.parse::<u32>().ok()?))
    };
    match (parse(found), parse(known)) {
        (Some((name, number)), Some((known_name, known_number))) if name == known_name && number > 0 => {
            if number > known_number {
                Age::Newer
            } else {
                Age::Readable
            }
        }
        _ => Age::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_old_new_and_foreign_apart() {
        assert_eq!(age("dbdyno.trial/1", "dbdyno.trial/1"), Age::Readable);
        assert_eq!(age("dbdyno.trial/1", "dbdyno.trial/3"), Age::Readable);
        assert_eq!(age("dbdyno.trial/4", "dbdyno.trial/3"), Age::Newer);
        for foreign in [
            "",
            "dbdyno.plan/1",
            "dbdyno.trial",
            "dbdyno.trial/x",
            "dbdyno.trial/0",
            "other/1",
        ] {
            assert_eq!(age(foreign, "dbdyno.trial/1"), Age::Foreign, "{foreign}");
        }
    }
}
