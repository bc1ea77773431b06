use std::collections::BTreeMap;

use dbdyno_record::{ClientCost, Floor, MeasureRecord, Settings, SystemRecord, TrialStatus, WorkloadRecord};

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
            operations: BTreeMap::from([("read".to_owned(), read), ("update".to_owned(), update)]),
            pacing: None,
            client: ClientCost::default(),
            server: None,
            error_samples: Vec::new(),
        }),
        floor: Floor::default(),
        skew: None,
        findings: Vec::new(),
    }
}

fn judge(text: &str) -> Judgement {
    Expectation::parse(text)
        .unwrap_or_else(|error| panic!("{text}: {error:?}"))
        .judge(&trial())
}

#[test]
fn every_metric_is_measured() {
    for (holds, measured) in [
        ("p50(read)<1.5ms", "1.00 ms"),
        ("p99(read) > 1500us", "2.00 ms"),
        ("p99.9(update) <= 4.1 ms", "4.00 ms"),
        ("p50<=5ms", "4.00 ms"),
        ("max(all)<1s", "4.00 ms"),
        ("min < 1100000ns", "1.00 ms"),
        ("mean(read) < 1.2ms", "1.09 ms"),
        ("throughput>=199", "199/s"),
        ("throughput( read ) < 0.1k/s", "99/s"),
        ("errors<=10", "10"),
        ("errors<0.6%", "0.5 %"),
        ("errors(read)<=1%", "1 %"),
        ("not-found<=0", "0"),
    ] {
        let judgement = judge(holds);
        assert!(judgement.met, "{holds}: {judgement:?}");
        assert_eq!(judgement.measured, measured, "{holds}");
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
        assert_eq!(
            (judgement.met, judgement.measured.as_str()),
            (false, "not measured"),
            "{absent}"
        );
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
