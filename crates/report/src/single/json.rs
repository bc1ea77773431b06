//! One trial as JSON: the record, and beside it the figures that its histograms hold.

use std::collections::BTreeMap;

use dbdyno_record::{Latency, OperationRecord, TrialRecord};
use serde::Serialize;

use crate::indented;
use crate::model::CurvePoint;
use crate::model::single_parts::table_percentiles;

/// What `--format json` prints.
#[derive(Serialize)]
struct Document<'a> {
    /// Whether the numbers can be used: what the exit code of the run says.
    valid: bool,
    /// Why they cannot, a sentence each.
    invalid_because: Vec<String>,
    summary: Option<Summary>,
    record: &'a TrialRecord,
}

/// The measured phase in plain numbers, so that no reader has to decode a histogram for a percentile.
#[derive(Serialize)]
struct Summary {
    /// Successful operations a second.
    throughput_per_s: f64,
    operations: BTreeMap<String, OperationSummary>,
    /// How late the tool itself sent; open loop only.
    scheduling_lag: Option<LatencySummary>,
}

#[derive(Serialize)]
struct OperationSummary {
    ok: u64,
    not_found: u64,
    too_early: u64,
    errors: u64,
    /// From the actual send.
    service: Option<LatencySummary>,
    /// From the intended start; open loop only.
    response: Option<LatencySummary>,
    /// Percentiles over all operations; those that fall on operations without an answer are lower bounds.
    all: Vec<CurvePoint>,
}

#[derive(Serialize)]
struct LatencySummary {
    mean_ns: f64,
    min_ns: u64,
    p50_ns: u64,
    p90_ns: u64,
    p95_ns: u64,
    p99_ns: u64,
    p99_9_ns: u64,
    p99_99_ns: u64,
    max_ns: u64,
}

/// The record and its summary as one JSON document, indented, with a final line feed.
#[must_use]
pub fn json(trial: &TrialRecord) -> String {
    let reasons = trial.invalid_because().into_iter();
    let invalid_because: Vec<String> = reasons.map(|reason| reason.message.into_owned()).collect();
    indented::json(&Document {
        valid: invalid_because.is_empty(),
        invalid_because,
        summary: summary(trial),
        record: trial,
    })
}

fn summary(trial: &TrialRecord) -> Option<Summary> {
    let measure = trial.measure.as_ref()?;
    Some(Summary {
        throughput_per_s: measure.throughput_per_second().unwrap_or(0.0),
        operations: measure
            .operations
            .iter()
            .map(|(kind, record)| (kind.clone(), operation(record)))
            .collect(),
        scheduling_lag: measure
            .pacing
            .as_ref()
            .and_then(|pacing| latency(&pacing.scheduling_lag)),
    })
}

fn operation(record: &OperationRecord) -> OperationSummary {
    OperationSummary {
        ok: record.ok,
        not_found: record.not_found,
        too_early: record.too_early,
        errors: record.error_count(),
        service: latency(&record.service),
        response: record.response.as_ref().and_then(latency),
        all: table_percentiles(&record.attempted()),
    }
}

/// `None` without latencies: no number is better than a false zero.
fn latency(latency: &Latency) -> Option<LatencySummary> {
    let at = |percentile| latency.percentile_ns(percentile);
    Some(LatencySummary {
        mean_ns: latency.mean_ns()?,
        min_ns: at(0.0)?,
        p50_ns: at(50.0)?,
        p90_ns: at(90.0)?,
        p95_ns: at(95.0)?,
        p99_ns: at(99.0)?,
        p99_9_ns: at(99.9)?,
        p99_99_ns: at(99.99)?,
        max_ns: at(100.0)?,
    })
}
