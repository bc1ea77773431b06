//! `dbdyno report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno report`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    /// Result folder of a study or a single run; several, or a folder that contains some, give one page for all
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Output format [default: from the extension of --output, else table]; without --output, html and csv are written
    /// to the result folder (report.html, results.csv; index.html for many), the others to standard output
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<ReportFormat>,
    /// Write to this file; `-` means standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write every figure to this folder, as CSV (data) and SVG
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Security audit of the study's systems, written by `dbdyno audit --format json`, to include in the report; may be repeated
    #[arg(long = "audit", value_name = "FILE")]
    pub audits: Vec<PathBuf>,
    /// Prices to show costs with, instead of those of the study: a TOML file with a table [cost] (docs/prices.md)
    #[arg(long, value_name = "FILE")]
    pub cost: Option<PathBuf>,
    /// Rank only systems with equal guarantees (durability, consistency, order of scans), or all systems
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Compared::Like)]
    pub compare: Compared,
}

/// Which systems a report ranks against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compared {
    /// Systems with equal guarantees
    Like,
    /// All systems; verdicts that cross guarantees are flagged
    All,
}

/// Output format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For the terminal
    Table,
    /// One page with charts, readable without network
    Html,
    /// For a README or an issue
    Markdown,
    /// The verdicts, one table and one chart of characters as Markdown, for a pull request or the summary page of a CI job
    Summary,
    /// Tidy: one row per trial and metric
    Csv,
    /// All data of the page, for programs
    Json,
    /// Tables for a paper, with booktabs
    Latex,
}

const EXAMPLES: &str = "\
Examples:
  dbdyno report results/quickstart
  dbdyno report results/quickstart --format html
  dbdyno report results/quickstart --format markdown >> README.md
  dbdyno report results/quickstart --format summary >> \"$GITHUB_STEP_SUMMARY\"
  dbdyno report results/quickstart --output tables.tex --figures figures
  dbdyno report results/quickstart --audit redis.json --format html
  dbdyno report results/quickstart --cost studies/prices/example.toml
  dbdyno report results --output results/index.html

Reports need no database: they read result folders only, and the same records give the same report.";
