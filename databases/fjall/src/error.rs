//! Errors of the store, each with the class under which it counts.

use std::io;
use std::path::Path;

use dbdyno_driver::embedded::{Place, full_disk, is_full, open_error};
use dbdyno_driver::{DbError, ErrorClass, Key};
use fjall::Error;

use crate::info::INFO;

/// An error of an operation on the database in `path`.
pub fn classify(path: &Path) -> impl Fn(Error) -> DbError + '_ {
    |error| {
        let (class, message) = match &error {
            Error::KeyspaceDeleted => (
                ErrorClass::NotFound,
                "the table was dropped while it was in use".to_owned(),
            ),
            Error::Io(reason) if reason.kind() == io::ErrorKind::StorageFull => {
                return full_disk(path).with_source(error);
            }
            // fjall does not keep the reason for which its background threads failed.
            Error::Poisoned if is_full(path) => return full_disk(path).with_source(error),
            Error::Poisoned => (
                ErrorClass::Unavailable,
                format!(
                    "fjall takes no more writes since writing or syncing its journal in `{}` failed; look at the disk \
                     and start again",
                    path.display()
                ),
            ),
            Error::Io(reason) => (
                ErrorClass::Unavailable,
                format!("reading or writing failed: {reason}"),
            ),
            other => (ErrorClass::Bug, other.to_string()),
        };
        let error = DbError::new(class, message).with_source(error);
        if class == ErrorClass::Unavailable {
            error.permanent()
        } else {
            error
        }
    }
}

/// An error of opening the database.
pub fn open(place: &Place, error: Error) -> DbError {
    let path = place.path().display();
    match error {
        Error::Locked => DbError::new(
            ErrorClass::Unavailable,
            format!("`fjall` cannot open `{path}`: another process has it open; stop that one or name another directory"),
        )
        .with_source(error),
        Error::InvalidVersion(version) => {
            let found = version.map_or_else(|| "no version".to_owned(), |version| format!("{version:?}"));
            DbError::new(
                ErrorClass::Rejected,
                format!(
                    "`fjall` cannot open `{path}`: it is not a database of fjall 3 (its `version` file says {found}); \
                     name another directory, or remove it to begin anew"
                ),
            )
            .with_source(error)
        }
        Error::Io(reason) => open_error(&INFO, place.path(), reason),
        other => DbError::new(
            ErrorClass::Rejected,
            format!(
                "`fjall` cannot open `{path}`: {other}; the database is damaged: name another directory, or remove it \
                 to begin anew"
            ),
        )
        .with_source(other),
    }
}

pub fn no_table(path: &Path, name: &str) -> DbError {
    DbError::new(
        ErrorClass::NotFound,
        format!(
            "there is no table `{name}` in `{}`; load it first",
            path.display()
        ),
    )
}

pub fn no_record(key: &Key) -> DbError {
    DbError::new(
        ErrorClass::NotFound,
        format!("there is no record `{}` to update", key.as_str()),
    )
}

pub fn malformed() -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        "the table holds a record that dbdyno did not write; use another table or directory",
    )
}

pub fn key_length(length: usize) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!("a key of {length} bytes cannot be stored: fjall takes 1 to 65535"),
    )
}
