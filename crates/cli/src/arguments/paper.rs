//! `dbdyno paper`.

use clap::{Args, Subcommand};

use super::LintFormat;

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
}

const EXAMPLES: &str = "\
Examples:
  dbdyno paper list
  dbdyno paper show dhayalan-2018
  dbdyno paper lint shwaysh-2018";

const LINT: &str = "\
Examples:
  dbdyno paper lint shwaysh-2018
  dbdyno paper lint shwaysh-2018 --format json

The exit code is 3 when a finding is certain or a claim fails, and 0 otherwise.";
