//! `dbdyno completions`, `dbdyno man` and `dbdyno schema`: made from the same definitions that parse the command line and the files.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::{Arguments, SchemaOf};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Prints the JSON Schema of a kind of file.
pub fn schema(file: SchemaOf, terminal: Terminal) -> Result<ExitCode, Problem> {
    terminal.print(match file {
        SchemaOf::Study => dbdyno_files::STUDY_SCHEMA,
        SchemaOf::Need => dbdyno_files::NEED_SCHEMA,
    })?;
    Ok(ExitCode::Success)
}

/// Prints a completion script.
pub fn completions(shell: Shell, terminal: Terminal) -> Result<ExitCode, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "dbdyno", &mut script);
    terminal.print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::Success)
}

/// Prints the manual: the main page, then one section per command.
pub fn man(terminal: Terminal) -> Result<ExitCode, Problem> {
    let mut command = Arguments::command();
    command.build();
    let mut pages = Vec::new();
    let mut render = |command: &clap::Command| clap_mangen::Man::new(command.clone()).render(&mut pages);
    let outcome = render(&command).and_then(|()| {
        command
            .get_subcommands()
            .filter(|subcommand| subcommand.get_name() != "help")
            .try_for_each(&mut render)
    });
    outcome.map_err(|error| Problem::files("cannot make the manual page").caused_by(error))?;
    terminal.print(&String::from_utf8_lossy(&pages))?;
    Ok(ExitCode::Success)
}
