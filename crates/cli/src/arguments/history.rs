//! `dbdyno history`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::CompareFormat;
use super::compare::percent;

/// Where a history is kept when nobody says otherwise.
const FILE: &str = "history.jsonl";

/// `dbdyno history`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct HistoryArguments {
    /// What to do with it.
    #[command(subcommand)]
    pub command: HistoryCommand,
}

/// What can be done with a history.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Add a result folder as the next point
    Add(HistoryAddArguments),
    /// Show every series with its changes of level
    Show(HistoryShowArguments),
}

/// `dbdyno history add`.
#[derive(Debug, Args)]
pub struct HistoryAddArguments {
    /// The result folder
    #[arg(value_name = "RESULTS")]
    pub folder: PathBuf,
    /// The file that keeps the history; it is made when it is not there
    #[arg(long, value_name = "FILE", default_value = FILE)]
    pub history: PathBuf,
    /// What the point is called: a version, a commit [default: when its first trial began]
    #[arg(long, value_name = "NAME")]
    pub label: Option<String>,
    /// The name that points of one series share; single runs have none of their own [default: the study's name]
    #[arg(long, value_name = "NAME")]
    pub study: Option<String>,
}

/// `dbdyno history show`.
#[derive(Debug, Args)]
pub struct HistoryShowArguments {
    /// The file that keeps the history
    #[arg(value_name = "FILE", default_value = FILE)]
    pub history: PathBuf,
    /// Only series whose study, cell or metric has these letters in its name
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// The smallest change that matters
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent)]
    pub margin: f64,
    /// End with exit code 3 when the last point, or a level that began lately, is slower
    #[arg(long, value_name = "VERDICT")]
    pub fail_on: Option<HistoryFailOn>,
    /// How many of the last points are late enough for --fail-on
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    pub recent: u32,
    /// How it is printed
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: CompareFormat,
}

/// What a continuous integration stops at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryFailOn {
    /// Something got slower
    Slower,
}

const HELP: &str = "\
Examples:
  dbdyno history add results/nightly --label $(git rev-parse --short HEAD)
  dbdyno history show
  dbdyno history show --only throughput --fail-on slower
  dbdyno compare history.jsonl@v1.4 history.jsonl@v1.5

Points of another machine, other work or other promises are told and never set against each other.";
