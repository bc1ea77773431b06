//! `dbdyno lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno lint`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct LintArguments {
    /// Result folders, or CSV files whose first line names the columns
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Meaning of a column in the file, as COLUMN=MEANING; may be repeated
    #[arg(long = "column", value_name = "COLUMN=MEANING", value_parser = renamed)]
    pub columns: Vec<(String, String)>,
    /// Number of clients in each run of the file, each with one request in flight
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub clients: Option<u32>,
    /// Number of runs averaged in each line of the file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: LintFormat,
}

/// Output format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// For people
    Text,
    /// For programs: all findings, and a paper's claims with their verdicts
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
  run_time_s, run_time_ms  run time
  throughput_ops_s         operations per second; target_ops_s: requested rate
  avg_us, avg_ms           mean latency of all operations
  read_ops, read_avg_us    operations of one kind and their mean latency; also update, scan, ...
  read_ok, read_min_us, read_max_us, read_p99_us
                           successes, minimum, maximum and a percentile of latency; also _ms
  clients                  number of clients, if it differs between rows
  run1, run2, run3, ...    repeated runs of the same configuration
Columns with ratio, speedup, overhead, change, pct or % in their names are checked against the
other columns.
Numbers may be written as 12.5, 1,250, 1.2k, 1M, 125 s or 8 ms.

Examples:
  dbdyno lint results/quickstart
  dbdyno lint mine.csv theirs.csv --clients 16 --runs 3
  dbdyno lint mine.csv --column 'elapsed (s)=run_time_s' --column qps=throughput_ops_s

The exit code is 3 if any finding is certain, and 0 otherwise.";
