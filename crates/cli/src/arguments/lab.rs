//! `dbdyno lab`.

use clap::{Args, Subcommand};

/// `dbdyno lab`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LabArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: LabCommand,
}

/// The commands about the lab.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// Start a database's servers, wait until they answer, and leave them running
    #[command(
        after_help = "Examples:\n  dbdyno lab up redis\n  dbdyno lab up 'redis@7?nodes=3&appendfsync=off'"
    )]
    Up {
        /// NAME[@VERSION][?option=value&...]; `dbdyno lab list` shows names and options
        #[arg(value_name = "DATABASE")]
        request: String,
    },
    /// Stop what `lab up` started, and remove its data
    #[command(after_help = "Examples:\n  dbdyno lab down redis\n  dbdyno lab down --all")]
    Down {
        /// An instance, or a database: all its instances
        #[arg(value_name = "NAME", required_unless_present_any = ["all", "left_behind"])]
        name: Option<String>,
        /// Everything that `lab up` started, and what killed runs left behind
        #[arg(long)]
        all: bool,
        /// Only what killed runs left behind
        #[arg(long)]
        left_behind: bool,
    },
    /// Show what runs, and what could be started
    List,
    /// Show the last lines of the servers' logs
    #[command(after_help = "Example:\n  dbdyno lab logs redis --lines 50")]
    Logs {
        /// An instance or a database
        #[arg(value_name = "NAME")]
        name: String,
        /// Lines of each server
        #[arg(long, value_name = "N", default_value_t = 20)]
        lines: usize,
    },
    /// Print shell variables with the address of a running database
    #[command(after_help = "Example:\n  eval \"$(dbdyno lab env redis)\" && dbdyno run \"$DBDYNO_SYSTEM\"")]
    Env {
        /// An instance or a database
        #[arg(value_name = "NAME")]
        name: String,
    },
}

const EXAMPLES: &str = "\
Examples:
  dbdyno run lab:redis --workload a        start it for this run, and stop it afterwards
  dbdyno lab up redis                      start it and leave it running
  dbdyno lab list                          what runs, and what could
  dbdyno lab down --all                    stop everything

Everything listens on loopback only. docs/lab.md describes the lab.";
