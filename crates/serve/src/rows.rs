//! The trials of a study in the order of execution, a row each: what the page and the terminal show as a table.

use std::collections::BTreeSet;

use dbdyno_record::plan::{attempt_of, planned_name};
use dbdyno_report::TrialNames;
use dbdyno_trial::TrialSpec;

use crate::watched::{EndedTrial, Watched};

/// A trial, or an attempt at one.
#[derive(Clone, Copy, Debug)]
pub struct TrialRow<'a> {
    /// Name of its folder.
    pub trial: &'a str,
    /// Name of the system; empty where the plan does not say.
    pub system: &'a str,
    /// What it is asked to do; `None` of a pilot that runs, which is in no plan.
    pub spec: Option<&'a TrialSpec>,
    /// Name of the workload, as files have it.
    pub workload: &'a str,
    /// What people call the trials of the study.
    pub names: &'a TrialNames,
    /// Its place in the plan, from 1; `None` of a pilot, which is in no plan.
    pub number: Option<usize>,
    /// How far it is.
    pub progress: TrialProgress<'a>,
}

impl TrialRow<'_> {
    /// The trial's place in the plan, and which attempt at it this is. Names of folders are for files.
    #[must_use]
    pub fn place(&self) -> String {
        let number = self
            .number
            .map_or("pilot".to_owned(), |number| number.to_string());
        match attempt_of(self.trial) {
            1 => number,
            attempt => format!("{number}, attempt {attempt}"),
        }
    }

    /// Its test: `A: update heavy, full speed`.
    #[must_use]
    pub fn test(&self) -> String {
        match self.spec {
            Some(spec) => self.names.test(spec),
            None => self.names.pilot(self.workload),
        }
    }
}

/// How far a trial is.
#[derive(Clone, Copy, Debug)]
pub enum TrialProgress<'a> {
    /// It is over.
    Ended(&'a EndedTrial),
    /// It runs.
    Running,
    /// It is planned.
    ToCome,
}

/// Every trial: pilots first, which are in no plan, then the planned ones, each with its attempts.
#[must_use]
pub fn trial_rows(watched: &Watched) -> Vec<TrialRow<'_>> {
    let planned: BTreeSet<&str> = watched
        .planned()
        .iter()
        .map(|planned| planned.trial.as_str())
        .collect();
    let ended = watched.ended();
    let pilots = ended
        .iter()
        .filter(|(name, _)| !planned.contains(planned_name(name)));
    let names = watched.names();
    let ended_row = |trial, ended, number| ended_row(trial, ended, number, names);
    let mut rows: Vec<TrialRow<'_>> = pilots.map(|(name, ended)| ended_row(name, ended, None)).collect();
    let running = watched
        .current()
        .map(|current| &current.trial)
        .filter(|running| !ended.contains_key(&running.trial));
    let running_row = running.map(|running| TrialRow {
        trial: &running.trial,
        system: &running.system,
        spec: None,
        workload: &running.workload,
        names,
        number: None,
        progress: TrialProgress::Running,
    });
    rows.extend(running_row.filter(|row| !planned.contains(planned_name(row.trial))));
    for (place, planned) in watched.planned().iter().enumerate() {
        let number = Some(place + 1);
        let name = planned.trial.as_str();
        let before = rows.len();
        let from = ended.range(planned.trial.clone()..);
        let attempts = from.take_while(|(attempt, _)| attempt.starts_with(name));
        rows.extend(
            attempts
                .filter(|(attempt, _)| planned_name(attempt) == name)
                .map(|(attempt, ended)| ended_row(attempt, ended, number)),
        );
        let running = running_row.filter(|row| planned_name(row.trial) == name);
        let spec = Some(&planned.spec);
        rows.extend(running.map(|row| TrialRow { number, spec, ..row }));
        if rows.len() == before {
            rows.push(TrialRow {
                trial: name,
                system: &planned.spec.system.name,
                spec: Some(&planned.spec),
                workload: &planned.spec.workload,
                names,
                number,
                progress: TrialProgress::ToCome,
            });
        }
    }
    rows
}

fn ended_row<'a>(
    name: &'a str,
    ended: &'a EndedTrial,
    number: Option<usize>,
    names: &'a TrialNames,
) -> TrialRow<'a> {
    TrialRow {
        trial: name,
        system: &ended.system,
        spec: Some(&ended.spec),
        workload: &ended.spec.workload,
        names,
        number,
        progress: TrialProgress::Ended(ended),
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::live::{LiveTrial, LiveWriter};
    use dbdyno_record::{PlanFile, PlannedStudy, PlannedTrial, ResultFolder};
    use dbdyno_trial::{SystemSpec, TrialSpec};

    use super::*;
    use crate::watched::tests::trial;

    #[test]
    fn a_trial_that_is_repeated_or_in_no_plan_has_its_place() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let folder = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let planned = ["001-redb-a", "002-fjall-a"].map(|name| PlannedTrial {
            trial: name.to_owned(),
            block: 0,
            position: 0,
            seed: 0,
            spec: TrialSpec::new(SystemSpec::named(&name[4..].replace("-a", "")), "", 1),
        });
        folder
            .write_plan(&PlanFile::new(PlannedStudy::default(), planned.to_vec()))
            .unwrap();
        let names = |watched: &Watched| -> Vec<(String, bool)> {
            let is_running = |row: &TrialRow<'_>| matches!(row.progress, TrialProgress::Running);
            trial_rows(watched)
                .iter()
                .map(|row| (format!("{} {}", row.trial, row.system), is_running(row)))
                .collect()
        };
        let row = |text: &str, is_running: bool| (text.to_owned(), is_running);
        let mut watched = Watched::open(&path).unwrap();
        assert_eq!(
            names(&watched),
            [row("001-redb-a redb", false), row("002-fjall-a fjall", false)]
        );
        for (running, expected) in [
            (
                "pilot-redb",
                vec![
                    row("pilot-redb redb", true),
                    row("001-redb-a redb", false),
                    row("002-fjall-a fjall", false),
                ],
            ),
            (
                "001-redb-a~2",
                vec![row("001-redb-a~2 redb", true), row("002-fjall-a fjall", false)],
            ),
        ] {
            let running = LiveTrial {
                trial: running.to_owned(),
                ..trial()
            };
            drop(LiveWriter::begin(&path, running).unwrap());
            watched.look().unwrap();
            assert_eq!(names(&watched), expected);
        }
    }
}
