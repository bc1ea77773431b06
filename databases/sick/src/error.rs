//! What can go wrong on purpose only: addresses that cannot be read.

use dbdyno_driver::{DbError, ErrorClass};

pub fn no_place(place: &str) -> DbError {
    rejected(format!(
        "`sick` keeps nothing on disk, so it has no place `{place}`; write `sick?delay=1ms`"
    ))
}

pub fn no_count(name: &str, text: &str) -> DbError {
    rejected(format!(
        "`sick` cannot read option `{name}={text}` as a whole number; write e.g. `{name}=100`"
    ))
}

pub fn no_percentage(name: &str, text: &str) -> DbError {
    rejected(format!(
        "`sick` cannot read option `{name}={text}` as a percentage from 0 to 10000; write e.g. `{name}=10%`"
    ))
}

pub fn audit_only() -> DbError {
    rejected("`sick` lies about its security in audits only; write `dbdyno audit 'sick?lie=...'`".to_owned())
}

pub fn no_thread(refused: &std::io::Error) -> DbError {
    DbError::new(
        ErrorClass::Unavailable,
        format!("the operating system refused `sick` a thread for deferred work: {refused}"),
    )
}

fn rejected(message: String) -> DbError {
    DbError::new(ErrorClass::Rejected, message)
}
