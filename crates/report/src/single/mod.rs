//! One trial, told alone: as a table, as JSON, as tidy CSV, and in YCSB's own text.

mod table;
mod ycsb;

use dbdyno_record::TrialRecord;

pub use table::table;
pub use ycsb::{LatencyKind, YcsbOptions, ycsb};

/// The record itself as one JSON document, indented, with a final line feed.
#[must_use]
pub fn json(trial: &TrialRecord) -> String {
    let mut text = serde_json::to_string_pretty(trial).expect("a record holds only maps with text keys");
    text.push('\n');
    text
}

/// The trial as tidy CSV: one row for each figure, with the columns of a study's `results.csv`.
#[must_use]
pub fn csv(trial: &TrialRecord) -> String {
    crate::tidy_csv(std::slice::from_ref(trial))
}
