//! Redis's errors, by class. Codes: redis.io's protocol page and the server's sources.

use dbdyno_driver::{DbError, ErrorClass};
use redis::{ErrorKind, RedisError, ServerErrorKind};

/// The class of an error of the library, with the server's address in its words.
pub(crate) fn classified(error: RedisError, hosts: &str) -> DbError {
    let class = class_of(&error);
    let advice = match class {
        ErrorClass::Auth => "; check user and password (password_file, password_env)",
        ErrorClass::Overloaded => {
            "; the server's maxmemory or maxclients is reached, or it runs a long script"
        }
        _ => "",
    };
    // The library's words name no password; its detail is the server's own text.
    let words = match error.detail() {
        Some(detail) if !error.is_io_error() => format!(
            "Redis at {hosts}: {} {detail}{advice}",
            error.code().unwrap_or_default()
        ),
        _ => format!("Redis at {hosts}: {error}{advice}"),
    };
    DbError::new(class, words).with_source(error)
}

fn class_of(error: &RedisError) -> ErrorClass {
    if error.is_timeout() {
        return ErrorClass::Timeout;
    }
    if error.is_io_error() || error.is_connection_dropped() || error.is_connection_refusal() {
        return ErrorClass::Unavailable;
    }
    match (error.kind(), error.code()) {
        (ErrorKind::AuthenticationFailed, _) | (_, Some("NOAUTH" | "WRONGPASS" | "NOPERM")) => {
            ErrorClass::Auth
        }
        (_, Some("OOM" | "BUSY")) => ErrorClass::Overloaded,
        // A server that starts reads its data first; one that becomes a replica ends waits for replicas.
        (_, Some("LOADING" | "CLUSTERDOWN" | "MASTERDOWN" | "TRYAGAIN" | "UNBLOCKED")) => {
            ErrorClass::Unavailable
        }
        (_, Some("READONLY" | "NOREPLICAS" | "MISCONF" | "WRONGTYPE" | "MOVED" | "ASK" | "CROSSSLOT")) => {
            ErrorClass::Rejected
        }
        (ErrorKind::Server(kind), _) => match kind {
            ServerErrorKind::BusyLoading
            | ServerErrorKind::ClusterDown
            | ServerErrorKind::MasterDown
            | ServerErrorKind::TryAgain => ErrorClass::Unavailable,
            ServerErrorKind::NoPerm => ErrorClass::Auth,
            _ if error
                .detail()
                .is_some_and(|detail| detail.contains("max number of clients")) =>
            {
                ErrorClass::Overloaded
            }
            _ => ErrorClass::Rejected,
        },
        (ErrorKind::ClusterConnectionNotFound, _) => ErrorClass::Unavailable,
        (ErrorKind::InvalidClientConfig | ErrorKind::Extension, _) => ErrorClass::Rejected,
        _ => ErrorClass::Bug,
    }
}

/// An answer of another shape than the protocol's documentation gives.
pub(crate) fn unexpected(what: &str, hosts: &str) -> DbError {
    DbError::new(
        ErrorClass::Bug,
        format!("Redis at {hosts} gave an unexpected answer to {what}"),
    )
}
