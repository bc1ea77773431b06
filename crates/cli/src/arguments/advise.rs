//! `dbdyno advise`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `dbdyno advise`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct AdviseArguments {
    /// The need file: what a system must have, and what counts how much; with --ask it is made
    #[arg(value_name = "NEED")]
    pub need: PathBuf,
    /// Result folders
    #[arg(value_name = "RESULTS", required_unless_present = "ask")]
    pub results: Vec<PathBuf>,
    /// Make the need file by asking questions; with RESULTS the advice follows
    #[arg(long)]
    pub ask: bool,
    /// How it is told
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: AdviceFormat,
    /// Write it into this file instead of printing it
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the study file of the experiment that promises most into this file
    #[arg(long, value_name = "FILE")]
    pub next: Option<PathBuf>,
    /// End with exit code 3 when the answer is not this sure
    #[arg(long, value_name = "ANSWER")]
    pub fail_on: Option<Unsure>,
}

/// How advice is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AdviceFormat {
    /// For people
    Table,
    /// For a summary page, or a repository
    Markdown,
    /// For programs
    Json,
    /// One page, with links from every sentence to its evidence
    Html,
}

/// An answer that a continuous integration stops at.
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
  dbdyno advise need.toml --ask
  dbdyno advise need.toml results/a results/b --format html --output advice.html
  dbdyno advise need.toml results/a --next next.toml && dbdyno study run next.toml

docs/advise.md describes need files and how the answer arises.";
