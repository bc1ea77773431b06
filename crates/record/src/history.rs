//! A series over versions: a file of JSON lines, one for each metric of each cell of an added study.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{FolderError, atomic, regular_file};

/// The version of the format, in every line's `format`.
pub const HISTORY_FORMAT: &str = "dbdyno.history/1";

/// One metric of one cell at one point of the series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryEntry {
    /// [`HISTORY_FORMAT`].
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// Which point of the series: a version, a commit.
    pub label: String,
    /// When its first trial began, RFC 3339, UTC; empty where that is not known.
    pub started_at: String,
    /// System, workload and factors.
    pub cell: String,
    /// Version of the product, as read back.
    pub version: String,
    /// The metric that was measured.
    pub metric: String,
    /// `1/s` or `ns`.
    pub unit: String,
    /// Whether more is better.
    pub higher_is_better: bool,
    /// Every completed trial's value.
    pub values: Vec<f64>,
    /// Only a lower bound of their median is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Why no verdict may rest on them, when the system never reached a steady state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restless: Option<String>,
    /// Why no verdict may rest on them, when so many operations had no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<String>,
    /// Why no verdict may rest on them, when trials are marked invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
    /// Trials that sustained the rate, and of how many; absent without a rate, and in lines of versions that did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sustained: Option<(usize, usize)>,
    /// Conditions that must be the same for a comparison: work, promises, machine.
    pub conditions: BTreeMap<String, BTreeSet<String>>,
}

/// All lines of a file, in their order.
///
/// # Errors
/// When it cannot be read, or a line is damaged or of another format.
pub fn read(path: &Path) -> Result<Vec<HistoryEntry>, FolderError> {
    let text = regular_file::read_text(path, regular_file::LARGEST_DOCUMENT_BYTES)
        .map_err(|source| FolderError::io("read", path, source))?;
    read_text(&text).map_err(|reason| FolderError::Damaged {
        path: path.into(),
        reason,
        remedy: "remove the line, and add its results again".to_owned(),
    })
}

/// The entries in the text of a history.
///
/// # Errors
/// When a line is damaged or of another format.
pub(crate) fn read_text(text: &str) -> Result<Vec<HistoryEntry>, String> {
    let mut entries = Vec::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let damaged = |reason: String| format!("line {}: {reason}", number + 1);
        let entry: HistoryEntry = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
        if entry.format != HISTORY_FORMAT {
            return Err(damaged(format!(
                "its format is {:?}, not {HISTORY_FORMAT:?}",
                entry.format
            )));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// Adds lines at the end. The file is replaced as a whole, so that no reader and no crash sees half a line.
///
/// # Errors
/// When it cannot be read or written.
pub fn append(path: &Path, entries: &[HistoryEntry]) -> Result<(), FolderError> {
    let mut text = if path.exists() {
        regular_file::read_text(path, regular_file::LARGEST_DOCUMENT_BYTES)
            .map_err(|source| FolderError::io("read", path, source))?
    } else {
        String::new()
    };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for entry in entries {
        let line = serde_json::to_string(entry)
            .map_err(|error| FolderError::io("encode", path, std::io::Error::other(error)))?;
        text.push_str(&line);
        text.push('\n');
    }
    atomic::write(path, text.as_bytes()).map_err(|source| FolderError::io("write", path, source))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn entry(label: &str) -> HistoryEntry {
        HistoryEntry {
            format: HISTORY_FORMAT.to_owned(),
            study: "s".to_owned(),
            label: label.to_owned(),
            started_at: String::new(),
            cell: "redb, workload a".to_owned(),
            version: "4.1".to_owned(),
            metric: "throughput".to_owned(),
            unit: "1/s".to_owned(),
            higher_is_better: true,
            values: vec![1.5, 2.25],
            at_least: false,
            restless: None,
            failing: None,
            invalid: None,
            sustained: None,
            conditions: BTreeMap::new(),
        }
    }

    #[test]
    fn lines_are_added_and_a_damaged_one_is_named() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("history.jsonl");
        append(&path, &[entry("1"), entry("2")]).unwrap();
        append(&path, &[entry("3")]).unwrap();
        assert_eq!(read(&path).unwrap(), [entry("1"), entry("2"), entry("3")]);
        fs::write(&path, "\n{\"format\": \n").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
