//! `dbdyno study status`: how far a study is.

use std::collections::BTreeMap;
use std::fmt;

use dbdyno_record::plan::{attempt_of, planned_name};
use dbdyno_record::{ResultFolder, TrialStatus};
use dbdyno_study::repetition::{self, MOST_FAILURES};
use dbdyno_study::rising_load::Kind;
use dbdyno_study::{Plan, extension, file, pilot, precision};

use super::outline::{self, ends};
use super::{Asked, read, rising_load};
use crate::arguments::StudyFileArguments;
use crate::commands::after;
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// How far a planned trial has come.
enum TrialProgress {
    /// It was measured, at this attempt.
    Done { attempt: u32 },
    /// It failed too often to be tried again.
    Abandoned { reason: String },
    /// The last attempt ended like this.
    ToRepeat(TrialStatus),
}

impl fmt::Display for TrialProgress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done { attempt: 1 } => write!(formatter, "done"),
            Self::Done { attempt } => write!(formatter, "done, at attempt {attempt}"),
            Self::Abandoned { reason } => {
                write!(formatter, "failed {MOST_FAILURES} times, abandoned: {reason}")
            }
            Self::ToRepeat(status) => {
                write!(formatter, "{}, will be repeated", status.state())?;
                match status {
                    TrialStatus::Failed { reason, .. } => write!(formatter, ": {reason}"),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// Shows how far a study is.
pub fn execute(arguments: &StudyFileArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let Asked {
        study_file, output, ..
    } = read(arguments, terminal)?;
    let mut study = study_file.study.clone();
    let mut states: BTreeMap<String, TrialProgress> = BTreeMap::new();
    let (mut blocks, mut ended, mut added) = (study.trials, None, None);
    let mut paced = Vec::new();
    if output.exists() {
        let folder = ResultFolder::open(&output).map_err(after::folder_problem)?;
        study = extension::in_its_order(&study, &folder).map_err(after::folder_problem)?;
        let stored = folder.study_text().map_err(after::folder_problem)?;
        if let Some(difference) = file::changes::refusal(&stored, &study_file.text) {
            terminal.warn(&format!(
                "{} contains trials of a different study ({difference}); `dbdyno study run` will require another --output",
                output.display()
            ));
        }
        let (records, doubts) = folder.trials_and_doubts().map_err(after::folder_problem)?;
        after::warn_of(&doubts, &output, terminal);
        let plan = dbdyno_study::plan::stored(&folder).map_err(after::folder_problem)?;
        added = plan
            .study
            .and_then(|asked| dbdyno_report::added_trials(&asked, &records));
        let need;
        (blocks, need) = precision::blocks(&study, &records);
        ended = study
            .precision
            .and_then(|precision| precision::sentence(&precision, blocks, &need));
        blocks = blocks.max(extension::begun(&records));
        let attempts = repetition::states(&records);
        // Repetitions come after what they repeat: the last word counts.
        for record in records {
            paced.push(record.spec.clone());
            let planned = planned_name(&record.trial).to_owned();
            let progress = match record.status {
                TrialStatus::Completed => TrialProgress::Done {
                    attempt: attempt_of(&record.trial),
                },
                TrialStatus::Failed { reason, .. } if repetition::is_given_up(&planned, &attempts) => {
                    TrialProgress::Abandoned { reason }
                }
                status => TrialProgress::ToRepeat(status),
            };
            states.insert(planned, progress);
        }
    }
    let added = added.map_or_else(String::new, |sentence| format!("{sentence}\n"));
    if study.kind != Kind::Comparison {
        terminal.print(&format!("{}{added}", rising_load::status(&study, &output)?))?;
        return Ok(ExitCode::Success);
    }
    let mut names = outline::names(&study);
    paced.iter().for_each(|spec| names.learn_rate(spec));
    let plan = Plan::of_blocks(&study, blocks);
    let done = plan
        .trials
        .iter()
        .filter(|trial| matches!(states.get(&trial.planned.trial), Some(TrialProgress::Done { .. })))
        .count();
    let mut text = format!(
        "{} of {} trials are done; results in {}\n",
        done,
        plan.trials.len(),
        output.display()
    );
    if let Some(precision) = &study.precision {
        text.push_str(&format!("{}\n", ended.unwrap_or_else(|| ends(precision))));
    }
    text.push_str(&added);
    let pilots = pilot::trials(&study);
    let shown = || pilots.iter().chain(&plan.trials);
    let names: Vec<String> = shown().map(|trial| names.trial(&trial.planned.spec)).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let digits = plan.trials.len().to_string().len();
    for (place, (trial, name)) in shown().zip(&names).enumerate() {
        let state = states
            .get(&trial.planned.trial)
            .map_or_else(|| "missing".to_owned(), ToString::to_string);
        let number = (place + 1).checked_sub(pilots.len()).filter(|number| *number > 0);
        let number = number.map_or_else(String::new, |number| number.to_string());
        text.push_str(&format!("  {number:>digits$}  {name:<widest$}  {state}\n"));
    }
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}
