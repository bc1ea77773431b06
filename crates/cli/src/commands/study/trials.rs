//! `--trials`, and results that were planned with more trials than the study file says.

use std::path::Path;

use dbdyno_record::ResultFolder;
use dbdyno_study::extension::{self, PlannedTrials};
use dbdyno_study::{CheckedStudy, file};

use crate::arguments::StudyFileArguments;
use crate::commands::after;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// The study with as many trials as the command line asks for; else with as many as its results were planned with, where that
/// is more than the file says.
pub fn planned(
    arguments: &StudyFileArguments,
    source: CheckedStudy,
    output: &Path,
    terminal: Terminal,
) -> Result<CheckedStudy, Problem> {
    if source.study.quick {
        refuse(arguments, "a quick look runs a fixed small number of trials")?;
        return Ok(source);
    }
    let stated = source.study.trials;
    let results = of_results(&source, output)?;
    let trials = match (arguments.trials, results) {
        (Some(request), results) => {
            let by_now = results.map_or(0, |results| results.blocks);
            let by_now = if by_now == 0 { stated } else { by_now };
            request
                .in_all(by_now)
                .map_err(|message| Problem::usage(message).help("pass a smaller number with `--trials`"))?
        }
        (None, Some(results)) if results.trials > stated => {
            terminal.note(&format!(
                "Note: {} was planned with {} trials per cell and keeps them, although {} asks for {stated}; \
                 `--trials {stated}` plans as many as the file",
                output.display(),
                results.trials,
                arguments.file.display()
            ));
            results.trials
        }
        (None, _) => return Ok(source),
    };
    file::read_with_trials(&arguments.file, trials).map_err(after::study_file_problem)
}

/// Refuses `--trials` for this reason.
pub fn refuse(arguments: &StudyFileArguments, reason: &str) -> Result<(), Problem> {
    match arguments.trials {
        None => Ok(()),
        Some(_) => Err(Problem::usage(format!("--trials has no effect here: {reason}"))
            .help("omit `--trials`, or remove `quick` or `budget` from the study file")),
    }
}

/// How many trials the results of this very study were planned with; `None` where there are none.
fn of_results(source: &CheckedStudy, output: &Path) -> Result<Option<PlannedTrials>, Problem> {
    // What is no result folder is refused when it is written to.
    let Ok(folder) = ResultFolder::open(output) else {
        return Ok(None);
    };
    let stored = folder.study_text().map_err(after::folder_problem)?;
    if file::changes::refusal(&stored, &source.text).is_some() {
        return Ok(None);
    }
    extension::planned_trials(&folder)
        .map(Some)
        .map_err(after::folder_problem)
}
