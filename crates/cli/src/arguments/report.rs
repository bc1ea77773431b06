//! `dbdyno report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno report`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    /// The result folder of a study or of a single run; several, or a folder that holds some, give one page for all of
    /// them
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// What to make [default: what the ending of --output says, else table]: html and csv are written into the folder
    /// (report.html, results.csv; index.html for many) unless --output says otherwise; the others are printed
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<ReportFormat>,
    /// Write to this file; `-` prints
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write every figure into this folder: its points as CSV, and its drawing alone as SVG
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
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
    /// Tables for a paper, with booktabs
    Latex,
}

const EXAMPLES: &str = "\
Examples:
  dbdyno report results/quickstart
  dbdyno report results/quickstart --format html
  dbdyno report results/quickstart --format markdown >> README.md
  dbdyno report results/quickstart --output tables.tex --figures figures
  dbdyno report results --output results/index.html

It only reads what was measured: no database is needed, and the same records give the same report.";
