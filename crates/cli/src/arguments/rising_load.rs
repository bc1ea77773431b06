//! `dbdyno capacity` and `dbdyno sweep`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use dbdyno_files::Scalar;
use dbdyno_files::values::Step;
use dbdyno_stats::capacity;
use dbdyno_workload::arrivals::Arrivals;

use super::quantities;
use super::run::{WorkArguments, parse_arrivals};

/// Options of both commands: each trial, and the output.
#[derive(Clone, Debug, Args)]
pub struct RisingLoadArguments {
    /// Length of each trial's measured phase, e.g. 30s [default: 10s, without --operations]
    #[arg(long, short, value_name = "TIME", value_parser = quantities::positive_duration, help_heading = "Load")]
    pub duration: Option<Duration>,

    /// Number of operations per trial
    #[arg(long, value_name = "N", value_parser = quantities::count, help_heading = "Load")]
    pub operations: Option<u64>,

    /// Length of each trial's warm-up; `auto` lasts until throughput is steady [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = quantities::warmup, help_heading = "Load")]
    pub warmup: Option<quantities::WarmUp>,

    /// Spacing of arrivals: constant or poisson [default: constant]
    #[arg(long, value_name = "NAME", value_parser = parse_arrivals, help_heading = "Load")]
    pub arrivals: Option<Arrivals>,

    /// Trials per confirmed rate or step; fewer than six give no interval
    #[arg(long, value_name = "N", value_parser = quantities::trials, default_value_t = capacity::TRIALS, help_heading = "Load")]
    pub trials: u32,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = RisingLoadFormat::Table, help_heading = "Output")]
    pub format: RisingLoadFormat,
}

/// `dbdyno capacity`.
#[derive(Clone, Debug, Args)]
#[command(after_help = CAPACITY_EXAMPLES)]
pub struct CapacityArguments {
    /// The system and its workload.
    #[command(flatten)]
    pub work: WorkArguments,

    /// Objective on response time, e.g. 'p99(read)<10ms'; may be repeated, and all must hold
    #[arg(long, value_name = "EXPECTATION", required = true, help_heading = "Load")]
    pub slo: Vec<String>,

    /// Relative step between tested rates
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = step, help_heading = "Load")]
    pub step: Step,

    /// Number of clients, each with one request in flight [default: found by a pilot]
    #[arg(long, short, value_name = "N", value_parser = quantities::clients, help_heading = "Load")]
    pub clients: Option<u32>,

    /// Each trial, and the output.
    #[command(flatten)]
    pub rising_load: RisingLoadArguments,

    /// Exit with code 3 unless this is shown, e.g. 'capacity>40k'; may be repeated
    #[arg(long = "expect", value_name = "EXPECTATION", help_heading = "Output")]
    pub expectations: Vec<String>,

    /// Also write the expectations, with the capacity, to this file as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit: Option<PathBuf>,
}

/// `dbdyno sweep`.
#[derive(Clone, Debug, Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub struct SweepArguments {
    /// The system and its workload.
    #[command(flatten)]
    pub work: WorkArguments,

    /// Rates to measure, in operations per second, e.g. 1k,2k,5k [default: tenths of the closed-loop throughput]
    #[arg(long, value_name = "N,N...", value_delimiter = ',', value_parser = quantities::rate, help_heading = "Load")]
    pub rates: Vec<f64>,

    /// Number of clients; several numbers, e.g. 1,2,4,8, are the steps of a closed loop [default: found by a pilot]
    #[arg(long, short, value_name = "N,N...", value_delimiter = ',', value_parser = quantities::clients, help_heading = "Load")]
    pub clients: Vec<u32>,

    /// Objective to check at every step, e.g. 'p99(read)<10ms'; may be repeated
    #[arg(long, value_name = "EXPECTATION", help_heading = "Load")]
    pub slo: Vec<String>,

    /// Each trial, and the output.
    #[command(flatten)]
    pub rising_load: RisingLoadArguments,
}

/// Output format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RisingLoadFormat {
    /// For people
    Table,
    /// For programs
    Json,
    /// For an issue or a summary page
    Markdown,
}

/// Checked here as in a study file, so that the flag is named.
fn step(text: &str) -> Result<Step, String> {
    Step::read(text).map_err(|_| "write a percentage from 1% to 50%, e.g. 5%".to_owned())
}

const CAPACITY_EXAMPLES: &str = "\
Examples:
  dbdyno capacity redb --slo 'p99(read)<1ms'
  dbdyno capacity cassandra://host --slo 'p99(read)<10ms' --slo 'p99(update)<20ms' --duration 60s
  dbdyno capacity redis://host --slo 'p99<2ms' --expect 'capacity>40k'

A closed-loop pilot gives a first guess, a search narrows it down, and repeated trials on both
sides of the limit give the interval. To resume a stopped search, pass its --output again.
See docs/capacity.md.";

const SWEEP_EXAMPLES: &str = "\
Examples:
  dbdyno sweep redb
  dbdyno sweep cassandra://host --rates 1k,2k,5k,10k --slo 'p99(read)<10ms'
  dbdyno sweep redis://host --clients 1,2,4,8,16,32

Each block measures every step once, in random order. The knee is the step with the highest ratio
of throughput to p99 latency. report.html draws the curve.";
