use std::collections::BTreeMap;

use dbdyno_trial::{SystemSpec, TrialSpec};

use crate::{ClientCost, Floor, MeasureRecord, SystemRecord, TrialStatus, WorkloadRecord};

use super::*;

/// A trial of 10 s: 900 reads of 1 ms, 90 of 2 ms, 10 failed, and 1000 updates of 4 ms.
fn trial() -> TrialRecord {
    let mut read = OperationRecord {
        ok: 990,
        errors: BTreeMap::from([("timeout".to_owned(), 10)]),
        ..OperationRecord::default()
    };
    for number in 0..990 {
        read.service
            .record(if number < 900 { 1_000_000 } else { 2_000_000 });
    }
    let mut update = OperationRecord {
        ok: 1000,
        ..OperationRecord::default()
    };
    for _ in 0..1000 {
        update.service.record(4_000_000);
    }
    TrialRecord {
        format: String::new(),
        study: String::new(),
        trial: String::new(),
        block: 0,
        position: 0,
        seed: 0,
        started_at: String::new(),
        spec: TrialSpec::new(SystemSpec::default(), "", 0),
        threads: 1,
        system: SystemRecord::default(),
        workload: WorkloadRecord {
            name: String::new(),
            records: 0,
            properties: BTreeMap::new(),
        },
        status: TrialStatus::Completed,
        load: None,
        measure: Some(MeasureRecord {
            duration_ns: 10_000_000_000,
            tail: None,
            drain: crate::Drain::default(),
            operations: BTreeMap::from([("read".to_owned(), read), ("update".to_owned(), update)]),
            pacing: None,
            client: ClientCost::default(),
            server: None,
            clock_drift_ppm: None,
            error_samples: Vec::new(),
        }),
        floor: Floor::default(),
        skew: None,
        generators: Vec::new(),
        findings: Vec::new(),
        conditions: crate::Conditions::default(),
    }
}

fn judge(text: &str) -> Judgement {
    let expectation = Expectation::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    trial().judge(&expectation)
}

#[test]
fn every_metric_is_measured() {
    use MetricValue::{Count, LatencyNs, Rate, Share};
    for (holds, expected) in [
        ("p50(read)<1.5ms", LatencyNs(1e6)),
        ("p99(read) > 1500us", LatencyNs(2e6)),
        ("p99.9(update) <= 4.1 ms", LatencyNs(4e6)),
        ("p50<=5ms", LatencyNs(4e6)),
        ("max(update)<1s", LatencyNs(4e6)),
        ("min < 1100000ns", LatencyNs(1e6)),
        ("mean(update) < 4.1ms", LatencyNs(4e6)),
        ("throughput>=199", Rate(199.0)),
        ("throughput( read ) < 0.1k/s", Rate(99.0)),
        ("errors<=10", Count(10.0)),
        ("errors<0.6%", Share(10.0 / 2000.0)),
        ("errors(read)<=1%", Share(0.01)),
        ("not-found<=0", Count(0.0)),
    ] {
        let judgement = judge(holds);
        assert!(judgement.met, "{holds}: {judgement:?}");
        let measured = judgement.measured.unwrap();
        assert_eq!(
            std::mem::discriminant(&measured),
            std::mem::discriminant(&expected),
            "{holds}"
        );
        let (got, want) = (measured.number(), expected.number());
        // A histogram keeps three digits.
        assert!((got - want).abs() <= want * 1e-3, "{holds}: {got}, not {want}");
    }
}

/// What a client that stands still would have measured is not known: nothing about the measured phase holds, not even errors.
#[test]
fn one_stuck_client_is_enough_for_nothing_to_hold() {
    for text in ["p99<10s", "errors<90%", "throughput>1"] {
        let expectation = Expectation::parse(text).unwrap();
        let mut trial = trial();
        assert!(trial.judge(&expectation).met, "{text}");
        trial.measure.as_mut().unwrap().drain.stuck = 1;
        assert!(!trial.judge(&expectation).met, "{text}");
    }
}

#[test]
fn what_does_not_hold_fails() {
    for fails in [
        "p50(read)<0.5ms",
        "throughput>199",
        "throughput>200",
        "errors<10",
        "errors<0.5%",
        "max<4ms",
    ] {
        assert!(!judge(fails).met, "{fails}");
    }
}

#[test]
fn what_was_not_measured_does_not_hold() {
    for absent in ["p99(scan)<100s", "p99(load)<100s", "errors(insert)<=0"] {
        let judgement = judge(absent);
        assert_eq!((judgement.met, judgement.measured), (false, None), "{absent}");
    }
}

/// Reads of the example that failed had been waited for: ten of a thousand, so that their share is that beyond p99.
fn judge_failing(text: &str, failures: u64) -> Judgement {
    let mut trial = trial();
    let measure = trial.measure.as_mut().unwrap();
    let read = measure.operations.get_mut("read").unwrap();
    read.errors.insert("timeout".to_owned(), failures);
    let mut waited = crate::Latency::new();
    (0..failures).for_each(|_| waited.record(10_000_000_000));
    read.waited = Some(waited);
    trial.judge(&Expectation::parse(text).unwrap())
}

#[test]
fn a_percentile_that_falls_on_failures_is_a_lower_bound() {
    let ten_seconds = |measured: Option<MetricValue>| matches!(measured, Some(MetricValue::LatencyAtLeastNs(ns)) if (ns / 1e10 - 1.0).abs() < 1e-3);
    // 20 of 1010 reads failed, 2%: nothing above p98.02 has an answer.
    let failing = judge_failing("p99(read)<5ms", 20);
    assert!(!failing.met && ten_seconds(failing.measured), "{failing:?}");
    assert!(
        !judge_failing("p99(read)<30s", 20).met,
        "the wait is no limit of what might have come"
    );
    assert!(judge_failing("p99(read)>=5s", 20).met, "a lower limit holds");
    assert!(!judge_failing("p99(read)>=20s", 20).met);
    assert!(!judge_failing("max(read)<60s", 1).met);
    let median = judge_failing("p50(read)<1.5ms", 20);
    assert!(median.met && matches!(median.measured, Some(MetricValue::LatencyNs(_))));
    assert!(judge_failing("p99(read)<5ms", 9).met, "0.9% failed");
    assert!(!judge_failing("p99(read)<5ms", 11).met, "1.1% failed");
    // Over all operations there are twice as many.
    assert!(judge_failing("p99<5ms", 11).met);
}
