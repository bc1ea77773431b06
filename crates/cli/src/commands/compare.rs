//! `dbdyno compare`: two result folders, or points of a history.

use std::collections::BTreeSet;
use std::path::Path;

use dbdyno_record::pilot::is_pilot;
use dbdyno_record::{Environment, ResultFolder, TrialRecord, history};
use dbdyno_report::{CellFacts, FolderComparison, Render, Side, cells_of, compare_cells};

use super::after::folder_problem;
use crate::arguments::{CompareArguments, CompareFormat, FailOn};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// `dbdyno compare`.
pub fn execute(arguments: &CompareArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let (before, after) = (cells(&arguments.before)?, cells(&arguments.after)?);
    let comparison = compare_cells(&before, &after, arguments.margin, arguments.anyway);
    if comparison.cells.is_empty() {
        return Err(Problem::usage(format!(
            "{} and {} have no system and workload in common",
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

/// The cells of a folder, or of a point of a history.
fn cells(path: &Path) -> Result<Vec<CellFacts>, Problem> {
    let text = path.to_string_lossy();
    if let Some((file, label)) = text.rsplit_once('@')
        && !path.exists()
        && Path::new(file).is_file()
    {
        let entries = history::read(Path::new(file)).map_err(folder_problem)?;
        let cells = dbdyno_report::facts(&entries, label);
        if cells.is_empty() {
            let labels: BTreeSet<&str> = entries.iter().map(|entry| entry.label.as_str()).collect();
            let labels: Vec<&str> = labels.into_iter().collect();
            return Err(Problem::usage(format!("{file} has no point labelled {label:?}"))
                .help(format!("its points are {}", labels.join(", "))));
        }
        return Ok(cells);
    }
    Ok(cells_of(side(&read(path)?)))
}

/// What a result folder holds.
pub type Read = (Vec<TrialRecord>, Option<Environment>);

/// Reads a result folder.
pub fn read(path: &Path) -> Result<Read, Problem> {
    let folder = ResultFolder::open(path).map_err(folder_problem)?;
    let mut trials = folder.trials().map_err(folder_problem)?;
    trials.retain(|trial| !is_pilot(&trial.factors));
    Ok((trials, folder.environment().map_err(folder_problem)?))
}

/// As what is compared takes it.
pub fn side((trials, environment): &Read) -> Side<'_> {
    Side {
        trials,
        environment: environment.as_ref(),
    }
}

/// What could not be compared was not shown to be as good as before.
fn exit_code(comparison: &FolderComparison, fail_on: Option<FailOn>) -> ExitCode {
    let refused = comparison.refused() + comparison.rates_lost() + comparison.answers_lost();
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
