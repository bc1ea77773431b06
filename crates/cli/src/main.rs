//! The `dbdyno` binary: the only crate that prints.
//!
//! `main` reads like the table of contents: arguments, terminal, command, exit code. Each command has its file in
//! [`commands`]; what a command line may say is in [`arguments`]; how the process ends is in [`exit_code`].

mod aborted;
mod arguments;
mod beside;
mod bug;
mod commands;
mod defaults;
mod exit_code;
mod folder_name;
mod install;
mod interrupt;
mod joined;
mod junit;
mod load_generators;
mod need;
mod other_tools;
mod output_file;
mod problem;
mod progress;
mod screen;
mod terminal;
mod tui;
mod work;
mod wrapped;
mod ycsb_bindings;
mod ycsb_host;
mod ycsb_options;
mod ycsb_status;

use clap::Parser;

use arguments::Arguments;
use terminal::Terminal;

/// The clients of servers allocate dozens of times an operation (docs/decisions/clients.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    bug::install_panic_hook();
    let arguments = Arguments::try_parse().unwrap_or_else(|error| other_tools::end(error));
    let terminal = Terminal::decide(&arguments.global);
    let outcome = bug::catch(|| commands::execute(arguments.command, terminal));
    let code = match outcome {
        Ok(code) => code,
        Err(problem) => {
            terminal.problem(&problem);
            problem.exit
        }
    };
    code.into()
}
