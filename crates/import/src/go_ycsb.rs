//! go-ycsb's text: its properties, a summary every few seconds, and after `Run finished` the last one
//! (`READ   - Takes(s): 10.0, Count: 12345, OPS: 1234.5, Avg(us): ...`, or a table of the same with `outputstyle=table`).

use std::collections::BTreeMap;

use dbdyno_record::{OperationRecord, Stated, StatedLatency};

use crate::Asked;
use crate::kinds::{READ_MODIFY_WRITE, ours, without_halves};
use crate::log::{ImportError, Log, Phase, Tool};
use crate::section::LARGEST;

const FINISHED: &str = "Run finished, takes ";
const ERROR: &str = "_ERROR";

/// The figures of one operation, by their names in small letters: a table's header is in capitals.
type Row = BTreeMap<String, f64>;

pub fn is_log(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with(FINISHED) || line.contains(" - Takes(s): "))
}

pub fn read(text: &str) -> Result<Log, ImportError> {
    let runs = text.lines().filter(|line| line.starts_with(FINISHED)).count();
    if runs > 1 {
        return Err(ImportError::Several { runs });
    }
    let mut asked = Asked::default();
    for (name, value) in text.lines().filter_map(property) {
        asked.reported = true;
        asked.property(name, value);
    }
    let (_, last) = text.split_once(FINISHED).ok_or_else(|| ImportError::Truncated {
        what: format!(
            "there is no line `{}...`, after which go-ycsb prints the whole run",
            FINISHED.trim_end()
        ),
    })?;
    let before = text.lines().count() - last.lines().count();
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut header: Option<Vec<&str>> = None;
    for (number, line) in last.lines().enumerate().skip(1) {
        let row = if line.starts_with('|') {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            if cells[0].eq_ignore_ascii_case("operation") {
                header = Some(cells);
                continue;
            }
            header.as_ref().map(|header| of_table(header, &cells))
        } else {
            line.split_once(" - Takes(s): ").map(|_| of_line(line))
        };
        match row {
            None => {}
            Some(Some((name, row))) => {
                rows.insert(name, row);
            }
            Some(None) => {
                return Err(ImportError::Line {
                    line: before + number + 1,
                    text: line.to_owned(),
                    reason: "a figure of it is not a number".to_owned(),
                });
            }
        }
    }
    let duration_ns = duration_ns(&rows).ok_or(ImportError::Nothing)?;
    let mut operations = operations(&rows)?;
    without_halves(&mut operations);
    let only_inserts = operations.keys().all(|kind| kind == "insert");
    let mut remarks = Vec::new();
    if operations.contains_key(READ_MODIFY_WRITE) {
        remarks.push(
            "go-ycsb times the halves of read-modify-writes with the reads and updates: the latencies of these are of both".to_owned(),
        );
    }
    Ok(Log {
        tool: Tool::GoYcsb,
        phase: if asked.load || !asked.reported && only_inserts {
            Phase::Load
        } else {
            Phase::Run
        },
        duration_ns,
        operations,
        asked,
        disagreement: None,
        remarks,
    })
}

/// `"threadcount"="16"`.
fn property(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix('"')?.split_once("\"=\"")?;
    Some((name, value.strip_suffix('"')?))
}

/// `READ   - Takes(s): 10.0, Count: 12345, ...`; `None` when a figure is no number.
fn of_line(line: &str) -> Option<(&str, Row)> {
    let (name, figures) = line.split_once(" - ")?;
    let figures = figures.split(", ").map(|figure| {
        let (name, value) = figure.split_once(": ")?;
        Some((name.to_lowercase(), measured(value.trim())?))
    });
    Some((name.trim(), figures.collect::<Option<Row>>()?))
}

/// A figure that can have been measured; NaN where there was nothing to measure.
fn measured(text: &str) -> Option<f64> {
    let figure: f64 = text.parse().ok()?;
    (figure.is_nan() || (0.0..=LARGEST).contains(&figure)).then_some(figure)
}

fn of_table<'a>(header: &[&str], cells: &[&'a str]) -> Option<(&'a str, Row)> {
    let figures = header.iter().zip(cells).skip(1);
    let figures = figures.map(|(name, value)| Some((name.to_lowercase(), measured(value)?)));
    Some((*cells.first()?, figures.collect::<Option<Row>>()?))
}

/// Time is printed to tenths of a second; operations over operations a second is more exact, and of all rows the longest.
fn duration_ns(rows: &BTreeMap<&str, Row>) -> Option<u64> {
    let of = |row: &Row| {
        let rate = row.get("ops").filter(|rate| **rate > 0.0)?;
        Some(row.get("count")? / rate)
    };
    let seconds = match rows.get("TOTAL") {
        Some(total) => of(total),
        None => rows.values().filter_map(of).reduce(f64::max),
    };
    seconds
        .map(|seconds| (seconds * 1e9) as u64)
        .filter(|time| *time > 0)
}

fn operations(rows: &BTreeMap<&str, Row>) -> Result<BTreeMap<String, OperationRecord>, ImportError> {
    let mut operations: BTreeMap<String, OperationRecord> = BTreeMap::new();
    for (name, row) in rows {
        let failed = name.strip_suffix(ERROR);
        let Some(kind) = ours(failed.unwrap_or(name)) else {
            continue;
        };
        let count = row.get("count").copied().unwrap_or(0.0) as u64;
        if !row.contains_key("max(us)") {
            return Err(ImportError::Truncated {
                what: format!("the line of {name} ends before its largest latency"),
            });
        }
        let record = operations.entry(kind.to_owned()).or_default();
        let stated = record.stated.get_or_insert_with(Stated::default);
        if failed.is_some() {
            stated.failed = Some(latency(count, row));
            record.errors.insert("error".to_owned(), count);
        } else {
            stated.service = Some(latency(count, row));
            record.ok = count;
        }
    }
    operations.retain(|_, record| record.attempts() > 0);
    if operations.is_empty() {
        return Err(ImportError::Nothing);
    }
    Ok(operations)
}

fn latency(count: u64, row: &Row) -> StatedLatency {
    let ns = |microseconds: f64| (microseconds * 1e3) as u64;
    let percentiles = row.iter().filter_map(|(name, value)| {
        let number: f64 = name.strip_suffix("th(us)")?.parse().ok()?;
        Some((number.to_string(), ns(*value)))
    });
    StatedLatency {
        count,
        mean_ns: row
            .get("avg(us)")
            .filter(|mean| mean.is_finite())
            .map(|mean| mean * 1e3),
        min_ns: row.get("min(us)").copied().map(ns),
        max_ns: row.get("max(us)").copied().map(ns),
        percentiles_ns: percentiles.collect(),
    }
}
