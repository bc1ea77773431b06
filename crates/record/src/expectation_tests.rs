use std::collections::BTreeMap;

use crate::{ClientCost, Floor, MeasureRecord, Settings, SystemRecord, TrialStatus, WorkloadRecord};

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
        factors: BTreeMap::new(),
        system: SystemRecord {
            name: String::new(),
            driver: String::new(),
            address: String::new(),
            product: String::new(),
            version: String::new(),
            topology: String::new(),
            durability: String::new(),
            durability_means: String::new(),
            consistency: String::new(),
            consistency_means: String::new(),
            scan_order: String::new(),
            settings: BTreeMap::new(),
        },
        workload: WorkloadRecord {
            name: String::new(),
            records: 0,
            properties: BTreeMap::new(),
        },
        settings: Settings {
            clients: 1,
            threads: 1,
            rate: None,
            arrivals: None,
            warmup_ns: 0,
            operations: None,
            duration_ns: None,
        },
        status: TrialStatus::Completed,
        load: None,
        measure: Some(MeasureRecord {
            duration_ns: 10_000_000_000,
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
        findings: Vec::new(),
        conditions: crate::Conditions::default(),
    }
}

fn judge(text: &str) -> Judgement {
    Expectation::parse(text)
        .unwrap_or_else(|error| panic!("{text}: {error:?}"))
        .judge(&trial())
}

#[test]
fn every_metric_is_measured() {
    use Measured::{Count, LatencyNs, Rate, Share};
    for (holds, expected) in [
        ("p50(read)<1.5ms", LatencyNs(1e6)),
        ("p99(read) > 1500us", LatencyNs(2e6)),
        ("p99.9(update) <= 4.1 ms", LatencyNs(4e6)),
        ("p50<=5ms", LatencyNs(4e6)),
        ("max(all)<1s", LatencyNs(4e6)),
        ("min < 1100000ns", LatencyNs(1e6)),
        ("mean(read) < 1.2ms", LatencyNs(1.0909e6)),
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

#[test]
fn an_expectation_tells_its_parts() {
    let expectation = Expectation::parse(" p99( read ) <= 5ms").unwrap();
    assert_eq!(expectation.metric_text(), "p99( read )");
    assert_eq!(expectation.limit(), Measured::LatencyNs(5e6));
    assert!(!expectation.is_lower_bound() && expectation.holds_for(5e6) && !expectation.holds_for(5.1e6));
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

#[test]
fn mistakes_point_at_their_place() {
    let wrong = |text: &str| {
        let error = Expectation::parse(text).expect_err(text);
        (text[error.span.clone()].to_owned(), error.message, error.help)
    };
    let mut seen = String::new();
    for text in [
        "p99(read)=5ms",
        "p99(red)<5ms",
        "p99(read<5ms",
        "p101<5ms",
        "latency<5ms",
        "p99<5",
        "p99<5h",
        "p99<fast",
        "p99<",
        "throughput>5ms",
        "errors<0.1ms",
    ] {
        let (place, message, help) = wrong(text);
        seen.push_str(&format!("{text}\n  at `{place}`: {message}\n  help: {help}\n"));
    }
    insta::assert_snapshot!(seen);
}
