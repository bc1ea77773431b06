//! Which carrying out of a planned trial is next, and which one counts.
//!
//! A trial that the machine disturbed is kept and repeated, `017-redb-a` as `017-redb-a~2`. It is asked what the machine did,
//! never how fast the trial was: repeating by result would choose results.

use std::collections::BTreeMap;

use dbdyno_record::plan::repetition_name;
use dbdyno_record::{Finding, Severity, TrialRecord, TrialStatus};

/// How the trials of a folder ended, by name.
pub type States = BTreeMap<String, TrialStatus>;

/// The states of these records.
#[must_use]
pub fn states(records: &[TrialRecord]) -> States {
    records
        .iter()
        .map(|record| (record.trial.clone(), record.status.clone()))
        .collect()
}

/// The number of the next carrying out of a planned trial, from 1; `None` when one of them counts already. The folder is all
/// it takes, so a study goes on after a kill as if nothing had been.
#[must_use]
pub fn next(planned: &str, states: &States) -> Option<u32> {
    (1..)
        .find_map(|number| match states.get(&repetition_name(planned, number)) {
            Some(TrialStatus::Completed) => Some(None),
            Some(TrialStatus::Disturbed) => None,
            Some(_) | None => Some(Some(number)),
        })
        .flatten()
}

/// Decides whether a trial that has just ended counts: not when it was disturbed and may be repeated. `limit` is how often
/// that may be.
pub fn settle(record: &mut TrialRecord, number: u32, limit: u32) {
    if record.status != TrialStatus::Completed || record.conditions.disturbed_by.is_empty() {
        return;
    }
    if number <= limit {
        record.status = TrialStatus::Disturbed;
    } else if number > 1 {
        record.findings.push(Finding {
            code: "always-disturbed".to_owned(),
            severity: Severity::Warning,
            message: format!(
                "this trial was disturbed all {number} times that it was carried out; this one, the last, counts"
            ),
            remedy: "measure on a quieter machine, or let it be repeated more often: `repeat_disturbed`"
                .to_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(entries: &[(&str, TrialStatus)]) -> States {
        let owned = |(name, status): &(&str, TrialStatus)| ((*name).to_owned(), status.clone());
        entries.iter().map(owned).collect()
    }

    #[test]
    fn what_is_next_follows_from_the_folder() {
        use TrialStatus::{Completed, Disturbed, Interrupted};
        assert_eq!(next("1-a", &States::new()), Some(1));
        assert_eq!(next("1-a", &states(&[("1-a", Completed)])), None);
        assert_eq!(next("1-a", &states(&[("1-a", Interrupted)])), Some(1));
        assert_eq!(next("1-a", &states(&[("1-a", Disturbed)])), Some(2));
        let killed = states(&[("1-a", Disturbed), ("1-a~2", Interrupted)]);
        assert_eq!(next("1-a", &killed), Some(2));
        let twice = states(&[("1-a", Disturbed), ("1-a~2", Disturbed)]);
        assert_eq!(next("1-a", &twice), Some(3));
        let settled = states(&[("1-a", Disturbed), ("1-a~2", Completed)]);
        assert_eq!(next("1-a", &settled), None);
    }
}
