//! One trial on its own: as a table, as JSON, as tidy CSV, and in YCSB's own text.

mod json;
mod ycsb;

use dbdyno_record::TrialRecord;

pub use crate::sections::trial::table;
pub use json::json;
pub use ycsb::{LatencyKind, YcsbOptions, ycsb};

/// The trial as tidy CSV: one row for each figure, with the columns of a study's `results.csv`.
#[must_use]
pub fn csv(trial: &TrialRecord) -> String {
    crate::tidy_csv(std::slice::from_ref(trial))
}
