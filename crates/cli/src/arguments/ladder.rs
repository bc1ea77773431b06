//! `dbdyno capacity` and `dbdyno sweep`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use dbdyno_stats::capacity;
use dbdyno_workload::arrivals::Arrivals;

use super::quantities;
use super::run::{WorkArguments, parse_arrivals};

/// What both commands share: each trial, and how the result is told.
#[derive(Clone, Debug, Args)]
pub struct LadderArguments {
    /// End each trial after this time, e.g. 30s [default: 10s, when --operations is not given]
    #[arg(long, short, value_name = "TIME", value_parser = quantities::positive_duration, help_heading = "Load")]
    pub duration: Option<Duration>,

    /// End each trial after this many operations
    #[arg(long, value_name = "N", value_parser = quantities::count, help_heading = "Load")]
    pub operations: Option<u64>,

    /// Run this long before measuring, in each trial; auto: until the throughput is steady [default: 2s]
    #[arg(long, value_name = "TIME", value_parser = quantities::warmup, help_heading = "Load")]
    pub warmup: Option<quantities::WarmUp>,

    /// How arrivals are spaced: constant or poisson [default: constant]
    #[arg(long, value_name = "NAME", value_parser = parse_arrivals, help_heading = "Load")]
    pub arrivals: Option<Arrivals>,

    /// Trials of a confirmed rate or of a step; fewer than six give no interval
    #[arg(long, value_name = "N", value_parser = quantities::trials, default_value_t = capacity::TRIALS, help_heading = "Load")]
    pub trials: u32,

    /// How the result is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LadderFormat::Table, help_heading = "Output")]
    pub format: LadderFormat,
}

/// `dbdyno capacity`.
#[derive(Clone, Debug, Args)]
#[command(after_help = CAPACITY_EXAMPLES)]
pub struct CapacityArguments {
    /// What is asked of which system.
    #[command(flatten)]
    pub work: WorkArguments,

    /// What must hold, on response time, e.g. 'p99(read)<10ms'; may be repeated, then all must hold together
    #[arg(long, value_name = "EXPECTATION", required = true, help_heading = "Load")]
    pub slo: Vec<String>,

    /// Distance of two rates that are told apart
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = step, help_heading = "Load")]
    pub step: String,

    /// Clients, each with one operation in flight [default: a pilot finds how many are of use]
    #[arg(long, short, value_name = "N", value_parser = quantities::clients, help_heading = "Load")]
    pub clients: Option<u32>,

    /// Each trial, and how the result is told.
    #[command(flatten)]
    pub ladder: LadderArguments,

    /// Fail with exit code 3 unless this is shown, e.g. 'capacity>40k'; may be repeated
    #[arg(long = "expect", value_name = "EXPECTATION", help_heading = "Output")]
    pub expectations: Vec<String>,
}

/// `dbdyno sweep`.
#[derive(Clone, Debug, Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub struct SweepArguments {
    /// What is asked of which system.
    #[command(flatten)]
    pub work: WorkArguments,

    /// The steps: operations per second, e.g. 1k,2k,5k [default: tenths of what a closed loop reaches]
    #[arg(long, value_name = "N,N...", value_delimiter = ',', value_parser = quantities::rate, help_heading = "Load")]
    pub rates: Vec<f64>,

    /// Clients of all steps; several, e.g. 1,2,4,8, are the steps of a closed loop [default: a pilot finds how many are
    /// of use]
    #[arg(long, short, value_name = "N,N...", value_delimiter = ',', value_parser = quantities::clients, help_heading = "Load")]
    pub clients: Vec<u32>,

    /// An objective to hold every step against, e.g. 'p99(read)<10ms'; may be repeated
    #[arg(long, value_name = "EXPECTATION", help_heading = "Load")]
    pub slo: Vec<String>,

    /// Each trial, and how the result is told.
    #[command(flatten)]
    pub ladder: LadderArguments,
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LadderFormat {
    /// For people
    Table,
    /// For programs
    Json,
    /// For an issue or a summary page
    Markdown,
}

/// Checked here as the study file does, so that the flag is named.
fn step(text: &str) -> Result<String, String> {
    let number = text
        .strip_suffix('%')
        .and_then(|number| number.trim().parse::<f64>().ok());
    match number {
        Some(number) if (1.0..=50.0).contains(&number) => Ok(text.to_owned()),
        _ => Err("write a percentage from 1% to 50%, e.g. 5%".to_owned()),
    }
}

const CAPACITY_EXAMPLES: &str = "\
Examples:
  dbdyno capacity redb --slo 'p99(read)<1ms'
  dbdyno capacity cassandra://host --slo 'p99(read)<10ms' --slo 'p99(update)<20ms' --duration 60s
  dbdyno capacity redis://host --slo 'p99<2ms' --expect 'capacity>40k'

A pilot in a closed loop gives the first guess, a search finds the edge, and repeated trials on
both sides of it make the interval. With --output of an earlier, stopped call the search goes on
where it was. docs/capacity.md says how it works.";

const SWEEP_EXAMPLES: &str = "\
Examples:
  dbdyno sweep redb
  dbdyno sweep cassandra://host --rates 1k,2k,5k,10k --slo 'p99(read)<10ms'
  dbdyno sweep redis://host --clients 1,2,4,8,16,32

Every step is measured once in every block, in random order. The knee is the step of the greatest
throughput for its p99 latency. The page report.html draws it.";
