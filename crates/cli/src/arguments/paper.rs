//! `dbdyno paper`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::LintFormat;
use super::quantities::count;

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
    /// List the published studies that dbdyno brings
    List,
    /// Show what a study did, what it claims, and what it left open
    #[command(after_help = "Example:\n  dbdyno paper show abramova-2013")]
    Show {
        /// The study; `dbdyno paper list` shows them
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Check the numbers that a study printed against each other, and its claims against them
    ///
    /// Each finding says where it is, which rule it breaks, the arithmetic, how sure it is, and what would explain it. Each
    /// claim holds or fails on the study's own tables, or nothing was printed that could tell.
    #[command(after_help = LINT)]
    Lint {
        /// The study; `dbdyno paper list` shows them
        #[arg(value_name = "ID")]
        id: String,
        /// How findings are printed
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: LintFormat,
    },
    /// Measure a study again, with the systems of today, and judge its claims on both
    ///
    /// Runs the study's workloads at its sizes on servers that the lab starts, every cell repeatedly and in random order, and one
    /// system twice (A/A). What the study did not state is assumed; what cannot be had is replaced; the report says both. It puts
    /// the printed numbers and the new ones side by side and judges each claim on either.
    #[command(after_help = RUN)]
    Run(PaperRunArguments),
}

/// `dbdyno paper run`.
#[derive(Debug, Args)]
pub struct PaperRunArguments {
    /// The study; `dbdyno paper list` shows them
    #[arg(value_name = "ID")]
    pub id: String,
    /// Which of its set-ups, where it has several [default: the first]
    #[arg(long, value_name = "NAME")]
    pub part: Option<String>,
    /// Multiply records and operations by this, down to 1000 of each
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub scale: f64,
    /// Repetitions of every cell; fewer than four decide nothing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub trials: Option<u32>,
    /// Records in place of the study's, before scaling; several are a factor
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count)]
    pub records: Vec<u64>,
    /// Operations in place of the study's, before scaling; several are a factor
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count)]
    pub operations: Vec<u64>,
    /// Folder of the results [default: results/<name of the study>]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print the study file that would be run, and run nothing
    #[arg(long)]
    pub print: bool,
}

const EXAMPLES: &str = "\
Examples:
  dbdyno paper list
  dbdyno paper show dhayalan-2018
  dbdyno paper lint shwaysh-2018
  dbdyno paper run abramova-2013 --scale 0.02";

const RUN: &str = "\
Examples:
  dbdyno paper run abramova-2013 --scale 0.02
  dbdyno paper run abramova-2013 --scale 0.02 --operations 50k,500k --trials 10
  dbdyno paper run shwaysh-2018 --part cluster --scale 0.01
  dbdyno paper run dhayalan-2018 --print > mine.toml      # change it, then: dbdyno study run mine.toml

After ctrl-C, a crash or a power cut, the same command goes on with the next missing trial.";

const LINT: &str = "\
Examples:
  dbdyno paper lint shwaysh-2018
  dbdyno paper lint shwaysh-2018 --format json

The exit code is 3 when a finding is certain or a claim fails, and 0 otherwise.";
