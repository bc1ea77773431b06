//! `--junit`: the checks of a command in a file for CI services, however the command ends.

use std::path::Path;

use dbdyno_report::checks::{Check, Outcome, junit};

use crate::exit_code::ExitCode;
use crate::output_file;
use crate::problem::Problem;

/// Carries out a command that adds its checks to a list, and writes them to the file, if one is asked for. A command that fails
/// has an error among its checks.
///
/// # Errors
/// Those of the command, and when the file cannot be written.
pub fn reported(
    command: &str,
    path: Option<&Path>,
    execute: impl FnOnce(&mut Vec<Check>) -> Result<ExitCode, Problem>,
) -> Result<ExitCode, Problem> {
    let mut checks = Vec::new();
    let Some(path) = path else {
        return execute(&mut checks);
    };
    // It stays if the process is killed, and a path that cannot be written ends the command before it measures anything. Whoever
    // reads a pipe would take it for the result.
    if output_file::is_file(path) {
        let stopped = error(command, "the command was stopped before it had a result");
        write(path, command, &[stopped])?;
    }
    let outcome = execute(&mut checks);
    if let Err(problem) = &outcome {
        checks.push(error(command, problem.message()));
    }
    let written = write(path, command, &checks);
    let code = outcome?;
    written?;
    Ok(code)
}

/// That there is no result.
pub fn error(subject: &str, message: &str) -> Check {
    Check {
        subject: subject.to_owned(),
        name: "result".to_owned(),
        outcome: Outcome::Error,
        word: "error".to_owned(),
        message: message.to_owned(),
        time: None,
    }
}

fn write(path: &Path, command: &str, checks: &[Check]) -> Result<(), Problem> {
    let text = junit(command, checks);
    output_file::write(path, &text).map_err(|error| {
        Problem::files(format!("cannot write {}", path.display()))
            .caused_by(error)
            .help("choose another file with --junit")
    })
}
