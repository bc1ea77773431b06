//! Why a trial could not be carried out.

use dbdyno_driver::{DbError, ErrorClass};

/// Why a trial could not be carried out. Errors of single operations are no reason: they are counted.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The plan contradicts itself.
    #[error("{0}")]
    Plan(String),
    /// The database could not be reached, or not by all clients.
    #[error("could not connect to {system}: {error}")]
    Connect {
        /// The address, without secrets.
        system: String,
        /// What the driver said.
        #[source]
        error: DbError,
    },
    /// A call around the operations (create or drop a table, flush, facts, manifest) failed.
    #[error("{system}: could not {what}: {error}")]
    Database {
        /// The address, without secrets.
        system: String,
        /// What was tried.
        what: &'static str,
        /// What the driver said.
        #[source]
        error: DbError,
    },
    /// The table holds data of another shape.
    #[error(
        "table `{table}` of {system} was loaded with {property}={found}, and this workload has {property}={wanted}; \
         give --fresh to drop the table and load it anew, or -p {property}={found} to use what is there"
    )]
    Shape {
        /// The address, without secrets.
        system: String,
        /// The table.
        table: String,
        /// The first property that differs.
        property: String,
        /// What the table was loaded with.
        found: String,
        /// What is asked for.
        wanted: String,
    },
    /// The table does not hold what the run needs, or holds what nobody knows.
    #[error("table `{table}` of {system} {reason}")]
    Table {
        /// The address, without secrets.
        system: String,
        /// The table.
        table: String,
        /// What is wrong and what mends it.
        reason: String,
    },
    /// Too many inserts failed for a run on the table.
    #[error("the load of {system} failed: {failed} of {records} inserts did not succeed ({sample})")]
    Load {
        /// The address, without secrets.
        system: String,
        /// Inserts that failed.
        failed: u64,
        /// Records asked for.
        records: u64,
        /// The first error.
        sample: String,
    },
    /// The system refused a thread, a timer or the like.
    #[error(
        "the operating system refused {what}: {error}; ask for fewer --clients, or raise its limits (`ulimit -n`, `ulimit -u`)"
    )]
    System {
        /// What was asked of it.
        what: &'static str,
        /// Its answer.
        #[source]
        error: std::io::Error,
    },
    /// A client ended by itself: a bug.
    #[error("a client stopped unexpectedly: {0}; this is a bug in dbdyno or the driver")]
    Client(String),
}

/// What kind of failure it is: exit codes depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineErrorClass {
    /// What was asked cannot be done as asked: bad plan, data of another shape, more than the machine gives.
    Input,
    /// The database could not be reached or refused the login.
    Unreachable,
    /// The database failed around the operations.
    Database,
    /// A bug.
    Internal,
}

impl EngineError {
    /// Threads that carry clients lack what they need.
    pub(crate) fn refused_clients(error: std::io::Error) -> Self {
        Self::System {
            what: "what a thread for clients needs",
            error,
        }
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn class(&self) -> EngineErrorClass {
        match self {
            Self::Plan(_) | Self::Shape { .. } | Self::Table { .. } | Self::System { .. } => {
                EngineErrorClass::Input
            }
            Self::Connect { error, .. } if error.class == ErrorClass::Rejected => EngineErrorClass::Input,
            Self::Connect { .. } => EngineErrorClass::Unreachable,
            Self::Database { .. } | Self::Load { .. } => EngineErrorClass::Database,
            Self::Client(_) => EngineErrorClass::Internal,
        }
    }
}
