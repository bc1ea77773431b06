//! `dbdyno report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno report`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    /// The result folder of a study or of a single run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// What to make: html and csv are written into the folder (report.html, results.csv) unless --output says
    /// otherwise; the others are printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ReportFormat::Table)]
    pub format: ReportFormat,
    /// Write to this file; `-` prints
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which systems are ranked against each other: those that promise the same (durability, consistency, order of
    /// scans), or all
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Compared::Like)]
    pub compare: Compared,
}

/// Which systems a report ranks against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compared {
    /// Those that promise the same
    Like,
    /// All, with a flag that says so
    All,
}

/// What a report can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For the terminal
    Table,
    /// One page with charts that needs no network
    Html,
    /// For a README or an issue
    Markdown,
    /// Tidy: one row per trial and metric
    Csv,
    /// Everything the page shows, as data
    Json,
}

const EXAMPLES: &str = "\
Examples:
  dbdyno report results/quickstart
  dbdyno report results/quickstart --format html
  dbdyno report results/quickstart --format markdown >> README.md

It only reads what was measured: no database is needed, and the same records give the same report.";
