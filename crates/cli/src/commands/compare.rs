//! `dbdyno compare`: two result folders.

use std::path::Path;

use dbdyno_record::{Environment, ResultFolder, TrialRecord};
use dbdyno_report::{FolderComparison, Side, compare_folders};

use super::after::folder_problem;
use crate::arguments::{CompareArguments, CompareFormat, FailOn};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// `dbdyno compare`.
pub fn execute(arguments: &CompareArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let (before, after) = (read(&arguments.before)?, read(&arguments.after)?);
    let comparison = compare_folders(of(&before), of(&after), arguments.margin, arguments.anyway);
    if comparison.cells.is_empty() {
        return Err(Problem::usage(format!(
            "{} and {} have no system under the same workload in common",
            arguments.before.display(),
            arguments.after.display()
        ))
        .help(comparison.unmatched.join("; ")));
    }
    terminal.print(&match arguments.format {
        CompareFormat::Table => comparison.text(terminal.stdout),
        CompareFormat::Markdown => comparison.markdown(),
        CompareFormat::Json => comparison.json(),
    })?;
    Ok(exit_code(&comparison, arguments.fail_on))
}

type Read = (Vec<TrialRecord>, Option<Environment>);

fn read(path: &Path) -> Result<Read, Problem> {
    let folder = ResultFolder::open(path).map_err(folder_problem)?;
    let trials = folder.trials().map_err(folder_problem)?;
    Ok((trials, folder.environment().map_err(folder_problem)?))
}

fn of((trials, environment): &Read) -> Side<'_> {
    Side {
        trials,
        environment: environment.as_ref(),
    }
}

/// What could not be compared was not shown to be as good as before.
fn exit_code(comparison: &FolderComparison, fail_on: Option<FailOn>) -> ExitCode {
    let refused = comparison.refused();
    let against = match fail_on {
        None => 0,
        Some(FailOn::Slower) => comparison.slower() + refused,
        Some(FailOn::Change) => comparison.slower() + comparison.faster() + refused,
    };
    if against > 0 {
        ExitCode::ExpectationNotMet
    } else {
        ExitCode::Success
    }
}
