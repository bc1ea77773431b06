//! One trial on its own: as a page, as a table, as JSON, as tidy CSV, and in YCSB's own text.

mod json;
mod ycsb;

use dbdyno_record::TrialRecord;
use dbdyno_trial::Factor;

use crate::StudyResults;
pub use crate::sections::trial::{table, title};
pub use json::json;
pub use ycsb::{LatencyKind, YcsbOptions, ycsb};

/// The name of the only trial of `dbdyno run` and `dbdyno load`.
pub const TRIAL: &str = "001";

/// The results of `dbdyno run`, which compare nothing: they have a page of their own.
#[derive(Clone, Copy, Debug)]
pub struct SingleRun<'a> {
    results: &'a StudyResults,
    trial: &'a TrialRecord,
}

impl<'a> SingleRun<'a> {
    /// The run in these results; `None` of a study.
    #[must_use]
    pub fn of(results: &'a StudyResults) -> Option<Self> {
        let is_planned_alone = matches!(results.planned.as_slice(), [only] if only == TRIAL);
        match results.trials.as_slice() {
            [trial] if is_planned_alone => Some(Self { results, trial }),
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

/// The trial as tidy CSV: one row for each figure, with the columns of a study's `results.csv`. A study has columns for what
/// its file sets; of a run, all settings that a study could set have one.
#[must_use]
pub fn csv(trial: &TrialRecord) -> String {
    let mut trial = trial.clone();
    trial.spec.factors.extend([Factor::Records, Factor::Rate]);
    let system = &trial.system;
    trial.spec.durability = trial.spec.durability.or(system.durability.known());
    trial.spec.consistency = trial.spec.consistency.or(system.consistency.known());
    crate::tidy_csv(std::slice::from_ref(&trial))
}
