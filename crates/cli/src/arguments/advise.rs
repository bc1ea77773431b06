//! `dbdyno advise`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno advise`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct AdviseArguments {
    /// Need file: requirements and weighted goals (examples: studies/needs), or a directory of them for one page with all answers
    #[arg(value_name = "NEED")]
    pub need: PathBuf,
    /// Result folders
    #[arg(value_name = "RESULTS", required = true)]
    pub results: Vec<PathBuf>,
    /// Audit of one of the systems, written by `dbdyno audit --format json`; may be repeated
    #[arg(long = "audit", value_name = "FILE")]
    pub audits: Vec<PathBuf>,
    /// Prices for budgets and costs, instead of those of the need or the studies: a TOML file with a table [cost] (docs/prices.md)
    #[arg(long, value_name = "FILE")]
    pub cost: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: AdviceFormat,
    /// Write the advice to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a study file for the most useful next experiment to this file
    #[arg(long, value_name = "FILE")]
    pub next: Option<PathBuf>,
    /// Exit with code 3 when the answer is this uncertain
    #[arg(long, value_name = "ANSWER")]
    pub fail_on: Option<Unsure>,
}

/// Output format of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AdviceFormat {
    /// For people
    Table,
    /// For a summary page, or a repository
    Markdown,
    /// For programs
    Json,
    /// One page that links every sentence to its evidence
    Html,
}

/// The answers that `--fail-on` rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unsure {
    /// Anything but one recommended system
    Shortlist,
    /// Neither one recommended system nor a shortlist
    Undecided,
}

const HELP: &str = "\
Examples:
  dbdyno advise studies/needs/sessions.toml results/quickstart
  dbdyno advise need.toml results/a --audit redis.json --audit postgres.json
  dbdyno advise need.toml results/a results/b --format html --output advice.html
  dbdyno advise need.toml results/a --next next.toml && dbdyno study run next.toml
  dbdyno advise studies/needs/which-database results/which-database --format html --output answer.html

docs/advise.md describes need files and how dbdyno reaches the answer.";
