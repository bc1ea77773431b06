//! MongoDB's errors, by class. Codes: `src/mongo/base/error_codes.yml` of the server.

use dbdyno_driver::{DbError, ErrorClass};
use mongodb::error::{Error, ErrorKind, WriteFailure};

/// The class of an error of the library, with the servers' address in its words.
pub(crate) fn classified(error: Error, hosts: &str) -> DbError {
    let class = class_of(&error);
    let advice = match class {
        ErrorClass::Auth => "; check user, password (password_file, password_env) and authSource",
        _ => "",
    };
    DbError::new(class, format!("MongoDB at {hosts}: {}{advice}", words(&error))).with_source(error)
}

/// The server's sentence, or the library's.
fn words(error: &Error) -> String {
    match error.kind.as_ref() {
        ErrorKind::Command(command) => format!("{} ({})", command.message, command.code_name),
        ErrorKind::Write(WriteFailure::WriteError(write)) => write.message.clone(),
        ErrorKind::Write(WriteFailure::WriteConcernError(concern)) => concern.message.clone(),
        kind => kind.to_string(),
    }
}

fn class_of(error: &Error) -> ErrorClass {
    match error.kind.as_ref() {
        ErrorKind::Authentication { .. } => ErrorClass::Auth,
        ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::TimedOut => ErrorClass::Timeout,
        ErrorKind::Io(_) | ErrorKind::ConnectionPoolCleared { .. } | ErrorKind::ServerSelection { .. } => {
            ErrorClass::Unavailable
        }
        ErrorKind::DnsResolve { .. } => ErrorClass::Unavailable,
        ErrorKind::Command(command) => of_code(command.code),
        ErrorKind::Write(WriteFailure::WriteError(write)) => of_code(write.code),
        ErrorKind::Write(WriteFailure::WriteConcernError(concern)) => of_code(concern.code),
        ErrorKind::InvalidArgument { .. }
        | ErrorKind::InvalidTlsConfig { .. }
        | ErrorKind::IncompatibleServer { .. } => ErrorClass::Rejected,
        _ => ErrorClass::Bug,
    }
}

fn of_code(code: i32) -> ErrorClass {
    match code {
        // AuthenticationFailed, Unauthorized, and Atlas's own.
        18 | 13 | 8000 => ErrorClass::Auth,
        // MaxTimeMSExpired, NetworkTimeout, ExceededTimeLimit, WriteConcernFailed (wtimeout).
        50 | 89 | 262 | 64 => ErrorClass::Timeout,
        // HostUnreachable, HostNotFound, NotWritablePrimary and its kin, shutdown, primary stepped down, unsatisfiable.
        6 | 7 | 10107 | 13435 | 13436 | 10058 | 11600 | 11602 | 91 | 189 | 100 | 133 => {
            ErrorClass::Unavailable
        }
        // NamespaceNotFound.
        26 => ErrorClass::NotFound,
        // DuplicateKey in its three forms, WriteConflict.
        11000 | 11001 | 12582 | 112 => ErrorClass::Conflict,
        // TooManyLocks, ExceededMemoryLimit, OutOfDiskSpace, TemporarilyUnavailable.
        208 | 146 | 14031 | 365 => ErrorClass::Overloaded,
        _ => ErrorClass::Rejected,
    }
}

/// No answer in time.
pub(crate) fn timeout(hosts: &str, timeout: std::time::Duration) -> DbError {
    DbError::new(
        ErrorClass::Timeout,
        format!(
            "MongoDB at {hosts} gave no answer within {timeout:?}; the option `timeout` sets the longest wait"
        ),
    )
}
