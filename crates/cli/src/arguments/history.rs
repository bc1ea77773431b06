//! `dbdyno history`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::CompareFormat;
use super::compare::percent;

/// Default file of a history.
const FILE: &str = "history.jsonl";

/// `dbdyno history`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct HistoryArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: HistoryCommand,
}

/// The commands about histories.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Add a result folder as the next point
    Add(HistoryAddArguments),
    /// Show every series and where its level changed
    Show(HistoryShowArguments),
}

/// `dbdyno history add`.
#[derive(Debug, Args)]
pub struct HistoryAddArguments {
    /// Result folder
    #[arg(value_name = "RESULTS")]
    pub folder: PathBuf,
    /// History file, created if missing
    #[arg(long, value_name = "FILE", default_value = FILE)]
    pub history: PathBuf,
    /// Label of the point, e.g. a version or a commit [default: start time of its first trial]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub label: Option<String>,
    /// Series that the point belongs to [default: the study's name; single runs have none]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub study: Option<String>,
}

/// `dbdyno history show`.
#[derive(Debug, Args)]
pub struct HistoryShowArguments {
    /// History file
    #[arg(value_name = "FILE", default_value = FILE)]
    pub history: PathBuf,
    /// Show only series whose study, test or metric contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Smallest change that matters
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent)]
    pub margin: f64,
    /// Exit with code 3 when the last point or a recent level is slower
    #[arg(long, value_name = "VERDICT")]
    pub fail_on: Option<HistoryFailOn>,
    /// Number of last points that count as recent for --fail-on
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    pub recent: u32,
    /// Output format [default: from the extension of --output, else table]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<CompareFormat>,
    /// Write the history to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The verdicts that `--fail-on` rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryFailOn {
    /// A result got slower
    Slower,
}

/// A name that a table can show and `FILE@LABEL` can ask for.
fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err("write a name of one line, e.g. v1.4".to_owned());
    }
    Ok(text.to_owned())
}

const HELP: &str = "\
Examples:
  dbdyno history add results/nightly --label $(git rev-parse --short HEAD)
  dbdyno history show
  dbdyno history show --output history.html
  dbdyno history show --only throughput --fail-on slower
  dbdyno compare history.jsonl@v1.4 history.jsonl@v1.5

Points with a different machine, workload or guarantees are listed but not compared.";
