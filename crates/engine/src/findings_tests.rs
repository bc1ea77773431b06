use super::*;
use dbdyno_record::finding::FindingKind;
use dbdyno_record::{ClientCost, Latency, Pacing, ThreadCost};

/// A measured phase with nothing to say about: ten seconds, 2000 reads of 1 ms.
fn good() -> MeasureRecord {
    let mut reads = OperationRecord {
        ok: 2_000,
        ..OperationRecord::default()
    };
    reads.service.0.record_n(1_000_000, 2_000).unwrap();
    MeasureRecord {
        duration_ns: 10_000_000_000,
        tail: None,
        drain: dbdyno_record::Drain::default(),
        operations: [("read".to_owned(), reads)].into(),
        pacing: None,
        client: ClientCost::default(),
        server: None,
        clock_drift_ppm: None,
        error_samples: Vec::new(),
    }
}

fn floor() -> Floor {
    Floor {
        operation_ns: 60.0,
        clock_ns: 10.0,
        latency_p50_ns: 30,
        latency_p99_ns: 60,
    }
}

fn findings(measure: &MeasureRecord, execution: Execution) -> Vec<Finding> {
    judge(&Circumstances {
        floor: Some(&floor()),
        ..circumstances(measure, execution)
    })
}

fn circumstances(measure: &MeasureRecord, execution: Execution) -> Circumstances<'_> {
    Circumstances {
        measure,
        floor: None,
        execution,
        clients: 4,
        stuck: 0,
        outlasting: 0,
        answered_late: 0,
        given: Given::those([
            (Given::Embedded, execution == Execution::Blocking),
            (Given::Loaded, true),
            (Given::RealTime, true),
        ]),
    }
}

/// Findings where this holds, or not, in place of what `circumstances` say.
fn findings_where(measure: &MeasureRecord, execution: Execution, changed: &[(Given, bool)]) -> Vec<Finding> {
    let mut circumstances = circumstances(measure, execution);
    for (given, holds) in changed {
        match holds {
            true => circumstances.given.insert(*given),
            false => circumstances.given.remove(given),
        };
    }
    judge(&circumstances)
}

fn only_finding(change: impl Fn(&mut MeasureRecord)) -> Finding {
    let mut measure = good();
    change(&mut measure);
    let mut found = findings(&measure, Execution::Async);
    assert_eq!(found.len(), 1, "{found:?}");
    let finding = found.remove(0);
    assert!(!finding.message().is_empty() && !finding.remedy().is_empty());
    finding
}

fn reads(measure: &mut MeasureRecord) -> &mut OperationRecord {
    measure.operations.get_mut("read").unwrap()
}

#[test]
fn a_good_run_raises_no_finding() {
    assert_eq!(findings(&good(), Execution::Async), []);
}

#[test]
fn each_weakness_raises_its_finding_and_no_other() {
    let short = only_finding(|measure| measure.duration_ns = 999_000_000);
    assert_eq!(short.code(), "too-short");
    assert!(short.message().contains("999 ms"), "{}", short.message());

    let few = only_finding(|measure| {
        let reads = reads(measure);
        reads.service = Latency::new();
        reads.service.0.record_n(1_000_000, 999).unwrap();
        reads.ok = 999;
    });
    assert_eq!(few.code(), "few-samples");
    assert!(few.message().contains("read (999)"), "{}", few.message());

    let fast = only_finding(|measure| {
        let reads = reads(measure);
        reads.service = Latency::new();
        reads.service.0.record_n(299, 2_000).unwrap();
    });
    assert_eq!(fast.code(), "tool-is-bottleneck");

    let wrong = only_finding(|measure| reads(measure).verification_failures = 1);
    assert_eq!(
        (wrong.code(), wrong.severity),
        ("verification-failed", Severity::Invalid)
    );

    let absent = only_finding(|measure| reads(measure).not_found = 3);
    assert_eq!((absent.code(), absent.severity), ("not-found", Severity::Invalid));
    assert!(absent.remedy().contains("lost or hides"), "{}", absent.remedy());

    let early = only_finding(|measure| reads(measure).too_early = 30);
    assert_eq!(early.code(), "too-early");
    let mut measure = good();
    reads(&mut measure).too_early = 20;
    assert_eq!(findings(&measure, Execution::Async), [], "below one percent");
}

#[test]
fn slices_end_with_whole_operations() {
    for (milliseconds, is_short) in [(956, false), (899, true)] {
        let mut measure = good();
        measure.duration_ns = milliseconds * 1_000_000;
        let found = findings_where(&measure, Execution::Async, &[(Given::Sliced, true)]);
        assert_eq!(
            found.iter().any(|finding| finding.code() == "too-short"),
            is_short,
            "{found:?}"
        );
    }
}

#[test]
fn an_outage_is_reported_by_the_time_it_took() {
    // Twenty-five failures of half a second each, while four clients ran for ten seconds and did thousands of operations.
    let finding = only_finding(|measure| {
        measure.duration_ns = 10_000_000_000;
        let reads = reads(measure);
        reads.errors.insert("unavailable".to_owned(), 25);
        for _ in 0..25 {
            reads.failed.record(500_000_000);
        }
    });
    assert_eq!((finding.code(), finding.severity), ("errors", Severity::Invalid));
    assert!(
        finding.message().contains("% of the clients' time"),
        "{}",
        finding.message()
    );
}

