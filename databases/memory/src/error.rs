//! Errors of the store, each with the class under which it counts.

use dbdyno_driver::embedded::Malformed;
use dbdyno_driver::{DbError, ErrorClass, Key};

pub fn no_place(place: &str) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!("`memory` keeps nothing on disk, so it has no place `{place}`; write `memory`"),
    )
}

pub fn no_table(name: &str) -> DbError {
    DbError::new(
        ErrorClass::NotFound,
        format!("`memory` has no table `{name}`; load it first, in the same run"),
    )
}

pub fn no_record(key: &Key) -> DbError {
    DbError::new(
        ErrorClass::NotFound,
        format!("there is no record `{}` to update", key.as_str()),
    )
}

pub fn malformed(malformed: Malformed) -> DbError {
    DbError::new(ErrorClass::Bug, malformed.to_string()).with_source(malformed)
}
