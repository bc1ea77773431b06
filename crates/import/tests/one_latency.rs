//! Everybody who reads the latency of an imported trial sees the figure that the log states.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use dbdyno_import::{Declared, read, record};
use dbdyno_record::TrialRecord;
use dbdyno_report::advice::{Metric, measure};
use dbdyno_report::single::{self, YcsbOptions};
use dbdyno_report::{ReportModel, StudyResults, printed};
use dbdyno_vocabulary::{Expectation, MetricValue};

const A: &str = include_str!("logs/ycsb-a.log");
/// Microseconds; no histogram would round to it.
const P99_US: u64 = 1_234;

fn trial() -> TrialRecord {
    let stated = A.replace(
        "[READ], 99thPercentileLatency(us), 0",
        &format!("[READ], 99thPercentileLatency(us), {P99_US}"),
    );
    assert_ne!(stated, A);
    let reported = Declared {
        study: "old".to_owned(),
        trial: "b0-x-a".to_owned(),
        source: "a.log".to_owned(),
        system: "x".to_owned(),
        workload: "a".to_owned(),
        ..Declared::default()
    };
    record(&read(&stated).unwrap(), &reported)
}

#[test]
fn report_advice_linter_and_expectations_see_the_same_p99() {
    let trial = trial();
    let p99_ns = P99_US * 1_000;
    assert_eq!(trial.latency(Some("read")).percentile(99.0).unwrap().ns(), p99_ns);

    let results = StudyResults {
        trials: vec![trial.clone()],
        ..StudyResults::default()
    };
    let model = ReportModel::build(&results);
    let operations = &model.cells[0].systems[0].operations;
    let of_read = operations.iter().find(|one| one.name == "read").unwrap();
    let shown = of_read.percentiles.iter().find(|point| point.percentile == 99.0);
    assert_eq!(shown.unwrap().latency_ns, Some(p99_ns), "the report");

    let advised = measure(Metric::parse("p99(read)").unwrap(), &trial);
    assert_eq!(advised, Some(p99_ns as f64), "advice");

    let lines = printed(&results).lines;
    let part = lines[0].parts.iter().find(|part| part.kind == "read").unwrap();
    let linted = part
        .percentiles_us
        .iter()
        .find(|(percentile, _)| *percentile == 99.0);
    assert_eq!(linted.unwrap().1.value(), P99_US as f64, "the linter");

    let expected = trial.judge(&Expectation::parse("p99(read)<1ms").unwrap());
    assert_eq!(
        expected.measured,
        Some(MetricValue::LatencyNs(p99_ns as f64)),
        "--expect"
    );
    assert!(!expected.met);

    let options = YcsbOptions {
        percentiles: vec![95.0, 99.0, 99.9],
        ..YcsbOptions::default()
    };
    let again = single::ycsb(&trial, &options);
    assert!(
        again.contains(&format!("[READ], 99thPercentileLatency(us), {P99_US}")),
        "YCSB's text: {again}"
    );
    assert!(
        !again.contains("99.9Percentile"),
        "what the log does not state: {again}"
    );
}
