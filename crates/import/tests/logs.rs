//! Logs of the tools themselves: those of YCSB 0.17.0 were printed by YCSB, the others follow their tools' formats.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use dbdyno_import::{Declared, ImportError, Log, Phase, Tool, read, record};
use dbdyno_record::{Fact, KnownLatency, OperationRecord, Severity, TrialRecord};
use dbdyno_report::single::{self, YcsbOptions};
use proptest::prelude::*;

const A: &str = include_str!("logs/ycsb-a.log");
const GO: &str = include_str!("logs/go-ycsb-a.log");

fn reported() -> Declared {
    Declared {
        study: "old".to_owned(),
        trial: "b0-x-a".to_owned(),
        source: "a.log".to_owned(),
        system: "x".to_owned(),
        workload: "a".to_owned(),
        ..Declared::default()
    }
}

fn of(log: &str) -> Log {
    read(log).unwrap()
}

fn us(latency: &KnownLatency, percentile: f64) -> Option<u64> {
    latency.percentile_ns(percentile).map(|ns| ns / 1_000)
}

/// The figure of the line `[SECTION], NAME, figure`.
fn printed(log: &str, line: &str) -> f64 {
    let found = log.lines().find_map(|text| text.strip_prefix(line));
    found.unwrap_or_else(|| panic!("no {line}")).parse().unwrap()
}

#[test]
fn a_run_of_ycsb_is_read_as_it_was_printed() {
    let log = of(A);
    assert_eq!((log.tool, log.phase), (Tool::Ycsb, Phase::Run));
    assert_eq!(
        log.duration_ns as f64,
        printed(A, "[OVERALL], RunTime(ms), ") * 1e6
    );
    let read = &log.operations["read"];
    assert_eq!(read.ok as f64, printed(A, "[READ], Return=OK, "));
    let latency = read.known_latency();
    assert_eq!(
        us(&latency, 99.0).unwrap() as f64,
        printed(A, "[READ], 99thPercentileLatency(us), ")
    );
    assert_eq!(
        latency.mean_ns(),
        Some(printed(A, "[READ], AverageLatency(us), ") * 1e3)
    );
    assert_eq!(latency.percentile_ns(50.0), None, "0.17.0 prints no median");
    assert!(latency.histogram().is_none());
    assert_eq!(log.asked.clients, Some(4), "one line of CLEANUP for each thread");
    assert_eq!(log.asked.workload.as_deref(), Some("workloada"));
    assert_eq!(log.operations.len(), 2, "CLEANUP is no operation");
    let trial = record(&log, &reported());
    assert_eq!(trial.system.durability, Fact::NotStated);
    assert_eq!(trial.workload.records, 20_000);
    assert!(
        trial.findings[0]
            .message()
            .ends_with("not stated: product and version, durability, consistency, seed, machine")
    );
}

#[test]
fn a_load_is_a_load() {
    let log = of(include_str!("logs/ycsb-load.log"));
    assert_eq!(log.phase, Phase::Load);
    let trial = record(&log, &reported());
    assert!(trial.measure.is_none());
    assert_eq!(trial.load.unwrap().inserts.ok, 20_000);
    assert_eq!(trial.workload.records, 20_000);
}

#[test]
fn halves_of_read_modify_writes_are_counted_once() {
    let log = of(include_str!("logs/ycsb-f.log"));
    let kinds: Vec<(&str, u64)> = log
        .operations
        .iter()
        .map(|(kind, record)| (kind.as_str(), record.ok))
        .collect();
    assert_eq!(kinds, [("read", 24_911), ("read-modify-write", 25_089)]);
    assert_eq!(
        us(&log.operations["read-modify-write"].known_latency(), 99.9),
        Some(84)
    );
    let log = of(include_str!("logs/go-ycsb-table.log"));
    let total: u64 = log.operations.values().map(|record| record.ok).sum();
    assert_eq!((total, log.duration_ns), (20_000, 2_000_000_000));
}

