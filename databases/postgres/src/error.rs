//! PostgreSQL's errors, by class. Codes: the manual's appendix "PostgreSQL Error Codes" (SQLSTATE).

use std::time::Duration;

use dbdyno_driver::{DbError, ErrorClass};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// The class of an error of the library, with the server's address in its words.
pub(crate) fn classified(error: Error, hosts: &str) -> DbError {
    let class = class_of(&error);
    let advice = match class {
        ErrorClass::Auth => "; check user and password (password_file, password_env)",
        ErrorClass::NotFound => "; `dbdyno load` makes the table and its records",
        _ => "",
    };
    let words = match error.as_db_error() {
        Some(refusal) => format!("{} ({})", refusal.message(), refusal.code().code()),
        None => with_cause(&error),
    };
    DbError::new(class, format!("PostgreSQL at {hosts}: {words}{advice}")).with_source(error)
}

/// The connection was not made.
pub(crate) fn not_connected(error: std::io::Error, hosts: &str) -> DbError {
    let words = format!("PostgreSQL at {hosts}: error connecting to server: {error}");
    DbError::new(ErrorClass::Unavailable, words).with_source(error)
}

/// The library says what it did, and its cause what went wrong.
fn with_cause(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn class_of(error: &Error) -> ErrorClass {
    match error.code() {
        Some(state) => of_state(state),
        // Nothing came back: the connection broke, was refused, or TLS failed.
        None if error.is_closed() => ErrorClass::Unavailable,
        None => match std::error::Error::source(error) {
            Some(cause) if cause.is::<std::io::Error>() => ErrorClass::Unavailable,
            Some(_) if error.to_string().contains("connecting") => ErrorClass::Unavailable,
            _ => of_words(&with_cause(error)),
        },
    }
}

/// What the library has no code for.
fn of_words(words: &str) -> ErrorClass {
    if words.contains("authentication") || words.contains("password") {
        ErrorClass::Auth
    } else if words.contains("TLS") || words.contains("connecting") {
        ErrorClass::Unavailable
    } else {
        ErrorClass::Bug
    }
}

fn of_state(state: &SqlState) -> ErrorClass {
    // The first two digits are the class of the standard; a few states have a class of ours for themselves.
    match state {
        &SqlState::INSUFFICIENT_PRIVILEGE => return ErrorClass::Auth,
        &SqlState::UNDEFINED_TABLE => return ErrorClass::NotFound,
        &SqlState::UNIQUE_VIOLATION => return ErrorClass::Conflict,
        &SqlState::QUERY_CANCELED | &SqlState::LOCK_NOT_AVAILABLE => return ErrorClass::Timeout,
        _ => {}
    }
    match state.code().get(..2).unwrap_or_default() {
        "08" | "57" | "58" => ErrorClass::Unavailable,
        "28" => ErrorClass::Auth,
        "40" => ErrorClass::Conflict,
        "53" => ErrorClass::Overloaded,
        "XX" => ErrorClass::Bug,
        _ => ErrorClass::Rejected,
    }
}

/// No answer in time.
pub(crate) fn timeout(hosts: &str, what: &str, option: &str, timeout: Duration) -> DbError {
    DbError::new(
        ErrorClass::Timeout,
        format!(
            "PostgreSQL at {hosts} gave no {what} within {timeout:?}; the option `{option}` sets the longest wait"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_classes() {
        for (code, class) in [
            ("08006", ErrorClass::Unavailable),
            ("57P01", ErrorClass::Unavailable),
            ("57014", ErrorClass::Timeout),
            ("28P01", ErrorClass::Auth),
            ("42501", ErrorClass::Auth),
            ("42P01", ErrorClass::NotFound),
            ("42703", ErrorClass::Rejected),
            ("23505", ErrorClass::Conflict),
            ("40001", ErrorClass::Conflict),
            ("53300", ErrorClass::Overloaded),
            ("25006", ErrorClass::Rejected),
            ("XX000", ErrorClass::Bug),
        ] {
            assert_eq!(of_state(&SqlState::from_code(code)), class, "{code}");
        }
    }
}
