//! `dbdyno paper`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::quantities::{count, positive_duration};
use super::{AgentsArguments, InstallArguments, LintFormat};

/// `dbdyno paper`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct PaperArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: PaperCommand,
}

/// The commands about papers.
#[derive(Debug, Subcommand)]
pub enum PaperCommand {
    /// List the published studies that dbdyno includes
    List,
    /// Show a study's set-up, its claims, and the details it did not state
    #[command(after_help = "Example:\n  dbdyno paper show abramova-2013")]
    Show {
        /// Study; see `dbdyno paper list`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Check a study's printed numbers for contradictions, and its claims against the numbers
    ///
    /// Each finding shows its place, its rule, the arithmetic, its certainty, and possible explanations. Each claim holds or
    /// fails on the study's own tables, or is undecided because the study printed too little.
    #[command(after_help = LINT)]
    Lint {
        /// Study; see `dbdyno paper list`
        #[arg(value_name = "ID")]
        id: String,
        /// Output format
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: LintFormat,
    },
    /// Repeat a study with current systems, and judge its claims on old and new results
    ///
    /// Runs the study's workloads at its sizes on servers that the lab starts, in repeated trials in random order, with one
    /// system measured twice (A/A). The report lists all assumptions and substitutions, shows the printed numbers beside the
    /// new ones, and judges each claim on both.
    #[command(after_help = RUN)]
    Run(PaperRunArguments),
    /// Show a study's charts beside those of repetitions, with the verdicts on each claim
    ///
    /// Draws the charts from the study's printed numbers, and beside each the new one with its intervals. Below them stand
    /// the claims, judged on the printed numbers and on the new ones. Without results it shows the printed half.
    #[command(after_help = REPORT)]
    Report(PaperReportArguments),
}

/// `dbdyno paper report`.
#[derive(Debug, Args)]
pub struct PaperReportArguments {
    /// Study; see `dbdyno paper list`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Result folders of `dbdyno paper run`, one for each set-up, and those of runs for claims
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Output format [default: from the extension of --output, else text]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<PaperFormat>,
    /// Write to this file; `-` means standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write every figure to this folder, as CSV (data) and SVG
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    /// Security audit, written by `dbdyno audit --format json`, to compare with a study's table of features; may be repeated
    #[arg(long = "audit", value_name = "FILE")]
    pub audits: Vec<PathBuf>,
}

/// The id of a claim, without the space around it.
fn claim(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a claim is missing; write e.g. C5,C8".to_owned()),
        id => Ok(id.to_owned()),
    }
}

/// Output format of a paper's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaperFormat {
    /// For the terminal
    Text,
    /// One page with charts, readable without network
    Html,
    /// For a README or an issue
    Markdown,
    /// Tables and figures for the next paper
    Latex,
}

/// `dbdyno paper run`.
#[derive(Debug, Args)]
pub struct PaperRunArguments {
    /// Study; see `dbdyno paper list`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Set-up to repeat, if the study has several [default: the first]
    #[arg(long, value_name = "NAME")]
    pub part: Option<String>,
    /// Measure only what these claims ask about, e.g. C5,C8
    #[arg(long = "claim", value_name = "ID,...", value_delimiter = ',', value_parser = claim)]
    pub claims: Vec<String>,
    /// Repeat all set-ups, one after the other
    #[arg(long, conflicts_with_all = ["part", "claims", "records", "operations", "output"])]
    pub whole: bool,
    /// Choose the largest scale at which everything fits into this time, e.g. 1h
    #[arg(long, value_name = "TIME", value_parser = positive_duration, conflicts_with = "scale")]
    pub budget: Option<Duration>,
    /// Multiply the numbers of records and operations by this (minimum 1000 of each)
    #[arg(
        long,
        value_name = "FACTOR",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    pub scale: f64,
    /// Trials per cell; fewer than four decide nothing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub trials: Option<u32>,
    /// Override the number of records, before scaling; several numbers are a factor
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count)]
    pub records: Vec<u64>,
    /// Override the number of operations, before scaling; several numbers are a factor
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count)]
    pub operations: Vec<u64>,
    /// Result folder [default: results/<name of the study>]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print the study file, or with --whole the plan, without running it
    #[arg(long)]
    pub print: bool,
    /// Who sends the load.
    #[command(flatten)]
    pub agents: AgentsArguments,
    /// What the lab may install.
    #[command(flatten)]
    pub install: InstallArguments,
}

const EXAMPLES: &str = "\
Examples:
  dbdyno paper list
  dbdyno paper show dhayalan-2018
  dbdyno paper lint shwaysh-2018
  dbdyno paper run abramova-2013 --scale 0.02
  dbdyno paper report abramova-2013 results/abramova-2013-x0.02 --output abramova.html";

const RUN: &str = "\
Examples:
  dbdyno paper run abramova-2013 --scale 0.02
  dbdyno paper run abramova-2013 --scale 0.02 --operations 50k,500k --trials 10
  dbdyno paper run shwaysh-2018 --part cluster --scale 0.01
  dbdyno paper run shwaysh-2018 --whole --budget 1h
  dbdyno paper run altoros-2013 --claim C5,C8 --scale 0.01 --trials 12
  dbdyno paper run dhayalan-2018 --print > mine.toml      # change it, then: dbdyno study run mine.toml

After Ctrl-C, a crash or a power failure, the same command resumes with the first missing trial.";

const REPORT: &str = "\
Examples:
  dbdyno paper report dhayalan-2018                                   # its printed half, as text
  dbdyno paper report dhayalan-2018 results/dhayalan-2018-single-x0.05 --output page.html
  dbdyno paper report shwaysh-2018 --output next.tex --figures figures
  dbdyno paper report shwaysh-2018 --audit mongodb.json --audit cassandra.json

It needs no database, and the same records give the same page.";

const LINT: &str = "\
Examples:
  dbdyno paper lint shwaysh-2018
  dbdyno paper lint shwaysh-2018 --format json

The exit code is 3 if any finding is certain or any claim fails, and 0 otherwise.";
