//! Errors of the store, each with the class under which it counts.

use std::io;
use std::path::Path;

use dbdyno_driver::embedded::{Place, full_disk, is_full, open_error};
use dbdyno_driver::{DbError, ErrorClass, Key};
use redb::{DatabaseError, Error, StorageError, TableError};

use crate::info::INFO;

/// An error of an operation on the file at `path`.
pub fn classify<E: Into<Error>>(path: &Path) -> impl Fn(E) -> DbError + '_ {
    |error| {
        let error = error.into();
        let (class, message) = match &error {
            Error::TableDoesNotExist(name) => (
                ErrorClass::NotFound,
                format!("there is no table `{name}`; it was dropped while it was in use, or never loaded"),
            ),
            Error::TableTypeMismatch { table, .. } | Error::TableIsMultimap(table) => (
                ErrorClass::Rejected,
                format!("the table `{table}` was not made by dbdyno; use another table or file"),
            ),
            Error::ValueTooLarge(length) => (
                ErrorClass::Rejected,
                format!("a record of {length} bytes cannot be stored: redb takes less than 3 GiB"),
            ),
            Error::Io(reason) if reason.kind() == io::ErrorKind::StorageFull => {
                return full_disk(path).with_source(error);
            }
            // redb refuses every transaction after a failed one, and does not keep the reason.
            Error::PreviousIo if is_full(path) => return full_disk(path).with_source(error),
            Error::Io(_) | Error::PreviousIo => (
                ErrorClass::Unavailable,
                format!("{error}; look at the disk and start again"),
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

/// An error of opening the file.
pub fn open(place: &Place, error: DatabaseError) -> DbError {
    let path = place.path().display();
    let (class, reason) = match error {
        DatabaseError::DatabaseAlreadyOpen => (
            ErrorClass::Unavailable,
            "another process has it open; stop that one or name another file".to_owned(),
        ),
        DatabaseError::Storage(StorageError::Io(reason)) if reason.kind() != io::ErrorKind::InvalidData => {
            return open_error(&INFO, place.path(), reason);
        }
        DatabaseError::UpgradeRequired(version) => (
            ErrorClass::Rejected,
            format!("it has the old file format {version}; name another file, or remove it to begin anew"),
        ),
        _ => (
            ErrorClass::Rejected,
            format!(
                "it is not a redb database, or is damaged ({error}); choose another file, or remove it to start over"
            ),
        ),
    };
    DbError::new(class, format!("`redb` cannot open `{path}`: {reason}")).with_source(error)
}

/// An error of opening the table for a session.
pub fn table(path: &Path, name: &str, error: TableError) -> DbError {
    match error {
        TableError::TableDoesNotExist(_) => DbError::new(
            ErrorClass::NotFound,
            format!(
                "there is no table `{name}` in `{}`; load it first",
                path.display()
            ),
        )
        .with_source(error),
        other => classify(path)(other),
    }
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
        "the table holds a record that dbdyno did not write; use another table or file",
    )
}
