//! Errors of the store, each with the class under which it counts.

use dbdyno_driver::embedded::{Place, full_disk};
use dbdyno_driver::{DbError, ErrorClass, Key, Row};
use rusqlite::{Error, ErrorCode, ffi};

/// An error of an operation.
pub fn classify(error: Error) -> DbError {
    let Error::SqliteFailure(code, _) = &error else {
        return DbError::new(ErrorClass::Bug, error.to_string()).with_source(error);
    };
    let reason = error.to_string();
    let class = match code.code {
        ErrorCode::DatabaseBusy if code.extended_code == ffi::SQLITE_BUSY_SNAPSHOT => ErrorClass::Conflict,
        ErrorCode::DatabaseBusy => {
            return DbError::new(
                ErrorClass::Timeout,
                "another process held the database's lock for longer than busy_timeout",
            )
            .with_source(error);
        }
        ErrorCode::DatabaseLocked => ErrorClass::Conflict,
        ErrorCode::ConstraintViolation => {
            return DbError::new(
                ErrorClass::Conflict,
                format!("the record exists already ({reason})"),
            )
            .permanent()
            .with_source(error);
        }
        ErrorCode::SystemIoFailure | ErrorCode::CannotOpen => ErrorClass::Unavailable,
        ErrorCode::ReadOnly
        | ErrorCode::DiskFull
        | ErrorCode::TooBig
        | ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::PermissionDenied => ErrorClass::Rejected,
        // Plain SQLITE_ERROR; only its words tell which one.
        _ if reason.starts_with("no such table") => ErrorClass::NotFound,
        _ if code.extended_code == ffi::SQLITE_ERROR => ErrorClass::Rejected,
        _ => ErrorClass::Bug,
    };
    DbError::new(class, reason).with_source(error)
}

/// An error of a statement that writes.
pub fn classify_write(place: &Place) -> impl Fn(Error) -> DbError + '_ {
    |error| match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => full_disk(place.path()).with_source(error),
        _ => classify(error),
    }
}

/// An error of opening the file.
pub fn open(place: &Place, error: Error) -> DbError {
    if error.sqlite_error_code() == Some(ErrorCode::DiskFull) {
        return full_disk(place.path()).with_source(error);
    }
    let path = place.path().display();
    let (class, reason) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => (
            ErrorClass::Rejected,
            format!(
                "it is no SQLite database or a damaged one ({error}); name another file, or remove it to begin anew"
            ),
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            ErrorClass::Unavailable,
            "another process has it locked; stop that one or name another file".to_owned(),
        ),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            return read_only(place).with_source(error);
        }
        _ => (ErrorClass::Rejected, format!("{error}; name another file")),
    };
    DbError::new(class, format!("`sqlite` cannot open `{path}`: {reason}")).with_source(error)
}

pub fn read_only(place: &Place) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "`sqlite` cannot use `{}`: the file or its directory is not writable for this user; change the permissions \
             or name another path",
            place.path().display()
        ),
    )
}

pub fn not_shareable(place: &str) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "`sqlite:{place}` is a database that each session would have alone; write `sqlite` for a temporary file that \
             all sessions share, or `memory` for no storage at all"
        ),
    )
}

pub fn no_table(place: &Place, name: &str) -> DbError {
    DbError::new(
        ErrorClass::NotFound,
        format!(
            "there is no table `{name}` in `{}`; load it first",
            place.path().display()
        ),
    )
}

/// The table has not the columns that the workload needs.
pub fn table_shape(place: &Place, name: &str, error: Error) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "the table `{name}` in `{}` has other columns than the workload ({error}); drop it, or set the property \
             `table` to another name",
            place.path().display()
        ),
    )
    .with_source(error)
}

pub fn no_record(key: &Key) -> DbError {
    DbError::new(
        ErrorClass::NotFound,
        format!("there is no record `{}` to update", key.as_str()),
    )
}

pub fn no_field(index: u32) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!("the table has no field of index {index}"),
    )
}

pub fn no_such_fields(row: &Row) -> DbError {
    no_field(row.iter().map(|(index, _)| index).max().unwrap_or_default())
}

pub fn malformed() -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        "the table holds a number where text or bytes should be; it was not written by dbdyno or YCSB",
    )
}
