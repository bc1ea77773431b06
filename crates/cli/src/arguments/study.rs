//! `dbdyno study`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use dbdyno_study::file::trials::TrialsRequest;

use super::{AgentsArguments, InstallArguments, quantities};

/// `dbdyno study`.
#[derive(Debug, Args)]
pub struct StudyArguments {
    /// What to do with the study.
    #[command(subcommand)]
    pub command: StudyCommand,
}

/// The commands about studies.
#[derive(Debug, Subcommand)]
pub enum StudyCommand {
    /// Write a study file, with comments, to start from
    #[command(after_help = INIT_EXAMPLES)]
    Init(StudyInitArguments),
    /// Run the study, or resume it
    #[command(after_help = RUN_EXAMPLES)]
    Run(StudyRunArguments),
    /// Show cells, trial order, estimated time and detectable differences without running the study
    #[command(
        after_help = "Examples:\n  dbdyno study plan studies/quickstart.toml\n  dbdyno study plan my.toml --noise 8%\n  dbdyno study plan my.toml --budget 30m"
    )]
    Plan(StudyFileArguments),
    /// List finished and missing trials
    #[command(after_help = "Example:\n  dbdyno study status studies/quickstart.toml")]
    Status(StudyFileArguments),
}

/// `dbdyno study init`.
#[derive(Clone, Debug, Args)]
pub struct StudyInitArguments {
    /// Study file to write, which must not exist; - prints it
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Systems to compare, as for `dbdyno run`
    #[arg(value_name = "SYSTEM", required = true)]
    pub systems: Vec<String>,
    /// Built-in workload or YCSB property file; may be repeated
    #[arg(long = "workload", short, value_name = "NAME|FILE", default_value = "a")]
    pub workloads: Vec<String>,
    /// Number of records in the table, e.g. 1M
    #[arg(long, value_name = "N", default_value = "100k", value_parser = quantities::count)]
    pub records: u64,
    /// Length of the measured phase of each trial, e.g. 60s
    #[arg(long, short, value_name = "TIME", default_value = "10s", value_parser = quantities::positive_duration)]
    pub duration: Duration,
}

/// `dbdyno study run`.
#[derive(Clone, Debug, Args)]
pub struct StudyRunArguments {
    /// The study.
    #[command(flatten)]
    pub study: StudyFileArguments,
    /// Who sends the load.
    #[command(flatten)]
    pub agents: AgentsArguments,
    /// What the lab may install.
    #[command(flatten)]
    pub install: InstallArguments,
    /// Show the running study in a browser, as `dbdyno serve` does, until it ends
    #[arg(
        long,
        value_name = "IP:PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = super::serve::ADDRESS,
        value_parser = super::serve::address
    )]
    pub serve: Option<SocketAddr>,
    /// Show the running study on the whole screen of this terminal, as `dbdyno watch` does, until it ends
    #[arg(long)]
    pub tui: bool,
}

/// A study file and its result folder.
#[derive(Clone, Debug, Args)]
pub struct StudyFileArguments {
    /// Study file; docs/studies.md describes its keys
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Result folder [default: results/<name of the study>]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Number of trials per cell, e.g. 12, or +5 to add five to those of the results [default: `trials` of the study file,
    /// or as many as the results were planned with if that is more]
    #[arg(long, value_name = "N", value_parser = TrialsRequest::parse, allow_negative_numbers = true, conflicts_with_all = ["quick", "budget"])]
    pub trials: Option<TrialsRequest>,
    /// Run at most 2 short trials per cell on few records, into results/<name>-quick; gives no verdicts
    #[arg(long)]
    pub quick: bool,
    /// Choose the number of blocks and their length to detect the smallest differences within this time, e.g. 30m;
    /// results go to results/<name>-30m
    #[arg(long, value_name = "TIME", value_parser = quantities::positive_duration, conflicts_with = "quick")]
    pub budget: Option<Duration>,
    /// Noise between trials, e.g. 8% [default: estimated from the study's own results]
    #[arg(long, value_name = "SHARE", value_parser = dbdyno_study::power::parse_noise, conflicts_with = "noise_from")]
    pub noise: Option<f64>,
    /// Estimate the noise from these results of the same systems
    #[arg(long, value_name = "DIR")]
    pub noise_from: Option<PathBuf>,
}

const INIT_EXAMPLES: &str = "\
Examples:
  dbdyno study init my.toml redb fjall
  dbdyno study init my.toml lab:redis lab:postgres -w a -w c --records 1M --duration 60s";

const RUN_EXAMPLES: &str = "\
Examples:
  dbdyno study run studies/quickstart.toml
  dbdyno study run studies/nosql-three.toml --quick
  dbdyno study run studies/quickstart.toml --tui
  dbdyno study run my.toml --budget 30m --noise-from results/my
  dbdyno study run my.toml --output /data/results/monday
  dbdyno study run my.toml --trials +5

Each trial is saved as soon as it ends. After Ctrl-C, a crash or a power failure, the same command
without `--trials +N` resumes with the first missing trial. A study goes on with the trials that it
has if only its title, or the number or repetition of its trials changed. After other changes, use
another --output.";
