//! One trial on its own: as a page, as a table, as JSON, as tidy CSV, and in YCSB's own text.

mod json;
mod ycsb;

use dbdyno_record::TrialRecord;
use dbdyno_trial::Factor;

pub use crate::sections::trial::{table, title};
pub use crate::single_run::{SingleRun, TRIAL};
pub use json::json;
pub use ycsb::{LatencyKind, YcsbOptions, ycsb};

/// The trial as tidy CSV: one row for each figure, with the columns of a study's `results.csv`. A study has columns for what
/// its file sets; of a run, all settings that a study could set have one.
#[must_use]
pub fn csv(trial: &TrialRecord) -> String {
    let mut trial = trial.clone();
    trial.spec.factors.extend([Factor::Records, Factor::Rate]);
    let system = &trial.system;
    trial.spec.durability = trial.spec.durability.or(system.durability.known());
    trial.spec.consistency = trial.spec.consistency.or(system.consistency.known());
    crate::tidy_csv(std::slice::from_ref(&trial), |_| Vec::new())
}
