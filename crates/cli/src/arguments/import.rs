//! `dbdyno import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use dbdyno_record::Fact;
use dbdyno_trial::{Consistency, Durability};

use super::quantities;

/// `dbdyno import`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ImportArguments {
    /// Logs of YCSB or go-ycsb, or folders of them; SYSTEM=FILE and SYSTEM/WORKLOAD=FILE name the system and workload
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// System of files that do not name one
    #[arg(long, value_name = "NAME")]
    pub system: Option<String>,
    /// Workload of files that do not name one [default: the property file on the log's command line]
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,
    /// Number of clients [default: from the log]
    #[arg(long, value_name = "N", value_parser = quantities::clients_elsewhere)]
    pub clients: Option<u32>,
    /// Number of records in the table [default: from the log]
    #[arg(long, value_name = "N", value_parser = quantities::count)]
    pub records: Option<u64>,
    /// Failures that an acknowledged write survived [default: not stated]
    #[arg(long, value_name = "LEVEL")]
    pub durability: Option<ImportedDurability>,
    /// Replicas that took part in each operation [default: not stated]
    #[arg(long, value_name = "LEVEL")]
    pub consistency: Option<ImportedConsistency>,
    /// Result folder, which must be new [default: results/imported]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Failures that an acknowledged write survived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportedDurability {
    /// No failure
    None,
    /// A crash of the database process
    Buffered,
    /// A crash of the machine
    Synced,
}

impl ImportedDurability {
    /// As a record keeps it.
    pub const fn recorded(self) -> Durability {
        match self {
            Self::None => Durability::None,
            Self::Buffered => Durability::Buffered,
            Self::Synced => Durability::Synced,
        }
    }
}

/// Replicas that took part in each operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportedConsistency {
    /// The system keeps a single copy
    Single,
    /// One replica of several
    One,
    /// A majority of the replicas
    Quorum,
    /// All replicas
    All,
}

impl ImportedConsistency {
    /// As a record keeps it.
    pub const fn recorded(self) -> Fact<Consistency> {
        match self {
            Self::Single => Fact::Absent,
            Self::One => Fact::Known(Consistency::One),
            Self::Quorum => Fact::Known(Consistency::Quorum),
            Self::All => Fact::Known(Consistency::All),
        }
    }
}

const HELP: &str = "\
Examples:
  dbdyno import mongodb=m1.log mongodb=m2.log cassandra=c1.log cassandra=c2.log --workload a
  dbdyno import --system mongodb old/*.log --durability buffered --consistency single --output results/old
  dbdyno report results/old

Several files of one system and workload are trials of one cell. Anything that a log does not state
stays unknown. Systems whose guarantees are unknown are not ranked.";
