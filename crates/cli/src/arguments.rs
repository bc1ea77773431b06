//! The command line's definition. Help texts, completions and the man page all come from here.

mod advise;
mod agents;
mod audit;
mod compare;
mod groups;
mod history;
mod import;
mod install;
mod lab;
mod lint;
mod paper;
mod quantities;
mod report;
mod rising_load;
mod run;
mod serve;
mod study;
mod watch;
mod ycsb;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use advise::{AdviceFormat, AdviseArguments, Unsure};
pub use agents::AgentsArguments;
#[cfg(feature = "agents")]
pub use agents::{AgentArguments, AgentsFormat, AgentsListArguments};
pub use audit::{AuditArguments, AuditFormat};
pub use compare::{CompareArguments, CompareFormat, FailOn};
pub use history::{HistoryAddArguments, HistoryArguments, HistoryCommand, HistoryShowArguments};
pub use import::ImportArguments;
pub use install::InstallArguments;
pub use lab::{LabArguments, LabCommand};
pub use lint::{LintArguments, LintFormat};
pub use paper::{PaperArguments, PaperCommand, PaperFormat, PaperReportArguments, PaperRunArguments};
pub use quantities::WarmUp;
pub use report::{Compared, ReportArguments, ReportFormat};
pub use rising_load::{CapacityArguments, RisingLoadArguments, RisingLoadFormat, SweepArguments};
pub use run::{Format, LoadArguments, OnceArguments, RunArguments, WorkArguments};
pub use serve::ServeArguments;
pub use study::{StudyArguments, StudyCommand, StudyFileArguments, StudyInitArguments, StudyRunArguments};
pub use watch::WatchArguments;
pub use ycsb::{HELP as YCSB_HELP, YcsbArguments, YcsbCommand};

use crate::exit_code::ExitCode;

/// A dynamometer for databases: puts them under load, measures and compares them, and shows the evidence.
#[derive(Debug, Parser)]
#[command(
    name = "dbdyno",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    help_template = groups::template(),
    after_help = after_help(),
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
    /// When to use colours: auto, always or never [default: auto]
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        help_heading = "Global options",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub color: Option<ColorChoice>,
    /// Hide progress and notes; show only results, warnings and errors
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// Use colours on a terminal, unless NO_COLOR is set or TERM is dumb
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A kind of file that has a JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// Study files
    Study,
    /// Need files, for `dbdyno advise`
    Need,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure one database, or compare several
    Run(Box<RunArguments>),
    /// Load a workload's records into a system, and measure the load
    Load(Box<LoadArguments>),
    /// Compare systems in repeated trials, as a study file describes
    Study(StudyArguments),
    /// Find the highest rate at which a system meets an objective
    Capacity(Box<CapacityArguments>),
    /// Measure latency at rising load, and find the knee
    Sweep(Box<SweepArguments>),
    /// Write the report of one or more result folders, in any format
    Report(ReportArguments),
    /// Show running and finished studies in a browser
    Serve(ServeArguments),
    /// Show a running study in this terminal
    Watch(WatchArguments),
    /// Compare two result folders, before and after a change
    Compare(CompareArguments),
    /// Track results over many versions, and show where they changed
    History(HistoryArguments),
    /// Import logs of YCSB and go-ycsb as a result folder
    Import(ImportArguments),
    /// Recommend a system for your needs, and say how certain that is
    Advise(AdviseArguments),
    /// Examine the security of a running database, and show what to fix
    Audit(Box<AuditArguments>),
    /// Check a result folder, or anyone's CSV file, for contradictions
    Lint(LintArguments),
    /// Show, check and repeat published studies
    Paper(PaperArguments),
    /// List the supported databases and their options
    Databases,
    /// List the built-in workloads and what they stand for
    Workloads,
    /// Start, show and stop real database servers on this machine
    Lab(LabArguments),
    /// Send load for commands on other machines
    #[cfg(feature = "agents")]
    Agent(AgentArguments),
    /// List the agents of a NATS server
    #[cfg(feature = "agents")]
    Agents(AgentsListArguments),
    /// Accept YCSB's command line, and print YCSB's output
    Ycsb(YcsbArguments),
    /// Print the JSON Schema of study or need files, for editors
    #[command(after_help = "Example:\n  dbdyno schema study > study.schema.json\n\n\
                            The first line of a study file beside it is then: #:schema study.schema.json")]
    Schema {
        /// The kind of file
        file: SchemaOf,
    },
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
  dbdyno run redb                               one database, workload A
  dbdyno run redb fjall sqlite                  compare three
  dbdyno run lab:redis --rate 5k                a server started for this run
  dbdyno study run studies/quickstart.toml      a study with several workloads
  dbdyno capacity redb --slo 'p99(read)<1ms'    the highest rate it can keep

`dbdyno help COMMAND` shows the options of a command.";

fn after_help() -> String {
    format!("{EXAMPLES}\n\n{}", ExitCode::help())
}

#[cfg(all(test, feature = "agents"))]
mod deploy_tests;
#[cfg(test)]
mod workflow_tests;