#[test]
fn json_says_the_same_as_text() {
    let (json, table) = (
        of(include_str!("logs/go-ycsb-json.log")),
        of(include_str!("logs/go-ycsb-table.log")),
    );
    assert_eq!(json.operations, table.operations);
    assert_eq!((json.duration_ns, json.asked), (table.duration_ns, table.asked));

    for text in [
        include_str!("logs/ycsb-json.log"),
        include_str!("logs/ycsb-json-array.log"),
    ] {
        let log = of(text);
        assert_eq!((log.tool, log.phase), (Tool::Ycsb, Phase::Run));
        let total: u64 = log.operations.values().map(|record| record.ok).sum();
        assert_eq!((total, log.asked.clients), (5_000, Some(2)));
        let latency = log.operations["read"].known_latency();
        assert!(latency.percentile_ns(99.0).is_some() && latency.mean_ns() > Some(0.0));
        let cut = read(&text[..text.rfind("Return=OK").unwrap()]);
        assert!(matches!(cut, Err(ImportError::Truncated { .. })), "{cut:?}");
    }
}

#[test]
fn intended_latencies_are_response_times_and_their_absence_is_reported() {
    let text = include_str!("logs/ycsb-target.log");
    let both = record(&of(text), &reported());
    let read = &both.measure.as_ref().unwrap().operations["read"];
    assert_eq!(us(&read.known_latency(), 99.0), Some(29_887));
    assert_eq!(us(&read.known_service(), 99.0), Some(1));
    assert_eq!(both.spec.rate(), Some(4000.0));
    assert_eq!(both.findings.len(), 1);
    let without: String = text
        .lines()
        .filter(|line| !line.contains("Intended"))
        .map(|line| format!("{line}\n"))
        .collect();
    let omitted = record(&of(&without), &reported());
    assert_eq!(omitted.findings[1].code(), "coordinated-omission");
    assert_eq!(omitted.findings[1].severity, Severity::Warning);
}

#[test]
fn buckets_series_and_raw_latencies_give_what_they_hold() {
    let buckets = of(include_str!("logs/ycsb-histogram.log"));
    let read = buckets.operations["read"].known_latency();
    assert_eq!((us(&read, 99.0), us(&read, 50.0)), (Some(5_000), Some(1_000)));
    assert!(buckets.remarks[0].contains("buckets of 1 ms"));
    let series = of(include_str!("logs/ycsb-timeseries.log"));
    let read = series.operations["read"].known_latency();
    assert_eq!((us(&read, 99.0), us(&read, 100.0)), (None, Some(11_235)));
    let raw = of(include_str!("logs/ycsb-raw.log"));
    let read = &raw.operations["read"];
    assert_eq!((read.ok, read.service.count(), &read.stated), (150, 150, &None));
    assert_eq!(us(&read.known_latency(), 100.0), Some(369));
}

#[test]
fn logs_of_ycsb_as_the_papers_had_it_are_read() {
    let log = of(include_str!("logs/ycsb-0.1.4.log"));
    let read = &log.operations["read"];
    assert_eq!((read.ok, read.error_count()), (50_102, 12));
    let latency = read.known_latency();
    assert_eq!(
        (us(&latency, 95.0), us(&latency, 99.0), us(&latency, 50.0)),
        (Some(3_000), Some(4_000), Some(1_000))
    );
    assert_eq!(log.asked.clients, Some(10));
    assert_eq!(
        log.asked.binding.as_deref(),
        Some("com.yahoo.ycsb.db.MongoDbClient")
    );
}

#[test]
fn the_last_summary_of_go_ycsb_counts() {
    let log = of(GO);
    let read = &log.operations["read"];
    assert_eq!((read.ok, read.error_count()), (99_917, 3));
    assert_eq!(us(&read.known_latency(), 99.9), Some(11_415));
    assert_eq!(read.known_failed().count(), 3);
    assert!((log.duration_ns as f64 / 1e9 - 19.2).abs() < 0.05);
    let trial = record(&log, &reported());
    assert_eq!((trial.spec.clients, trial.workload.records), (16, 100_000));
    assert!(!format!("{trial:?}").contains("hunter2"));
}

