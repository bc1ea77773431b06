//! Which attempt at a planned trial is next, and which one counts.
//!
//! Every attempt stays: disturbed, interrupted and failed ones are kept, and the next one is `017-redb-a~2`. Whether a trial is
//! repeated is asked of the machine, never of the result: repeating by result would choose results.

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_record::finding::{AlwaysDisturbed, RepeatBudgetSpent};
use dbdyno_record::plan::{planned_name, repetition_name};
use dbdyno_record::{Finding, TrialRecord, TrialStatus};

use crate::file::definition::Study;
use crate::plan::{Plan, Trial, pilot};

/// Failed attempts after which a planned trial is not tried again.
pub const MOST_FAILURES: usize = 5;

/// How the trials of a folder ended, by name.
pub type States = BTreeMap<String, TrialStatus>;

/// The states of these records.
#[must_use]
pub fn states(records: &[TrialRecord]) -> States {
    let state = |record: &TrialRecord| (record.trial.clone(), state(record));
    records.iter().map(state).collect()
}

/// The state of a record. Who had to be measured again with others was interrupted as they were: the machine did nothing.
#[must_use]
pub fn state(record: &TrialRecord) -> TrialStatus {
    match record.is_torn() {
        true => TrialStatus::Interrupted,
        false => record.status.clone(),
    }
}

/// The attempts at a planned trial that ended so.
fn ended<'a>(
    planned: &'a str,
    states: &'a States,
    so: fn(&TrialStatus) -> bool,
) -> impl Iterator<Item = &'a String> {
    let own = move |name: &&String| planned_name(name) == planned;
    states
        .iter()
        .filter(move |(_, status)| so(status))
        .map(|(name, _)| name)
        .filter(own)
}

/// How many attempts at a planned trial the machine disturbed.
#[must_use]
pub fn disturbed(planned: &str, states: &States) -> u32 {
    ended(planned, states, |status| *status == TrialStatus::Disturbed).count() as u32
}

/// The number of the next attempt at a planned trial, from 1; `None` when one counts already, or [`MOST_FAILURES`] failed. The
/// folder is all it takes, so a study goes on after a kill as if nothing had been.
#[must_use]
pub fn next(planned: &str, states: &States) -> Option<u32> {
    let counts = ended(planned, states, |status| *status == TrialStatus::Completed).next();
    let failures = ended(planned, states, |status| {
        matches!(status, TrialStatus::Failed { .. })
    });
    if counts.is_some() || failures.count() >= MOST_FAILURES {
        return None;
    }
    (1..).find(|&number| !states.contains_key(&repetition_name(planned, number)))
}

/// Whether a planned trial failed so often that it is not tried again.
#[must_use]
pub fn is_given_up(planned: &str, states: &States) -> bool {
    next(planned, states).is_none()
        && ended(planned, states, |status| *status == TrialStatus::Completed)
            .next()
            .is_none()
}

/// The pilots that are missing while trials at their rate are missing, too.
pub(crate) fn missing_pilots(study: &Study, plan: &Plan, states: &States) -> Vec<Trial> {
    let is_missing = |trial: &&Trial| next(&trial.planned.trial, states).is_some();
    let missing: Vec<&Trial> = plan.trials.iter().filter(is_missing).collect();
    pilot::of_cells(study)
        .into_iter()
        .filter(|(cell, pilot)| is_missing(&pilot) && missing.iter().any(|trial| trial.planned.spec == *cell))
        .map(|(_, pilot)| pilot)
        .collect()
}

/// How much of a study's time repetitions of disturbed trials may take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// In all.
    pub whole: Duration,
    /// Used by the repetitions so far, as estimated.
    pub spent: Duration,
}

impl Budget {
    /// The time that is left.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.whole.saturating_sub(self.spent)
    }

    /// Takes the time of a repetition, when there is enough.
    fn take(&mut self, time: Duration) -> bool {
        let enough = self.spent + time <= self.whole;
        if enough {
            self.spent += time;
        }
        enough
    }
}

/// Decides whether trials that have just ended count: not when they were disturbed and may be repeated. They took turns, if there
/// are several, so either all of them are repeated or none. `before` is how often they were disturbed already, `limit` how often they
/// may be repeated, `time` how long that takes.
pub fn judge<'a>(
    records: impl IntoIterator<Item = &'a mut TrialRecord>,
    before: u32,
    limit: u32,
    budget: &mut Budget,
    time: Duration,
) {
    let is_disturbed = |record: &&mut TrialRecord| {
        record.status == TrialStatus::Completed && !record.conditions.disturbed_by.is_empty()
    };
    let disturbed: Vec<&mut TrialRecord> = records.into_iter().filter(is_disturbed).collect();
    if disturbed.is_empty() {
        return;
    }
    let finding = if before < limit {
        if budget.take(time) {
            for record in disturbed {
                record.status = TrialStatus::Disturbed;
            }
            return;
        }
        Finding::warning(RepeatBudgetSpent {})
    } else if before > 0 {
        Finding::warning(AlwaysDisturbed { attempts: before + 1 })
    } else {
        return;
    };
    for record in disturbed {
        record.findings.push(finding.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TrialStatus::{Completed, Disturbed, Interrupted};

    fn states(entries: &[(&str, TrialStatus)]) -> States {
        let owned = |(name, status): &(&str, TrialStatus)| ((*name).to_owned(), status.clone());
        entries.iter().map(owned).collect()
    }

    fn failed() -> TrialStatus {
        TrialStatus::failed("x".to_owned())
    }

    #[test]
    fn what_is_next_follows_from_the_folder() {
        assert_eq!(next("1-a", &States::new()), Some(1));
        assert_eq!(next("1-a", &states(&[("1-a", Completed)])), None);
        for kept in [Interrupted, Disturbed, failed()] {
            assert_eq!(next("1-a", &states(&[("1-a", kept)])), Some(2), "it stays");
        }
        let killed = states(&[("1-a", Disturbed), ("1-a~2", Interrupted), ("1-b", Completed)]);
        assert_eq!(next("1-a", &killed), Some(3));
        assert_eq!(disturbed("1-a", &killed), 1);
        let settled = states(&[("1-a", failed()), ("1-a~2", Completed)]);
        assert_eq!(next("1-a", &settled), None);
    }

    #[test]
    fn a_torn_group_is_no_disturbance() {
        let mut record = crate::test_record::completed("1-a", 1);
        record.status = Disturbed;
        let by_the_machine = super::states(std::slice::from_ref(&record));
        record
            .findings
            .push(Finding::warning(dbdyno_record::finding::TornGroup {}));
        let torn = super::states(&[record]);
        assert_eq!(
            (disturbed("1-a", &by_the_machine), disturbed("1-a", &torn)),
            (1, 0)
        );
        assert_eq!(next("1-a", &torn), Some(2));
    }

    #[test]
    fn what_always_fails_is_not_tried_for_ever() {
        let names = ["1-a", "1-a~2", "1-a~3", "1-a~4", "1-a~5"];
        let often = names.map(|name| (name, failed()));
        assert_eq!(next("1-a", &states(&often[..4])), Some(5));
        assert_eq!(next("1-a", &states(&often)), None);
        assert!(is_given_up("1-a", &states(&often)) && !is_given_up("1-a", &states(&often[..4])));
    }

    #[test]
    fn a_budget_is_never_exceeded() {
        let second = Duration::from_secs(1);
        let mut budget = Budget {
            whole: second * 2,
            spent: Duration::ZERO,
        };
        assert!(budget.take(second) && !budget.take(second * 2) && budget.take(second));
        assert!(!budget.take(second / 1000) && budget.left().is_zero());
    }
}
