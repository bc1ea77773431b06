//! One file per command.

mod advise;
mod after;
#[cfg(feature = "agents")]
mod agents;
mod audit;
mod compare;
mod databases;
mod expectations;
mod history;
mod import;
pub mod lab;
mod lint;
mod manual;
mod paper;
pub mod prices;
mod report;
mod rising_load;
mod run;
mod run_checks;
mod serve;
mod several;
mod space;
mod study;
mod watch;
mod workloads;
mod written;
mod ycsb;

use crate::arguments::Command;
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Carries out a command.
///
/// # Errors
/// What stopped it, for the person who asked.
pub fn execute(command: Command, terminal: Terminal) -> Result<ExitCode, Problem> {
    match command {
        Command::Run(arguments) => run::run(&arguments, terminal),
        Command::Load(arguments) => run::load(&arguments, terminal),
        Command::Study(arguments) => study::execute(&arguments.command, terminal),
        Command::Capacity(arguments) => rising_load::capacity(&arguments, terminal),
        Command::Sweep(arguments) => rising_load::sweep(&arguments, terminal),
        Command::Report(arguments) => report::execute(&arguments, terminal),
        Command::Serve(arguments) => serve::execute(&arguments, terminal),
        Command::Watch(arguments) => watch::execute(&arguments, terminal),
        Command::Compare(arguments) => compare::execute(&arguments, terminal),
        Command::History(arguments) => history::execute(&arguments.command, terminal),
        Command::Import(arguments) => import::execute(&arguments, terminal),
        Command::Advise(arguments) => advise::execute(&arguments, terminal),
        Command::Audit(arguments) => audit::execute(&arguments, terminal),
        Command::Lint(arguments) => lint::execute(&arguments, terminal),
        Command::Paper(arguments) => paper::execute(&arguments.command, terminal),
        Command::Databases => databases::execute(terminal),
        Command::Workloads => workloads::execute(terminal),
        Command::Lab(arguments) => lab::execute(&arguments.command, terminal),
        #[cfg(feature = "agents")]
        Command::Agent(arguments) => agents::serve_load(&arguments, terminal),
        #[cfg(feature = "agents")]
        Command::Agents(arguments) => agents::show(&arguments, terminal),
        Command::Ycsb(arguments) => ycsb::execute(&arguments.command, terminal),
        Command::Schema { file } => manual::schema(file, terminal),
        Command::Completions { shell } => manual::completions(shell, terminal),
        Command::Man => manual::man(terminal),
    }
}