#[test]
fn what_cannot_be_read_says_why() {
    let cut = |text: &str| match read(text) {
        Err(ImportError::Truncated { what }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(read(" \n"), Err(ImportError::Empty));
    assert_eq!(read("pgbench (15.4)\ntps = 1000\n"), Err(ImportError::Foreign));
    assert!(cut(A.split("[OVERALL]").next().unwrap()).contains("RunTime(ms)"));
    assert!(
        cut(A.split("[UPDATE], MaxLatency").next().unwrap()).contains("[UPDATE] lacks its largest latency")
    );
    // Without one of its sections, and with a throughput that nobody measured.
    let doubled = A.replace(
        "[OVERALL], Throughput(ops/sec), ",
        "[OVERALL], Throughput(ops/sec), 1",
    );
    for (text, stated) in [
        (
            A.split("[UPDATE], Operations").next().unwrap(),
            "states 50000 operations",
        ),
        (&doubled, "a section is missing, or a figure was changed"),
    ] {
        let error = read(text).unwrap_err();
        assert!(matches!(error, ImportError::Disagreement { .. }), "{error:?}");
        assert!(error.to_string().contains(stated), "{error}");
    }
    assert!(cut(GO.split("Run finished").next().unwrap()).contains("Run finished, takes"));
    assert_eq!(read(&format!("{A}{A}")), Err(ImportError::Several { runs: 2 }));
    assert_eq!(read(&format!("{GO}{GO}")), Err(ImportError::Several { runs: 2 }));
    assert_eq!(
        read("[OVERALL], RunTime(ms), 5\n[OVERALL], Throughput(ops/sec), 0.0\n"),
        Err(ImportError::Nothing)
    );
    let Err(ImportError::Line { line, text, .. }) =
        read(&A.replace("[READ], Return=OK, ", "[READ], Return=OK, x"))
    else {
        panic!("it has no number");
    };
    assert!(text.starts_with("[READ], Return=OK, x"));
    assert!(A.lines().nth(line - 1).unwrap().starts_with("[READ], Return=OK"));
}

/// A trial of ours whose operations are of the given kinds, each with its latencies in microseconds.
fn trial(kinds: &[(&str, Vec<u64>, u64)]) -> TrialRecord {
    let mut trial = record(&of(A), &reported());
    let measure = trial.measure.as_mut().unwrap();
    measure.operations.clear();
    for (kind, latencies_us, errors) in kinds {
        let mut operation = OperationRecord {
            ok: latencies_us.len() as u64,
            ..OperationRecord::default()
        };
        latencies_us
            .iter()
            .for_each(|us| operation.service.record(us * 1_000));
        if *errors > 0 {
            operation.errors.insert("error".to_owned(), *errors);
            (0..*errors).for_each(|_| operation.failed.record(2_000_000));
        }
        measure.operations.insert((*kind).to_owned(), operation);
    }
    trial
}

proptest! {
    /// What we print as YCSB's text comes back: counts exactly, percentiles in the whole microseconds that were printed.
    #[test]
    fn our_own_text_comes_back(
        reads in prop::collection::vec(1..5_000_000_u64, 1..200),
        both in prop::collection::vec(1..5_000_000_u64, 1..200),
        errors in 0..5_u64,
        duration_ms in 1_000..100_000_u64,
    ) {
        let mut ours = trial(&[("read", reads, errors), ("read-modify-write", both, 0)]);
        ours.measure.as_mut().unwrap().duration_ns = duration_ms * 1_000_000;
        let options = YcsbOptions { percentiles: vec![50.0, 95.0, 99.0, 99.9], ..YcsbOptions::default() };
        let log = read(&single::ycsb(&ours, &options)).unwrap();
        let measure = ours.measure.unwrap();
        prop_assert_eq!(log.duration_ns, measure.duration_ns);
        for (kind, operation) in &measure.operations {
            let back = &log.operations[kind];
            prop_assert_eq!(back.ok, operation.ok);
            prop_assert_eq!(back.error_count(), operation.error_count());
            for percentile in [50.0, 95.0, 99.0, 99.9, 100.0] {
                prop_assert_eq!(us(&back.known_latency(), percentile), us(&operation.known_latency(), percentile));
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(cut in 0..4000_usize, at in 0..4000_usize, letter in any::<char>()) {
        for log in [A, GO, include_str!("logs/ycsb-histogram.log"), include_str!("logs/go-ycsb-table.log")] {
            let mut text: String = log.chars().take(cut).collect();
            let _ = read(&text);
            text = log.chars().enumerate().map(|(index, old)| if index == at { letter } else { old }).collect();
            let _ = read(&text);
        }
    }
}
