//! `results.csv`: every figure of every trial in one long table, for spreadsheets, R, pandas and the like.
//!
//! One row is one figure: study, trial, block, status, system, workload, one column per further factor, metric, value,
//! unit. Figures that are not known have no row.

use std::collections::BTreeSet;
use std::io::Write;

use dbdyno_trial::{FactorLevels, Level};
use dbdyno_vocabulary::visible;

use crate::trial::per_second;
use crate::{Attempted, KnownLatency, OperationRecord, Quantile, Severity, TrialRecord, TrialStatus};

const FIXED: [&str; 6] = ["study", "trial", "block", "status", "system", "workload"];
const MEASURED: [&str; 3] = ["metric", "value", "unit"];

/// One figure of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is, e.g. `throughput`, `read.latency_p99`.
    pub metric: String,
    /// The figure.
    pub value: f64,
    /// Its unit, e.g. `1/s`, `us`.
    pub unit: &'static str,
}

/// A figure that is no part of a trial: what it is, its value, its unit.
pub type OtherFigure = (&'static str, f64, String);

/// Writes the table.
///
/// # Errors
/// When it cannot be written.
pub fn write<W: Write>(out: W, trials: &[TrialRecord]) -> Result<(), csv::Error> {
    write_with(out, trials, |_| Vec::new())
}

/// Writes the table with figures more, which stand below each trial's own.
///
/// # Errors
/// When it cannot be written.
pub fn write_with<W: Write>(
    out: W,
    trials: &[TrialRecord],
    others: impl Fn(&TrialRecord) -> Vec<OtherFigure>,
) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    let levels: Vec<FactorLevels> = trials.iter().map(|trial| trial.spec.factors()).collect();
    let factors: BTreeSet<&str> = levels
        .iter()
        .flat_map(FactorLevels::keys)
        .map(String::as_str)
        .filter(|name| *name != "system" && *name != "workload")
        .collect();
    let header = FIXED.iter().chain(&factors).chain(&MEASURED);
    csv.write_record(header.map(|name| visible::cell(name).into_owned()))?;
    for (trial, levels) in trials.iter().zip(&levels) {
        let mut row = vec![
            trial.study.clone(),
            trial.trial.clone(),
            trial.block.to_string(),
            status(&trial.status).to_owned(),
            trial.system.name.clone(),
            trial.workload.name.clone(),
        ];
        row.extend(
            factors
                .iter()
                .map(|name| levels.get(*name).map_or_else(String::new, Level::to_string)),
        );
        let own = figures(trial).into_iter();
        let own = own.map(|figure| [figure.metric, figure.value.to_string(), figure.unit.to_owned()]);
        let others = others(trial).into_iter();
        let others = others.map(|(metric, value, unit)| [metric.to_owned(), value.to_string(), unit]);
        for measured in own.chain(others) {
            csv.write_record(
                row.iter()
                    .chain(&measured)
                    .map(|field| visible::cell(field).into_owned()),
            )?;
        }
    }
    csv.flush()?;
    Ok(())
}

/// All figures of one trial, in a fixed order.
#[must_use]
pub fn figures(trial: &TrialRecord) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |metric: String, value: Option<f64>, unit: &'static str| {
        figures.extend(value.map(|value| Figure { metric, value, unit }));
    };
    if let Some(load) = &trial.load {
        add(
            "load.duration".to_owned(),
            Some(load.duration_ns as f64 / 1e9),
            "s",
        );
        operation("load.insert", &load.inserts, load.duration_ns, &mut add);
    }
    if let Some(measure) = &trial.measure {
        add("duration".to_owned(), Some(measure.duration_ns as f64 / 1e9), "s");
        add("throughput".to_owned(), measure.throughput_per_second(), "1/s");
        add(
            "lost_to_errors".to_owned(),
            Some(measure.share_lost_to_errors(trial.spec.clients)),
            "share",
        );
        for (name, record) in &measure.operations {
            operation(name, record, measure.duration_ns, &mut add);
        }
        if let Some(pacing) = &measure.pacing {
            add("rate_asked".to_owned(), Some(pacing.asked_rate), "1/s");
            add("rate_achieved".to_owned(), Some(pacing.achieved_rate), "1/s");
            add("backlog".to_owned(), Some(pacing.backlog as f64), "operations");
            latency(
                "scheduling_lag",
                &KnownLatency::from(&pacing.scheduling_lag).into(),
                &mut add,
            );
        }
        add("client.cpu".to_owned(), Some(measure.client.cpu_seconds), "s");
        add(
            "client.peak_memory".to_owned(),
            Some(measure.client.peak_memory_bytes as f64),
            "bytes",
        );
    }
    for finding in &trial.findings {
        let severity = match finding.severity {
            Severity::Note => 1.0,
            Severity::Warning => 2.0,
            Severity::Invalid => 3.0,
        };
        add(format!("finding.{}", finding.code()), Some(severity), "severity");
    }
    figures
}

