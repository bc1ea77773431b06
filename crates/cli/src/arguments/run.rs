//! `dbdyno run` and `dbdyno load`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use dbdyno_driver::{Consistency, Durability};
use dbdyno_workload::arrivals::Arrivals;

use super::quantities;
use crate::defaults;

/// What all commands share that measure one system.
#[derive(Clone, Debug, Args)]
pub struct WorkArguments {
    /// The system: null, memory, fjall[:DIR], redb[:FILE], sqlite[:FILE] (without a path: a temporary one),
    /// options after `?`, e.g. `redb:data.redb?cache=64M`; see `dbdyno databases`
    #[arg(value_name = "SYSTEM")]
    pub system: String,

    /// A built-in workload (a to f, abramova-g, abramova-h, altoros-g) or a YCSB property file
    #[arg(
        long,
        short,
        value_name = "NAME|FILE",
        default_value = "a",
        help_heading = "Workload"
    )]
    pub workload: String,

    /// Set one property of YCSB's CoreWorkload; may be repeated, wins over files
    #[arg(
        long = "property",
        short = 'p',
        value_name = "KEY=VALUE",
        help_heading = "Workload"
    )]
    pub properties: Vec<String>,

    /// Read properties from a file after the workload's own; may be repeated, later files win
    #[arg(
        long = "property-file",
        short = 'P',
        value_name = "FILE",
        help_heading = "Workload"
    )]
    pub property_files: Vec<PathBuf>,

    /// Records in the table (recordcount), e.g. 1M [default: the workload file's; 100k for built-in workloads]
    #[arg(long, value_name = "N", value_parser = quantities::count, help_heading = "Workload")]
    pub records: Option<u64>,

    /// Everything random follows from it: the same seed gives the same operations, keys and values
    #[arg(long, value_name = "N", default_value_t = defaults::SEED, help_heading = "Workload")]
    pub seed: u64,

    /// Threads that carry the clients of a server; with fewer than processors the rest is the server's [default: one per
    /// processor]
    #[arg(long, value_name = "N", value_parser = quantities::clients, help_heading = "Load")]
    pub client_threads: Option<u32>,

    /// What an acknowledged write must survive [default: buffered, where the system has it]
    #[arg(long, value_name = "LEVEL", value_parser = parse_durability, help_heading = "System")]
    pub durability: Option<Durability>,

    /// How many replicas acknowledge a write and are asked for a read [default: quorum, where the system has it]
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency, help_heading = "System")]
    pub consistency: Option<Consistency>,

    /// Drop the table and load it again, whatever it holds
    #[arg(long, help_heading = "System")]
    pub fresh: bool,

    /// Folder for the record, a new or empty one [default: results/<time>-<system>-<workload>]
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,
}

/// What `run` and `load` share besides.
#[derive(Clone, Debug, Args)]
pub struct OnceArguments {
    /// Clients, each with one operation in flight [default: the file's threadcount, else 4]
    #[arg(long, short, value_name = "N", value_parser = quantities::clients, help_heading = "Load")]
    pub clients: Option<u32>,

    /// How the result is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table, help_heading = "Output")]
    pub format: Format,

    /// Fail with exit code 3 unless this holds, e.g. 'p99(read)<5ms', 'throughput>10k', 'errors<0.1%'; may be
    /// repeated
    #[arg(long = "expect", value_name = "EXPECTATION", help_heading = "Output")]
    pub expectations: Vec<String>,
}

/// `dbdyno run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArguments {
    /// What is asked of which system.
    #[command(flatten)]
    pub work: WorkArguments,

    /// Its clients, and how it is told.
    #[command(flatten)]
    pub once: OnceArguments,

    /// End after this many operations (operationcount), e.g. 5M
    #[arg(long, value_name = "N", value_parser = quantities::count, help_heading = "Load")]
    pub operations: Option<u64>,

    /// End after this time, e.g. 90s or 5m; with --operations, whichever comes first [default: 5s, when neither is
    /// given]
    #[arg(long, short, value_name = "TIME", value_parser = quantities::positive_duration, help_heading = "Load")]
    pub duration: Option<Duration>,

    /// Operations per second, all clients together, e.g. 20k: an open loop, in which latency counts from the
    /// intended start [default: as fast as it goes]
    #[arg(long, short, value_name = "N", value_parser = quantities::rate, help_heading = "Load")]
    pub rate: Option<f64>,

    /// How arrivals are spaced, with --rate: constant or poisson [default: constant]
    #[arg(long, value_name = "NAME", value_parser = parse_arrivals, requires = "rate", help_heading = "Load")]
    pub arrivals: Option<Arrivals>,

    /// Run this long before measuring; auto: until the throughput is steady [default: auto for servers, else 1s]
    #[arg(long, value_name = "TIME", value_parser = quantities::warmup, help_heading = "Load")]
    pub warmup: Option<quantities::WarmUp>,
}

/// `dbdyno load`.
#[derive(Clone, Debug, Args)]
#[command(after_help = LOAD_EXAMPLES)]
pub struct LoadArguments {
    /// What is asked of which system.
    #[command(flatten)]
    pub work: WorkArguments,

    /// Its clients, and how it is told.
    #[command(flatten)]
    pub once: OnceArguments,
}

/// How a single result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// The whole result as one JSON document
    Json,
    /// One row per metric
    Csv,
    /// YCSB's own text, for scripts that read it
    Ycsb,
}

fn parse_durability(text: &str) -> Result<Durability, String> {
    text.parse()
}

fn parse_consistency(text: &str) -> Result<Consistency, String> {
    text.parse()
}

pub(super) fn parse_arrivals(text: &str) -> Result<Arrivals, String> {
    text.parse().map_err(|error| format!("{error}"))
}

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno run redb --workload a
  dbdyno run fjall:/data/bench --workload b --records 10M --duration 5m --clients 16
  dbdyno run sqlite -w workloads/workloada -p requestdistribution=latest --operations 1M
  dbdyno run redb -w c --rate 20k --arrivals poisson --expect 'p99(read)<5ms' --expect 'errors<0.1%'
  dbdyno run null -w a --records 1M --operations 50M --clients 1 --format ycsb

A run loads the table first when it does not hold what the workload needs; what it holds is remembered with the
database, so the same command can be repeated.";

const LOAD_EXAMPLES: &str = "\
Examples:
  dbdyno load redb:data.redb --workload a --records 10M
  dbdyno run redb:data.redb --workload a --records 10M        uses what was loaded";
