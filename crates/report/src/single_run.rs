//! The results of `dbdyno run`, told apart from those of a study.

use dbdyno_record::TrialRecord;

use crate::StudyResults;

/// The name of the only trial of `dbdyno run` and `dbdyno load`.
pub const TRIAL: &str = "001";

/// The results of `dbdyno run`, which compare nothing: they have a page of their own.
#[derive(Clone, Copy, Debug)]
pub struct SingleRun<'a> {
    results: &'a StudyResults,
    trial: &'a TrialRecord,
}

impl<'a> SingleRun<'a> {
    /// The run in these results; `None` of a study, and where prices were asked for, which a study's report shows.
    #[must_use]
    pub fn of(results: &'a StudyResults) -> Option<Self> {
        let is_planned_alone = matches!(results.planned.as_slice(), [only] if only == TRIAL);
        match results.trials.as_slice() {
            [trial] if is_planned_alone && results.prices.is_none() => Some(Self { results, trial }),
            _ => None,
        }
    }

    /// Its trial.
    #[must_use]
    pub fn trial(&self) -> &'a TrialRecord {
        self.trial
    }

    /// Everything in its folder.
    #[must_use]
    pub fn results(&self) -> &'a StudyResults {
        self.results
    }
}
