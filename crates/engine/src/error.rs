//! Why a trial could not run. The engine names no flag and no key: a cause says which part of the plan it is about, and
//! whoever made the plan knows what mends it.

use std::fmt;

use dbdyno_driver::{DbError, ErrorClass};
use dbdyno_workload::{MOST_CLIENTS, WorkloadError};
use serde::{Deserialize, Serialize};

use crate::ensemble::Disbanded;

/// Why a trial could not run. Errors of single operations are no reason: they are counted.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The plan cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// No driver of this program serves the address; whoever looked for one says why.
    #[error("{0}")]
    NoDriver(String),
    /// The database could not be reached, or not by all clients.
    #[error("could not connect to {system}: {error}")]
    Connect {
        /// The address, without secrets.
        system: String,
        /// The driver's error.
        #[source]
        error: DbError,
    },
    /// A call around the operations (create or drop a table, flush, facts, manifest) failed.
    #[error("{system}: could not {what}: {error}")]
    Database {
        /// The address, without secrets.
        system: String,
        /// The call that failed, as in "could not ...".
        what: &'static str,
        /// The driver's error.
        #[source]
        error: DbError,
    },
    /// The table holds data of another shape.
    #[error(
        "table `{table}` of {system} was loaded with {property}={found}, and this workload has {property}={wanted}"
    )]
    Shape {
        /// The address, without secrets.
        system: String,
        /// The table.
        table: String,
        /// The first property that differs.
        property: String,
        /// Its value when the table was loaded.
        found: String,
        /// Its value in this workload.
        wanted: String,
    },
    /// The table does not hold what the run needs, or holds what nobody knows.
    #[error("table `{table}` of {system} {fault}")]
    Table {
        /// The address, without secrets.
        system: String,
        /// The table.
        table: String,
        /// Why it cannot be used.
        fault: TableFault,
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
    #[error("the operating system refused {what}: {error}")]
    System {
        /// The thing that was asked of it.
        what: &'static str,
        /// Its answer.
        #[source]
        error: std::io::Error,
    },
    /// Other load generators of the trial are gone, or could not go on.
    #[error("the load generators stopped: {0}")]
    Disbanded(#[from] Disbanded),
    /// Too few load generators are there for the trial to begin.
    #[error("{0}")]
    NoGenerators(String),
    /// A load generator beside this process could not carry out its share.
    #[error("load generator {generator}: {message}")]
    Generator {
        /// Its name.
        generator: String,
        /// The kind of its failure.
        class: EngineErrorClass,
        /// Its error, in words.
        message: String,
    },
    /// A client ended by itself: a bug.
    #[error("a client stopped unexpectedly: {0}; this is a bug in dbdyno or the driver")]
    Client(String),
}

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It has no clients.
    #[error("a trial needs at least one client")]
    NoClients,
    /// It has more than [`MOST_CLIENTS`].
    #[error("a trial has at most {} clients", MOST_CLIENTS)]
    TooManyClients,
    /// Its rate is no number above 0.
    #[error("the rate must be above 0 operations per second")]
    NoRate,
    /// Its limit has neither operations nor a duration.
    #[error("the measured phase has no end")]
    NoEnd,
    /// It drops the table, and loads none.
    #[error("a run without a load cannot start from a fresh table")]
    FreshWithoutLoad,
    /// All operations were due in the warm-up.
    #[error("no operation is due in the measured phase")]
    NothingDue,
    /// It needs more memory than there is.
    #[error("this needs {needed} of memory for {of}, and {available} are available")]
    Memory {
        /// The part that needs the most of it.
        of: MemoryUse,
        /// By all of the trial.
        needed: MemorySize,
        /// To this process.
        available: MemorySize,
    },
    /// Its workload contradicts itself.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

/// The part of a trial that needs the most memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    /// The table, which the driver holds in this process.
    Records {
        /// How many.
        records: u64,
        /// The mean record.
        each: MemorySize,
        /// The driver's name.
        driver: &'static str,
    },
    /// The buffers that clients write from and read into.
    Buffers {
        /// How many clients.
        clients: u32,
        /// Each client.
        each: MemorySize,
    },
}

impl fmt::Display for MemoryUse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Records {
                records,
                each,
                driver,
            } => write!(formatter, "{records} records of about {each} in `{driver}`"),
            Self::Buffers { clients, each } => {
                write!(formatter, "{clients} clients with {each} of buffers each")
            }
        }
    }
}

/// So many bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySize(pub u64);

impl fmt::Display for MemorySize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0;
        match bytes {
            0..10_000 => write!(formatter, "{bytes} bytes"),
            10_000..10_000_000 => write!(formatter, "{} KB", bytes / 1000),
            10_000_000..10_000_000_000 => write!(formatter, "{} MB", bytes / 1_000_000),
            _ => write!(formatter, "{} GB", bytes / 1_000_000_000),
        }
    }
}

/// Why a table cannot be used by a trial; it follows the table's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableFault {
    /// Another version wrote its manifest, or it is damaged.
    #[error("has a manifest that this version cannot read ({0})")]
    UnreadableManifest(String),
    /// Its load did not end.
    #[error("was not loaded completely")]
    HalfLoaded,
    /// An earlier run deleted records.
    #[error("was left with holes by a run that deletes")]
    Holes,
    /// A record that must be there is not.
    #[error("lacks records that its manifest promises (its {end} of {records} records)")]
    Lacking {
        /// Which one.
        end: TableEnd,
        /// How many the manifest promises.
        records: u64,
    },
    /// It holds nothing.
    #[error("is empty")]
    Empty,
    /// It has no manifest, and fewer records than this.
    #[error("does not hold the {0} records this workload runs on")]
    TooFew(u64),
    /// It has no manifest, and would be loaded.
    #[error("holds records that dbdyno did not load")]
    Foreign,
}

/// The first or the last record of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableEnd {
    /// The first.
    First,
    /// The last.
    Last,
}

impl fmt::Display for TableEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::First => "first",
            Self::Last => "last",
        })
    }
}

/// What kind of failure it is: exit codes depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineErrorClass {
    /// What was asked cannot be done as asked: bad plan, data of another shape, more than the machine gives.
    Input,
    /// The database could not be reached or refused the login.
    Unreachable,
    /// The database failed around the operations.
    Database,
    /// A load generator is gone: the database has nothing to do with it.
    Generators,
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
            Self::Plan(_)
            | Self::NoDriver(_)
            | Self::Shape { .. }
            | Self::Table { .. }
            | Self::System { .. } => EngineErrorClass::Input,
            Self::Connect { error, .. } if error.class == ErrorClass::Rejected => EngineErrorClass::Input,
            Self::Connect { .. } => EngineErrorClass::Unreachable,
            Self::Database { .. } | Self::Load { .. } => EngineErrorClass::Database,
            Self::Disbanded(_) | Self::NoGenerators(_) => EngineErrorClass::Generators,
            Self::Generator { class, .. } => *class,
            Self::Client(_) => EngineErrorClass::Internal,
        }
    }
}
