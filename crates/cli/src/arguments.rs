//! The command line's definition. Help texts, completions and the man page all come from here.

mod advise;
mod compare;
mod history;
mod import;
mod lab;
mod ladder;
mod lint;
mod paper;
mod quantities;
mod report;
mod run;
mod study;
mod ycsb;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use advise::{AdviceFormat, AdviseArguments, Unsure};
pub use compare::{CompareArguments, CompareFormat, FailOn};
pub use history::{HistoryAddArguments, HistoryArguments, HistoryCommand, HistoryShowArguments};
pub use import::ImportArguments;
pub use lab::{LabArguments, LabCommand};
pub use ladder::{CapacityArguments, LadderArguments, LadderFormat, SweepArguments};
pub use lint::{LintArguments, LintFormat};
pub use paper::{PaperArguments, PaperCommand, PaperRunArguments};
pub use quantities::WarmUp;
pub use report::{Compared, ReportArguments, ReportFormat};
pub use run::{Format, LoadArguments, OnceArguments, RunArguments, WorkArguments};
pub use study::{StudyArguments, StudyCommand, StudyFileArguments};
pub use ycsb::{HELP as YCSB_HELP, YcsbArguments, YcsbCommand};

use crate::exit_code::ExitCode;

/// A dynamometer for databases: loads them, measures honestly, compares, and shows its evidence.
#[derive(Debug, Parser)]
#[command(
    name = "dbdyno",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = EXAMPLES,
    after_long_help = long_help(),
    max_term_width = 100
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArguments,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct GlobalArguments {
    /// When to use colours [default: auto: on a terminal, unless NO_COLOR is set or TERM is dumb]
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        help_heading = "Global options",
        hide_default_value = true
    )]
    pub color: Option<ColorChoice>,
    /// Show no progress and no notes; results, warnings and errors only
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure one system under one workload, once
    Run(Box<RunArguments>),
    /// Load the records of a workload into a system, and measure that
    Load(Box<LoadArguments>),
    /// Compare systems: many repeated trials in random order, planned by one file
    Study(StudyArguments),
    /// Find the highest rate at which one system keeps an objective
    Capacity(Box<CapacityArguments>),
    /// Show how one system's latency grows with its throughput, and where its knee is
    Sweep(Box<SweepArguments>),
    /// Make the report of a result folder again in any format, or one page of many
    Report(ReportArguments),
    /// Compare two result folders: before and after a change
    Compare(CompareArguments),
    /// Keep a series over versions, and show where its level changes
    History(HistoryArguments),
    /// Read logs of YCSB and go-ycsb into a result folder
    Import(ImportArguments),
    /// Say which of the measured systems fits a need, how sure that is, and what to measure next
    Advise(AdviseArguments),
    /// Check results against themselves: a result folder, or anybody's numbers in a CSV file
    Lint(LintArguments),
    /// Show published studies, and check what they printed
    Paper(PaperArguments),
    /// List the databases that dbdyno drives, and what they can do
    Databases,
    /// Start, show and stop real database servers on this machine
    Lab(LabArguments),
    /// Take YCSB's own command line, and print YCSB's own output
    Ycsb(YcsbArguments),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  dbdyno completions bash > ~/.local/share/bash-completion/completions/dbdyno"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff)
    #[command(after_help = "Example:\n  dbdyno man > dbdyno.1 && man ./dbdyno.1")]
    Man,
}

const EXAMPLES: &str = "\
Examples:
  dbdyno run redb --workload a                     one database, YCSB's workload A, about 10 seconds
  dbdyno run sqlite --workload b --rate 5k         at a fixed rate: latencies include the waiting
  dbdyno study run studies/quickstart.toml         compare three storage engines on YCSB A, C and E
  dbdyno capacity redb --slo 'p99(read)<1ms'       how much it can take, with an interval
  dbdyno study plan studies/quickstart.toml        what that would do, and how long it takes
  dbdyno databases                                 what can be measured

`dbdyno help COMMAND` says more about each command.";

fn long_help() -> String {
    format!("{EXAMPLES}\n\n{}", ExitCode::help())
}
