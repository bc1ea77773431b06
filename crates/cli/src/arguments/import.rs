//! `dbdyno import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::quantities;

/// `dbdyno import`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ImportArguments {
    /// Logs of YCSB or go-ycsb, or folders of them; SYSTEM=FILE and SYSTEM/WORKLOAD=FILE say of what they are
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// The system of files that name none
    #[arg(long, value_name = "NAME")]
    pub system: Option<String>,
    /// The workload of files that name none [default: the property file on the log's command line]
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,
    /// Clients [default: what the log says]
    #[arg(long, value_name = "N", value_parser = quantities::clients_elsewhere)]
    pub clients: Option<u32>,
    /// Records in the table [default: what the log says]
    #[arg(long, value_name = "N", value_parser = quantities::count)]
    pub records: Option<u64>,
    /// What an acknowledged write survived [default: not stated]
    #[arg(long, value_name = "LEVEL")]
    pub durability: Option<ImportedDurability>,
    /// How many replicas took part [default: not stated]
    #[arg(long, value_name = "LEVEL")]
    pub consistency: Option<ImportedConsistency>,
    /// The result folder, which must be new [default: results/imported]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// What an acknowledged write survived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportedDurability {
    /// Nothing
    None,
    /// The end of the process
    Buffered,
    /// The end of the machine
    Synced,
}

impl ImportedDurability {
    /// As it stands in a record.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Buffered => "buffered",
            Self::Synced => "synced",
        }
    }
}

/// How many replicas took part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportedConsistency {
    /// There is one copy, and no choice
    Single,
    /// One of several
    One,
    /// More than half
    Quorum,
    /// All
    All,
}

impl ImportedConsistency {
    /// As it stands in a record.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "",
            Self::One => "one",
            Self::Quorum => "quorum",
            Self::All => "all",
        }
    }
}

const HELP: &str = "\
Examples:
  dbdyno import mongodb=m1.log mongodb=m2.log cassandra=c1.log cassandra=c2.log --workload a
  dbdyno import --system mongodb old/*.log --durability buffered --consistency single --output results/old
  dbdyno report results/old

Several files of one system and workload are trials of one cell. What a log does not state stays unknown:
reports say so, and systems whose promises are not stated are not ranked.";