fn operation(
    name: &str,
    record: &OperationRecord,
    duration_ns: u64,
    add: &mut impl FnMut(String, Option<f64>, &'static str),
) {
    add(
        format!("{name}.throughput"),
        per_second(record.ok_in_time(), duration_ns),
        "1/s",
    );
    add(format!("{name}.ok"), Some(record.ok as f64), "operations");
    add(
        format!("{name}.not_found"),
        Some(record.not_found as f64),
        "operations",
    );
    add(
        format!("{name}.too_early"),
        Some(record.too_early as f64),
        "operations",
    );
    add(
        format!("{name}.errors"),
        Some(record.error_count() as f64),
        "operations",
    );
    for (class, count) in &record.errors {
        add(
            format!("{name}.errors.{class}"),
            Some(*count as f64),
            "operations",
        );
    }
    if record.verified > 0 {
        add(
            format!("{name}.verification_failures"),
            Some(record.verification_failures as f64),
            "values",
        );
    }
    latency(&format!("{name}.latency"), &record.attempted(), add);
    if record.has_response() {
        latency(&format!("{name}.service"), &record.known_service().into(), add);
    }
}

/// A percentile that falls on operations without an answer has another name: nobody takes its lower bound for it.
fn latency(name: &str, latency: &Attempted<'_>, add: &mut impl FnMut(String, Option<f64>, &'static str)) {
    add(format!("{name}_mean"), latency.mean_ns().map(|ns| ns / 1e3), "us");
    for (suffix, percentile) in [
        ("p50", 50.0),
        ("p95", 95.0),
        ("p99", 99.0),
        ("p999", 99.9),
        ("max", 100.0),
    ] {
        let found = latency.percentile(percentile);
        let bound = if found.is_some_and(Quantile::is_bound) {
            "_at_least"
        } else {
            ""
        };
        add(
            format!("{name}_{suffix}{bound}"),
            found.map(|found| found.ns() as f64 / 1e3),
            "us",
        );
    }
}

fn status(status: &TrialStatus) -> &'static str {
    match status {
        TrialStatus::Completed => "completed",
        TrialStatus::Disturbed => "disturbed",
        TrialStatus::Interrupted => "interrupted",
        TrialStatus::Failed { .. } => "failed",
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_trial::Factor;

    use super::*;
    use crate::trial::tests::example;

    #[test]
    fn every_row_is_as_wide_as_the_header_and_finds_its_figure() {
        let mut other = example("t2");
        other.spec.factors.insert(Factor::Operations);
        other.spec.system.factors = [("cache".to_owned(), "big".to_owned())].into();
        let mut failed = example("t3");
        (failed.load, failed.measure) = (None, None);
        let mut out = Vec::new();
        write(&mut out, &[example("t1"), other, failed]).unwrap();
        let mut reader = csv::Reader::from_reader(out.as_slice());
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let expected =
            "study,trial,block,status,system,workload,clients,operations,system.cache,metric,value,unit";
        assert_eq!(header.join(","), expected);
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let find = |trial: &str, metric: &str| {
            rows.iter()
                .find(|row| &row[1] == trial && &row[9] == metric)
                .map(|row| row[10].parse::<f64>().unwrap())
        };
        let measure = example("t1").measure.unwrap();
        assert_eq!(find("t1", "throughput"), measure.throughput_per_second());
        assert_eq!(find("t2", "read.ok"), Some(measure.operations["read"].ok as f64));
        assert!(find("t1", "read.latency_p99").unwrap() > 0.0);
        assert_eq!(
            find("t3", "throughput"),
            None,
            "a failed trial has no throughput, not one of 0"
        );
        assert_eq!(find("t1", "update.latency_p99"), None, "no update succeeded");
        assert_eq!(find("t1", "update.errors.timeout"), Some(2.0));
    }
}
