//! The end of a study: notes and warnings about its results, and the exit code.

use std::collections::BTreeMap;

use dbdyno_record::ResultFolder;
use dbdyno_report::{TrialNames, number};
use dbdyno_study::Summary;
use dbdyno_study::repetition::MOST_FAILURES;

use crate::commands::after;
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Prints notes and warnings about how the results in a folder were measured.
pub fn tell(summary: &Summary, folder: &ResultFolder, terminal: Terminal) -> Result<(), Problem> {
    let named = Named::of(summary, folder)?;
    if summary.already_done > 0 {
        let were = |count: usize| if count == 1 { "was" } else { "were" };
        terminal.note(&format!(
            "{} {} already done, {} {} run now",
            number::plural(summary.already_done, "trial", "trials"),
            were(summary.already_done),
            summary.completed,
            were(summary.completed)
        ));
    }
    if !summary.disturbed.is_empty() {
        terminal.note(&format!(
            "Repeated attempts (the report says why): {}",
            named.some_of(&summary.disturbed)
        ));
    }
    if !summary.given_up.is_empty() {
        terminal.warn(&format!(
            "skipped after {} failed attempts: {}; to retry, remove the folders of these attempts",
            MOST_FAILURES,
            named.some_of(&summary.given_up)
        ));
    }
    if !summary.invalid.is_empty() {
        terminal.warn(&format!(
            "no verdict rests on these invalid trials: {}; the report says why",
            named.some_of(&summary.invalid)
        ));
    }
    if !summary.kept_disturbed.is_empty() {
        terminal.warn(&format!(
            "`repeat_budget` is spent: {} disturbed trials are used as they are, each with a finding: {}",
            summary.kept_disturbed.len(),
            named.some_of(&summary.kept_disturbed)
        ));
    }
    if let Some(change) = &summary.disk_change {
        terminal.warn(&format!(
            "the disk changed during the study: {change}; early and late trials had different disk performance"
        ));
    }
    if let Some(precision) = &summary.precision {
        terminal.note(&format!("Precision: {precision}"));
    }
    if let Some(reason) = &summary.stopped_because {
        terminal.warn(&format!("the study stopped: {reason}"));
    }
    for change in &summary.environment_changes {
        terminal.warn(&format!("the study started on a different machine: {change}"));
    }
    Ok(())
}

/// The trials of which an ending speaks, by what people call them.
struct Named<'a> {
    /// By the name of the trial's folder.
    names: BTreeMap<String, String>,
    folder: &'a ResultFolder,
}

impl<'a> Named<'a> {
    /// Reads the trials of a folder, if there is one to speak of.
    fn of(summary: &Summary, folder: &'a ResultFolder) -> Result<Self, Problem> {
        let lists = [
            &summary.disturbed,
            &summary.given_up,
            &summary.invalid,
            &summary.kept_disturbed,
        ];
        if lists.iter().all(|list| list.is_empty()) {
            return Ok(Self {
                names: BTreeMap::new(),
                folder,
            });
        }
        let plan = dbdyno_study::plan::stored(folder).map_err(after::folder_problem)?;
        let trials = folder.trials().map_err(after::folder_problem)?;
        let specs = plan.trials.iter().map(|planned| &planned.spec);
        let mut names = TrialNames::of(&plan.study.unwrap_or_default(), specs);
        trials.iter().for_each(|trial| names.learn(trial));
        let planned = plan.trials.iter().map(|planned| (&planned.trial, &planned.spec));
        let ran = trials.iter().map(|trial| (&trial.trial, &trial.spec));
        Ok(Self {
            names: planned
                .chain(ran)
                .map(|(trial, spec)| (trial.clone(), names.trial(spec)))
                .collect(),
            folder,
        })
    }

    /// A few trials with their folders, and how many others there are: a long list would push the path of the report away.
    fn some_of(&self, trials: &[String]) -> String {
        const NAMED: usize = 3;
        let name = |trial: &String| {
            let place = self.folder.trial_dir(trial);
            let name = self.names.get(trial);
            name.map_or_else(
                || place.display().to_string(),
                |name| format!("{name} ({})", place.display()),
            )
        };
        let named: Vec<String> = trials.iter().take(NAMED).map(name).collect();
        let named = named.join("; ");
        match trials.len().saturating_sub(NAMED) {
            0 => named,
            others => format!("{named}; and {others} more (`dbdyno study status` lists them)"),
        }
    }
}

/// How a study ends.
pub fn exit_code(summary: &Summary) -> ExitCode {
    let mut code = match (&summary.stopped_because, summary.interrupted) {
        (Some(_), _) => ExitCode::SystemUnreachable,
        (None, true) => ExitCode::Interrupted,
        (None, false) => ExitCode::Success,
    };
    if !summary.given_up.is_empty() || !summary.invalid.is_empty() {
        code = code.or(ExitCode::ResultInvalid);
    }
    for (_, class) in &summary.failed {
        code = code.or(match after::exit_of(*class) {
            ExitCode::SystemUnreachable => ExitCode::SystemUnreachable,
            _ => ExitCode::ResultInvalid,
        });
    }
    code
}
