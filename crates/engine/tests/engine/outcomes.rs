//! Operations count as successes, misses or failures, and plans that cannot be run are refused.

use std::time::Duration;

use dbdyno_driver::{ErrorClass, Retry};
use dbdyno_engine::{EngineError, EngineErrorClass, Phases, PlanError};
use dbdyno_record::{MeasureRecord, Severity};
use dbdyno_testkit::simulated::{Behaviour, Fault, Simulation};
use dbdyno_workload::OperationKind;

use crate::common::{Heard, duration, loaded, only, operations, plan, simulate, simulate_heard, workload};

fn fault(kind: OperationKind, every: u64, class: ErrorClass) -> Fault {
    Fault {
        kind: Some(kind),
        every,
        class,
        retry: Retry::Temporary,
    }
}

fn measured(
    name: &str,
    properties: &[&str],
    count: u64,
    behaviour: Behaviour,
) -> (MeasureRecord, Vec<String>) {
    let workload = workload(name, properties);
    let simulation = loaded(&workload, behaviour);
    let mut plan = plan(workload, operations(count));
    plan.spec.phases = Phases::RunOnly;
    let outcome = simulate(&simulation, &plan).unwrap();
    let codes = outcome
        .findings
        .iter()
        .map(|finding| finding.code().to_owned())
        .collect();
    (outcome.measure.unwrap(), codes)
}

#[test]
fn an_operation_on_a_record_that_the_workload_removed_did_not_find_it_and_is_no_error() {
    let properties = [
        "recordcount=100",
        "readproportion=0.2",
        "updateproportion=0.3",
        "readmodifywriteproportion=0.2",
        "deleteproportion=0.3",
    ];
    let (measure, findings) = measured("a", &properties, 1_000, Behaviour::default());
    for kind in ["read", "update", "read-modify-write"] {
        let operation = &measure.operations[kind];
        assert!(
            operation.not_found > 0 && operation.error_count() == 0,
            "{kind}: {operation:?}"
        );
    }
    assert!(findings.contains(&"not-found".to_owned()), "{findings:?}");
    assert!(!findings.contains(&"errors".to_owned()), "{findings:?}");
}

#[test]
fn failures_are_counted_by_class_and_are_no_throughput() {
    let behaviour = Behaviour {
        service: Duration::from_millis(1),
        faults: vec![
            fault(OperationKind::Read, 4, ErrorClass::Timeout),
            fault(OperationKind::Read, 5, ErrorClass::Overloaded),
            fault(OperationKind::Update, 1, ErrorClass::Conflict),
        ],
        ..Behaviour::default()
    };
    let (measure, findings) = measured("a", &["recordcount=100"], 2_000, behaviour);
    let (reads, updates) = (&measure.operations["read"], &measure.operations["update"]);
    assert_eq!(reads.attempts() + updates.attempts(), 2_000);
    let timeouts = reads.attempts() / 4;
    // Every twentieth would fail with both; the first fault wins.
    let overloads = reads.attempts() / 5 - reads.attempts() / 20;
    // The engine's own look at the table is another session, so counts start with the client's first read.
    assert_eq!(reads.errors["timeout"], timeouts);
    assert_eq!(reads.errors["overloaded"], overloads);
    assert_eq!(reads.ok, reads.attempts() - timeouts - overloads);
    assert_eq!(reads.service.count(), reads.ok);
    assert_eq!(reads.failed.count(), timeouts + overloads);
    assert_eq!(
        reads.waited.as_ref().map(dbdyno_record::Latency::count),
        Some(timeouts + overloads)
    );
    // More than a third failed: what was waited for them is no answer.
    assert!(reads.percentile(50.0).is_some_and(|median| !median.is_bound()));
    assert!(
        reads
            .percentile(70.0)
            .is_some_and(dbdyno_record::Quantile::is_bound)
    );
    assert_eq!((updates.ok, updates.error_count()), (0, updates.attempts()));
    assert_eq!(measure.error_samples.len(), 3, "{:?}", measure.error_samples);
    assert!(findings.contains(&"errors".to_owned()), "{findings:?}");
}

