//! How a database fails: a class to count by, whether trying again may help, and words for people.

use std::fmt;

use crate::secrets::echoes;

/// The kind of failure that results count apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ErrorClass {
    /// No answer in time: the operation may or may not have taken effect.
    Timeout,
    /// The database, or enough of its replicas, could not be reached.
    Unavailable,
    /// The database refused because it has too much to do.
    Overloaded,
    /// The database understood and refused: a bad request, a read-only node, something it cannot do.
    Rejected,
    /// Login or permission.
    Auth,
    /// The table or other object (not a record of a read) does not exist.
    NotFound,
    /// Another write was in the way: duplicate key, failed transaction.
    Conflict,
    /// Anything else: a bug of the driver, of its library or of the database.
    Bug,
}

impl ErrorClass {
    /// Every class, in order; `class as usize` is its index here.
    pub const ALL: [Self; 8] = [
        Self::Timeout,
        Self::Unavailable,
        Self::Overloaded,
        Self::Rejected,
        Self::Auth,
        Self::NotFound,
        Self::Conflict,
        Self::Bug,
    ];

    /// The name in files and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::Overloaded => "overloaded",
            Self::Rejected => "rejected",
            Self::Auth => "auth",
            Self::NotFound => "not-found",
            Self::Conflict => "conflict",
            Self::Bug => "bug",
        }
    }
}

/// Whether the same call may succeed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// It may.
    Temporary,
    /// It will not without a change.
    Permanent,
}

/// One failure of a database.
#[derive(Debug, thiserror::Error)]
pub struct DbError {
    /// What results count it as.
    pub class: ErrorClass,
    /// Whether trying again may help.
    pub retry: Retry,
    /// One clear sentence: what, where, why and, when known, what mends it. No secrets.
    pub message: String,
    /// The client library's own error.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl DbError {
    /// An error of this class. Timeout, unavailable, overloaded and conflict are temporary unless
    /// [`permanent`](Self::permanent) says otherwise.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        let retry = match class {
            ErrorClass::Timeout | ErrorClass::Unavailable | ErrorClass::Overloaded | ErrorClass::Conflict => {
                Retry::Temporary
            }
            ErrorClass::Rejected | ErrorClass::Auth | ErrorClass::NotFound | ErrorClass::Bug => {
                Retry::Permanent
            }
        };
        Self {
            class,
            retry,
            message: echoes::without_known(message.into()),
            source: None,
        }
    }

    /// Adds its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Makes it an error of connecting to a server. A server that answers with a refusal before anything was asked of it
    /// cannot be reached, and the command line is not at fault. What a driver refuses by itself has no source and stays as
    /// it is.
    #[must_use]
    pub fn of_connecting(mut self) -> Self {
        if self.class == ErrorClass::Rejected && self.source.is_some() {
            self.class = ErrorClass::Unavailable;
            self.retry = Retry::Permanent;
        }
        self
    }

    /// Marks it as not worth a retry.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.retry = Retry::Permanent;
        self
    }
}

impl fmt::Display for DbError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.class.name(), self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_refusal_of_a_connection_is_no_mistake_of_the_command_line() {
        let refusal = DbError::new(ErrorClass::Rejected, "ERR go away");
        assert_eq!(refusal.of_connecting().class, ErrorClass::Rejected);
        let refusal = DbError::new(ErrorClass::Rejected, "ERR go away").with_source("of the server");
        let refusal = refusal.of_connecting();
        assert_eq!(
            (refusal.class, refusal.retry),
            (ErrorClass::Unavailable, Retry::Permanent)
        );
        let login = DbError::new(ErrorClass::Auth, "NOAUTH").with_source("of the server");
        assert_eq!(login.of_connecting().class, ErrorClass::Auth);
    }
}
