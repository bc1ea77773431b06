//! Readers of files as functions of their content, for `crates/fuzzed`; nothing else uses them.

use crate::{HistoryEntry, IntervalRow, Latency, LoggedInterval, history, interval_log, intervals};

/// A histogram of a record, without its base64.
///
/// # Errors
/// When it is none.
pub fn histogram(bytes: &[u8]) -> Result<Latency, String> {
    Latency::decode(bytes)
}

/// All intervals of `latency.hlog`.
///
/// # Errors
/// When a line of it is none.
pub fn interval_log(text: &str) -> Result<Vec<LoggedInterval>, String> {
    let mut found = Vec::new();
    interval_log::read_text(text, |_| true, |interval| found.push(interval.clone()))?;
    Ok(found)
}

/// All rows of `intervals.csv`.
///
/// # Errors
/// When one is none.
pub fn interval_rows(text: &str) -> Result<Vec<IntervalRow>, String> {
    intervals::read_text(text).map_err(|error| error.to_string())
}

/// All lines of a history.
///
/// # Errors
/// When one is damaged.
pub fn history(text: &str) -> Result<Vec<HistoryEntry>, String> {
    history::read_text(text)
}