#[test]
fn a_record_whose_insert_was_not_acknowledged_is_too_early() {
    let failing = Behaviour {
        faults: vec![fault(OperationKind::Insert, 1, ErrorClass::Unavailable)],
        ..Behaviour::default()
    };
    let (measure, _) = measured("d", &["recordcount=100"], 2_000, failing);
    let reads = &measure.operations["read"];
    assert!(reads.too_early > 100, "{}", reads.too_early);
    assert_eq!(reads.not_found, 0);
    assert_eq!(reads.failed.count(), reads.too_early);
    // Lost, although acknowledged: not found.
    let losing = Behaviour {
        lose_every: 1,
        ..Behaviour::default()
    };
    let (measure, findings) = measured("d", &["recordcount=100"], 2_000, losing);
    let reads = &measure.operations["read"];
    assert!(reads.not_found > 100, "{}", reads.not_found);
    assert_eq!(reads.too_early, 0);
    assert!(findings.contains(&"not-found".to_owned()));
}

/// A failed insert holds up nothing: records lost long after it are not found, not asked for too early.
#[test]
fn records_lost_long_after_a_failed_insert_are_not_found() {
    let behaviour = Behaviour {
        faults: vec![fault(OperationKind::Insert, 60_000, ErrorClass::Timeout)],
        lose_every: 1,
        ..Behaviour::default()
    };
    let properties = [
        "recordcount=100",
        "readproportion=0.02",
        "insertproportion=0.98",
        "fieldcount=1",
        "fieldlength=1",
    ];
    // More inserts after the first failure than can be pending at a time.
    let (measure, _) = measured("d", &properties, 1_300_000, behaviour);
    let (reads, inserts) = (&measure.operations["read"], &measure.operations["insert"]);
    assert!(inserts.error_count() > 10 && inserts.ok > 60_000 + (1 << 20));
    assert_eq!(reads.ok + reads.not_found + reads.too_early, reads.attempts());
    // Only the failed ones themselves were never acknowledged.
    assert!(reads.too_early < 20, "{}", reads.too_early);
    assert!(reads.not_found > 20_000, "{}", reads.not_found);
}

#[test]
fn wrong_values_are_counted() {
    let properties = ["recordcount=100", "dataintegrity=true"];
    let corrupting = Behaviour {
        corrupt_every: 10,
        ..Behaviour::default()
    };
    let (measure, findings) = measured("f", &properties, 1_000, corrupting);
    let reads = &measure.operations["read"];
    assert_eq!(reads.verified, reads.ok * 10, "ten fields each");
    let failures: u64 = measure
        .operations
        .values()
        .map(|record| record.verification_failures)
        .sum();
    assert_eq!(failures, 1_000 / 10 * 10);
    assert!(findings.contains(&"verification-failed".to_owned()));
    let (measure, findings) = measured("a", &properties, 1_000, Behaviour::default());
    assert_eq!(measure.operations["read"].verification_failures, 0);
    assert!(!findings.contains(&"verification-failed".to_owned()));
}

#[test]
fn scans_count_their_records() {
    let behaviour = Behaviour::default();
    let (measure, _) = measured("e", &["recordcount=1000", "maxscanlength=5"], 1_000, behaviour);
    let scans = &measure.operations["scan"];
    assert!(scans.records_scanned > scans.ok * 2 && scans.records_scanned <= scans.ok * 5);
    assert!(measure.operations["insert"].ok > 20);
}

