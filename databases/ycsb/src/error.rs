//! Each status of YCSB and each exception of a binding gets a class and a sentence.

use dbdyno_driver::{DbError, ErrorClass};
use dbdyno_jvm::{Failure, Reply};

/// What a binding answered that was no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// `OK` or `BATCHED_OK`.
    Done,
    /// `NOT_FOUND`.
    NotFound,
}

/// The numbers of `YcsbChannel.java`.
const BATCHED_OK: u32 = 1;
const NOT_FOUND: u32 = 2;
const ERROR: u32 = 7;

fn class_of(status: u32) -> ErrorClass {
    match status {
        // NOT_IMPLEMENTED, BAD_REQUEST
        3 | 5 => ErrorClass::Rejected,
        // SERVICE_UNAVAILABLE
        4 => ErrorClass::Unavailable,
        // FORBIDDEN
        6 => ErrorClass::Auth,
        // ERROR, UNEXPECTED_STATE, the binding's own: they say that it failed, not why.
        _ => ErrorClass::Bug,
    }
}

/// Whether an answer, not yet read, is the status `ERROR`.
pub fn is_error(mut answer: Reply<'_>) -> bool {
    answer.number() == ERROR
}

/// Takes the status from an answer.
pub fn status(answer: &mut Reply<'_>, class: &str) -> Result<Answered, DbError> {
    let number = answer.number();
    match number {
        0 | BATCHED_OK => Ok(Answered::Done),
        NOT_FOUND => Ok(Answered::NotFound),
        _ => {
            let (name, description) = (answer.text(), answer.text());
            let help = if number == ERROR {
                "; if that is how it says that a record is not there, give missing=ERROR"
            } else {
                ""
            };
            Err(DbError::new(
                class_of(number),
                format!("YCSB's binding {class} answered {name} ({description}){help}"),
            ))
        }
    }
}

/// What exceptions mean, by the names of their classes; the first that fits decides.
const EXCEPTIONS: [(ErrorClass, &[&str]); 3] = [
    (
        ErrorClass::Timeout,
        &[
            "TimeoutException",
            "SocketTimeoutException",
            "InterruptedIOException",
        ],
    ),
    (
        ErrorClass::Unavailable,
        &[
            "ConnectException",
            "UnknownHostException",
            "NoRouteToHostException",
            "SocketException",
        ],
    ),
    (
        ErrorClass::Auth,
        &[
            "AccessDeniedException",
            "LoginException",
            "SecurityException",
            "SaslException",
        ],
    ),
];

/// The error of an operation that ended with an exception.
pub fn thrown(failure: &Failure, class: &str) -> DbError {
    DbError::new(
        class_of_exception(failure).unwrap_or(ErrorClass::Bug),
        format!("YCSB's binding {class} failed: {}", failure.message),
    )
}

/// The error of a binding that does not get ready.
pub fn starting(failure: &Failure, class: &str) -> DbError {
    // A missing library is mended otherwise than a missing property.
    let missing = failure.is("NoClassDefFoundError") || failure.is("ClassNotFoundException");
    let (what, help) = if missing {
        ("cannot be loaded", "; add the jars it needs to class_path")
    } else {
        (
            "cannot start",
            "; its properties are given as p.NAME=VALUE or properties=FILE",
        )
    };
    DbError::new(
        class_of_exception(failure).unwrap_or(ErrorClass::Rejected),
        format!("YCSB's binding {class} {what}: {}{help}", failure.message),
    )
}

fn class_of_exception(failure: &Failure) -> Option<ErrorClass> {
    let fits = |names: &[&str]| names.iter().any(|name| failure.is(name));
    EXCEPTIONS
        .iter()
        .find(|(_, names)| fits(names))
        .map(|(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(classes: &[&str]) -> Failure {
        Failure {
            classes: classes.iter().map(|name| (*name).to_owned()).collect(),
            message: "words".to_owned(),
        }
    }

    #[test]
    fn the_cause_of_an_exception_decides() {
        let wrapper = "site.ycsb.DBException";
        for (cause, expected) in [
            ("java.net.ConnectException", ErrorClass::Unavailable),
            ("java.net.SocketTimeoutException", ErrorClass::Timeout),
            ("java.lang.SecurityException", ErrorClass::Auth),
        ] {
            assert_eq!(starting(&failure(&[wrapper, cause]), "a.B").class, expected);
        }
        assert_eq!(starting(&failure(&[wrapper]), "a.B").class, ErrorClass::Rejected);
        assert_eq!(
            thrown(&failure(&["java.lang.NullPointerException"]), "a.B").class,
            ErrorClass::Bug
        );
        let error = starting(&failure(&["java.lang.NoClassDefFoundError"]), "a.B");
        assert!(error.message.contains("class_path"), "{error}");
    }
}
