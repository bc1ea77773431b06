//! `dbdyno run` and `dbdyno load`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use dbdyno_driver::{Consistency, Durability};
use dbdyno_workload::arrivals::Arrivals;

use super::{AgentsArguments, InstallArguments, quantities};
use crate::defaults;

/// Options of all commands that measure one system.
#[derive(Clone, Debug, Args)]
pub struct WorkArguments {
    /// System to measure, e.g. redb (a temporary database), `redb:data.redb?cache=64M` (path and options),
    /// redis://HOST (a server), lab:redis (a server started for this run); see `dbdyno databases`
    #[arg(value_name = "SYSTEM")]
    pub system: String,

    /// Built-in workload (a to f, abramova-g, abramova-h, altoros-g) or YCSB property file
    #[arg(
        long,
        short,
        value_name = "NAME|FILE",
        default_value = "a",
        help_heading = "Workload"
    )]
    pub workload: String,

    /// Set a property of YCSB's CoreWorkload; may be repeated, overrides files
    #[arg(
        long = "property",
        short = 'p',
        value_name = "KEY=VALUE",
        help_heading = "Workload"
    )]
    pub properties: Vec<String>,

    /// Read more properties from a file; may be repeated, later files override earlier ones
    #[arg(
        long = "property-file",
        short = 'P',
        value_name = "FILE",
        help_heading = "Workload"
    )]
    pub property_files: Vec<PathBuf>,

    /// Number of records in the table (recordcount), e.g. 1M [default: from the workload file; 100k for built-in workloads]
    #[arg(long, alias = "recordcount", value_name = "N", value_parser = quantities::count, help_heading = "Workload")]
    pub records: Option<u64>,

    /// Random seed; the same seed gives the same operations, keys and values
    #[arg(long, value_name = "N", default_value_t = defaults::SEED, help_heading = "Workload")]
    pub seed: u64,

    /// Number of threads that run the clients of a server; use fewer than the number of CPUs to leave the others to a
    /// server on this machine [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = quantities::clients, help_heading = "Load")]
    pub client_threads: Option<u32>,

    /// Failures that an acknowledged write must survive: none, buffered (a crash of the process) or synced (a crash of
    /// the machine) [default: buffered, if the system offers it]
    #[arg(long, value_name = "LEVEL", value_parser = durability(), hide_possible_values = true, help_heading = "System")]
    pub durability: Option<Durability>,

    /// Replicas that acknowledge a write and answer a read: one, quorum or all [default: quorum, if the system offers it]
    #[arg(long, value_name = "LEVEL", value_parser = consistency(), hide_possible_values = true, help_heading = "System")]
    pub consistency: Option<Consistency>,

    /// Drop the table and load it again
    #[arg(long, help_heading = "System")]
    pub fresh: bool,

    /// Who sends the load.
    #[command(flatten)]
    pub agents: AgentsArguments,

    /// What the lab may install.
    #[command(flatten)]
    pub install: InstallArguments,

    /// Result folder: new or empty; a comparison that was interrupted resumes in its own
    /// [default: results/<time>-<system>-<workload>]
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,
}

/// Further options of both `run` and `load`.
#[derive(Clone, Debug, Args)]
pub struct OnceArguments {
    /// Number of clients, each with one request in flight [default: the file's threadcount, else 4]
    #[arg(long, short, alias = "threads", value_name = "N", value_parser = quantities::clients, help_heading = "Load")]
    pub clients: Option<u32>,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table, help_heading = "Output")]
    pub format: Format,

    /// Exit with code 3 unless this holds, e.g. 'p99(read)<5ms', 'throughput>10k', 'errors<0.1%'; may be repeated
    #[arg(long = "expect", value_name = "EXPECTATION", help_heading = "Output")]
    pub expectations: Vec<String>,

    /// Also write the expectations, with the measured values, to this file as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit: Option<PathBuf>,
}

/// `dbdyno run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArguments {
    /// The system and its workload.
    #[command(flatten)]
    pub work: WorkArguments,

    /// Further systems: all are compared, in random order, with a report
    #[arg(value_name = "SYSTEM")]
    pub others: Vec<String>,

    /// Trials of each system, in random order, with intervals and a report [default: 1; for several systems, 6]
    #[arg(long, alias = "trials", value_name = "N", value_parser = quantities::trials, help_heading = "Load")]
    pub runs: Option<u32>,

    /// Clients and output.
    #[command(flatten)]
    pub once: OnceArguments,

    /// Number of operations to measure (operationcount), e.g. 5M
    #[arg(long, alias = "operationcount", value_name = "N", value_parser = quantities::count, help_heading = "Load")]
    pub operations: Option<u64>,

    /// Length of the measured phase, e.g. 90s or 5m; with --operations, whichever ends first [default: 5s, without
    /// --operations]
    #[arg(long, short, value_name = "TIME", value_parser = quantities::positive_duration, help_heading = "Load")]
    pub duration: Option<Duration>,

    /// Operations per second over all clients, e.g. 20k: an open loop, where latency counts from the intended start
    /// [default: unlimited, a closed loop]
    #[arg(long, short, alias = "target", value_name = "N", value_parser = quantities::rate, help_heading = "Load")]
    pub rate: Option<f64>,

    /// Spacing of arrivals with --rate: constant or poisson [default: constant]
    #[arg(long, value_name = "NAME", value_parser = parse_arrivals, requires = "rate", help_heading = "Load")]
    pub arrivals: Option<Arrivals>,

    /// Length of the warm-up; `auto` lasts until throughput is steady [default: auto for servers, else 1s]
    #[arg(long, value_name = "TIME", value_parser = quantities::warmup, help_heading = "Load")]
    pub warmup: Option<quantities::WarmUp>,

    /// Show the run in a browser, as `dbdyno serve` does, until it ends
    #[arg(
        long,
        value_name = "IP:PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = super::serve::ADDRESS,
        value_parser = super::serve::address,
        help_heading = "Output"
    )]
    pub serve: Option<SocketAddr>,
}

/// `dbdyno load`.
#[derive(Clone, Debug, Args)]
#[command(after_help = LOAD_EXAMPLES)]
pub struct LoadArguments {
    /// The system and its workload.
    #[command(flatten)]
    pub work: WorkArguments,

    /// Clients and output.
    #[command(flatten)]
    pub once: OnceArguments,
}

/// Output format of a single result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// The whole result as one JSON document
    Json,
    /// One row per metric
    Csv,
    /// YCSB's text, for scripts that parse it
    Ycsb,
}

/// The levels by name, which shells complete.
fn durability() -> impl TypedValueParser<Value = Durability> {
    PossibleValuesParser::new(Durability::ALL.map(Durability::name))
        .try_map(|name| name.parse::<Durability>())
}

/// The levels by name, which shells complete.
fn consistency() -> impl TypedValueParser<Value = Consistency> {
    PossibleValuesParser::new(Consistency::ALL.map(Consistency::name))
        .try_map(|name| name.parse::<Consistency>())
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
  dbdyno run redb fjall sqlite --runs 6             compare three systems
  dbdyno run null -w a --records 1M --operations 50M --clients 1 --format ycsb

A run loads the table first, unless the table already contains what the workload needs. dbdyno
records the table's contents in the database, so you can repeat a command without loading again.";

const LOAD_EXAMPLES: &str = "\
Examples:
  dbdyno load redb:data.redb --workload a --records 10M
  dbdyno run redb:data.redb --workload a --records 10M        uses the loaded table";