#[test]
fn a_database_that_is_gone_ends_the_run_and_not_the_patience() {
    let behaviour = Behaviour {
        faults: vec![fault(OperationKind::Read, 1, ErrorClass::Unavailable)],
        ..Behaviour::default()
    };
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(&workload, behaviour);
    let mut endless = plan(workload, operations(1_000_000_000));
    endless.spec.clients = 3;
    endless.spec.phases = Phases::RunOnly;
    // The table cannot be looked at either while reads fail.
    let error = simulate(&simulation, &endless).unwrap_err();
    assert_eq!(error.class(), EngineErrorClass::Database);

    let writes = crate::common::workload(
        "a",
        &["recordcount=100", "readproportion=0", "updateproportion=1"],
    );
    let gone = Behaviour {
        faults: vec![fault(OperationKind::Update, 1, ErrorClass::Unavailable)],
        ..Behaviour::default()
    };
    let simulation = loaded(&writes, gone.clone());
    endless.workload = writes.clone();
    let outcome = simulate(&simulation, &endless).unwrap();
    let measure = outcome.measure.unwrap();
    assert!(
        (10_000_000_000..13_000_000_000).contains(&measure.duration_ns),
        "{}",
        measure.duration_ns
    );
    // It rests between failures: no more than a hundred at once and then 200 a second on each client.
    assert!(only(&measure).error_count() < 3 * (100 + 200 * 13));
    assert_eq!(outcome.findings[0].code(), "only-errors");
    assert_eq!(outcome.findings[0].severity, Severity::Invalid);

    // With a time limit it still ends on time.
    let simulation = loaded(&writes, gone);
    let mut timed = endless;
    timed.spec.limit = duration(Duration::from_secs(20));
    let measure = simulate(&simulation, &timed).unwrap().measure.unwrap();
    assert!(measure.duration_ns.abs_diff(20_000_000_000) < 10_000_000);
}

#[test]
fn connections_are_made_outside_the_clock_and_within_a_deadline() {
    let workload = workload("c", &["recordcount=100"]);
    let slow = |connect| {
        Simulation::new(Behaviour {
            connect,
            service: Duration::from_millis(1),
            ..Behaviour::default()
        })
    };
    let plan = plan(workload, operations(100));
    let mut heard = Heard::default();
    let simulation = slow(Duration::from_secs(5));
    let outcome = simulate_heard(&simulation, &plan, &mut heard).unwrap();
    assert_eq!(outcome.load.unwrap().duration_ns, 100_000_000);
    assert_eq!(outcome.measure.unwrap().duration_ns, 100_000_000);
    assert_eq!(
        heard.phases(),
        ["+connect", "-connect", "+load", "-load", "+measure", "-measure"]
    );

    let error = simulate(&slow(Duration::from_secs(3_600)), &plan).unwrap_err();
    assert_eq!(error.class(), EngineErrorClass::Unreachable);
    assert!(error.to_string().contains("within 60 s"), "{error}");
    let refusing = Simulation::new(Behaviour {
        refuse: Some(ErrorClass::Auth),
        ..Behaviour::default()
    });
    let error = simulate(&refusing, &plan).unwrap_err();
    assert_eq!(error.class(), EngineErrorClass::Unreachable);
}

#[test]
fn plans_that_cannot_be_are_refused() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = Simulation::new(Behaviour::default());
    let good = plan(workload, operations(1));
    let mut endless = good.clone();
    endless.spec.limit = dbdyno_engine::Limit::default();
    let mut nobody = good;
    nobody.spec.clients = 0;
    for (plan, reason) in [(endless, PlanError::NoEnd), (nobody, PlanError::NoClients)] {
        match simulate(&simulation, &plan) {
            Err(EngineError::Plan(found)) => assert_eq!(found, reason),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_load_that_fails_is_no_table_to_run_on() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = Simulation::new(Behaviour {
        faults: vec![fault(OperationKind::Insert, 10, ErrorClass::Timeout)],
        ..Behaviour::default()
    });
    let plan = plan(workload, operations(100));
    let error = simulate(&simulation, &plan).unwrap_err();
    assert!(error.to_string().contains("10 of 100 inserts"), "{error}");
    // The next one starts anew.
    simulation.set_behaviour(Behaviour::default());
    let outcome = simulate(&simulation, &plan).unwrap();
    assert_eq!(outcome.load.unwrap().inserts.ok, 100);
    assert_eq!(outcome.measure.unwrap().operations["read"].ok, 100);
}
