//! `dbdyno lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno lint`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct LintArguments {
    /// Result folders, and CSV files whose first line names their columns
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
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
  throughput_ops_s         operations a second; target_ops_s: the rate that was asked for
  avg_us, avg_ms           mean latency of all operations
  read_ops, read_avg_us    operations of one kind and their mean latency; also update, scan, ...
  read_ok, read_min_us, read_max_us, read_p99_us
                           how many succeeded, the ends of the latency, a percentile; also _ms
  clients                  clients of the row, where rows differ
  run1, run2, run3, ...    several runs of the same thing
A column with ratio, speedup, overhead, change, pct or % in its name is held against the others.
Numbers may be written as 12.5, 1,250, 1.2k, 1M, 125 s or 8 ms.

Examples:
  dbdyno lint results/quickstart
  dbdyno lint mine.csv theirs.csv --clients 16 --runs 3
  dbdyno lint mine.csv --column 'elapsed (s)=run_time_s' --column qps=throughput_ops_s

The exit code is 3 when a finding is certain, and 0 otherwise.";
