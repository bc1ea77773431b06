//! `dbdyno lab`.

use clap::{Args, Subcommand};

use super::InstallArguments;

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
        /// Database, as NAME[@VERSION][?option=value&...]; see `dbdyno lab list`
        #[arg(value_name = "DATABASE")]
        request: String,
        /// What the lab may install.
        #[command(flatten)]
        install: InstallArguments,
    },
    /// Stop servers that `lab up` started, and remove their data
    #[command(after_help = "Examples:\n  dbdyno lab down redis\n  dbdyno lab down --all")]
    Down {
        /// Instance, or database (all its instances)
        #[arg(value_name = "NAME", required_unless_present_any = ["all", "left_behind"])]
        name: Option<String>,
        /// Stop all servers that `lab up` started, and remove the remains of killed runs
        #[arg(long)]
        all: bool,
        /// Remove only the remains of killed runs
        #[arg(long)]
        left_behind: bool,
    },
    /// List running servers and the databases that can be started, or the options of one
    #[command(after_help = "Examples:\n  dbdyno lab list\n  dbdyno lab list redis")]
    List {
        /// Database whose options are shown
        #[arg(value_name = "DATABASE")]
        database: Option<String>,
    },
    /// Show the last lines of the servers' logs
    #[command(after_help = "Example:\n  dbdyno lab logs redis --lines 50")]
    Logs {
        /// Instance or database
        #[arg(value_name = "NAME")]
        name: String,
        /// Number of lines per server
        #[arg(long, value_name = "N", default_value_t = 20)]
        lines: usize,
    },
    /// Print shell variables with the address of a running database
    #[command(after_help = "Example:\n  eval \"$(dbdyno lab env redis)\" && dbdyno run \"$DBDYNO_SYSTEM\"")]
    Env {
        /// Instance or database
        #[arg(value_name = "NAME")]
        name: String,
    },
}

const EXAMPLES: &str = "\
Examples:
  dbdyno run lab:redis --workload a        start Redis for this run, and stop it afterwards
  dbdyno lab up redis                      start Redis and leave it running
  dbdyno lab list                          list running and available databases
  dbdyno lab list redis                    show the options of Redis
  dbdyno lab down --all                    stop all servers

Servers listen on loopback, unless listen= names another address. See docs/lab.md.";
