//! `dbdyno lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno lint`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct LintArguments {
    /// A result folder, or a CSV file whose first line names its columns
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// What a column of the file is, as COLUMN=MEANING; may be repeated
    #[arg(long = "column", value_name = "COLUMN=MEANING", value_parser = renamed)]
    pub columns: Vec<(String, String)>,
    /// Clients of each run in the file, which waited for one answer before they asked the next
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub clients: Option<u32>,
    /// Runs that each line of the file is the mean of
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// How findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: LintFormat,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// For people
    Text,
    /// For programs: all findings; for a paper its claims with their verdicts, too
    Json,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((column, meaning)) if !column.is_empty() && !meaning.is_empty() => {
            Ok((column.to_owned(), meaning.to_owned()))
        }
        _ => Err("write e.g. elapsed=run_time_s".to_owned()),
    }
}

const HELP: &str = "\
Meanings of columns:
  ops                      operations of a run
  run_time_s, run_time_ms  how long it took
  throughput_ops_s         operations a second
  read_ops, read_avg_us    operations of one kind and their mean latency; also update, scan, ...
  run1, run2, run3, ...    several runs of the same thing

Examples:
  dbdyno lint results/quickstart
  dbdyno lint mine.csv --clients 16 --runs 3
  dbdyno lint mine.csv --column 'elapsed (s)=run_time_s' --column qps=throughput_ops_s

The exit code is 3 when a finding is certain, and 0 otherwise.";