#[test]
fn errors_are_graver_when_they_are_the_rule() {
    let fail = |count| {
        only_finding(|measure| {
            reads(measure).errors.insert("timeout".to_owned(), count);
            measure.error_samples = vec!["read: timeout: too late".to_owned()];
        })
    };
    assert_eq!(fail(1).severity, Severity::Warning);
    assert!(fail(1).message().contains("too late"));
    // 20 of 2,020 operations are less than a hundredth of them, 21 of 2,021 are more: where the page and the exit code draw the line.
    assert_eq!(fail(20).severity, Severity::Warning);
    assert_eq!(fail(21).severity, Severity::Invalid);
    assert_eq!(fail(2_001).severity, Severity::Invalid);
}

#[test]
fn late_sends_are_the_tools_fault() {
    let lag = only_finding(|measure| {
        let mut scheduling_lag = Latency::new();
        scheduling_lag.0.record_n(1_000, 98).unwrap();
        scheduling_lag.0.record_n(3_000_000, 2).unwrap();
        measure.pacing = Some(Pacing {
            asked_rate: 200.0,
            achieved_rate: 200.0,
            sustained: true,
            backlog: 0,
            scheduling_lag,
        });
    });
    assert_eq!(lag.code(), "scheduling-lag");
}

#[test]
fn a_client_thread_that_never_rests_is_named() {
    let busy = |cpu_share| {
        let mut measure = good();
        measure.client.busiest_thread = Some(ThreadCost {
            name: "clients-1".to_owned(),
            cpu_share,
        });
        measure
    };
    assert_eq!(findings(&busy(0.9), Execution::Async), []);
    // On one of many processors: the process as a whole is far from its limit.
    let measure = busy(0.97);
    let found = findings(&measure, Execution::Async);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].code(), found[0].severity),
        ("client-thread-saturated", Severity::Warning)
    );
    assert!(found[0].message().contains("`clients-1` used 97% of one CPU"));
    assert!(found[0].remedy().contains("fewer clients"));
    let spare = findings_where(&measure, Execution::Async, &[(Given::SpareThreads, true)]);
    assert!(matches!(
        &spare[0].kind,
        FindingKind::ClientThreadSaturated(facts) if facts.more_threads == MoreThreads::Spare
    ));
    // A store inside the process runs on the threads of its clients: that they are busy is its work.
    assert_eq!(findings(&measure, Execution::Blocking), []);
    let client_library = findings_where(&measure, Execution::Blocking, &[(Given::Embedded, false)]);
    assert!(client_library[0].remedy().contains("more clients"));
}

#[test]
fn a_thread_that_spins_until_its_next_send_is_busy_and_on_time() {
    let severity = |sustained| {
        let mut measure = good();
        measure.client.busiest_thread = Some(ThreadCost {
            name: "clients-0".to_owned(),
            cpu_share: 1.0,
        });
        measure.pacing = Some(Pacing {
            asked_rate: 200.0,
            achieved_rate: 200.0,
            sustained,
            backlog: 0,
            scheduling_lag: Latency::new(),
        });
        let found = findings(&measure, Execution::Async);
        found
            .iter()
            .find(|finding| finding.code() == "client-thread-saturated")
            .unwrap()
            .severity
    };
    assert_eq!(severity(true), Severity::Note);
    assert_eq!(severity(false), Severity::Warning);
}

#[test]
fn a_clock_that_does_not_keep_time_is_reported_with_the_figure() {
    assert_eq!(clock_drift("load", 100.0), None);
    let drift = only_finding(|measure| measure.clock_drift_ppm = Some(-300.4));
    assert_eq!((drift.code(), drift.severity), ("clock-drift", Severity::Warning));
    assert!(drift.message().contains("300 ppm slower"), "{}", drift.message());
    let wrong = only_finding(|measure| measure.clock_drift_ppm = Some(20_000.0));
    assert_eq!(wrong.severity, Severity::Invalid);
}

#[test]
fn a_busy_processor_means_another_thing_for_a_store_inside_the_process() {
    let mut measure = good();
    measure.client.cpu_share = 0.95;
    let remote = findings(&measure, Execution::Async);
    let embedded = findings(&measure, Execution::Blocking);
    assert_eq!(
        (remote[0].code(), remote[0].severity),
        ("cpu-saturated", Severity::Warning)
    );
    assert_eq!(
        (embedded[0].code(), embedded[0].severity),
        ("cpu-saturated", Severity::Note)
    );
    assert!(embedded[0].message().contains("together"));
}

#[test]
fn missing_records_are_reported_by_what_the_workload_does() {
    let mut measure = good();
    reads(&mut measure).not_found = 3;
    let reported = |deletes, loaded| {
        let changed = [(Given::Deletes, deletes), (Given::Loaded, loaded)];
        let mut found = findings_where(&measure, Execution::Async, &changed);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    };
    assert_eq!(
        reported(true, true).severity,
        Severity::Note,
        "it may have been deleted"
    );
    let not_ours = reported(false, false);
    assert_eq!(not_ours.severity, Severity::Invalid);
    assert!(not_ours.remedy().contains("reload it"), "{}", not_ours.remedy());
    assert!(!reported(false, true).remedy().contains("reload it"));
}
