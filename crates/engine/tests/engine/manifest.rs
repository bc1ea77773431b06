//! A run knows what the table holds.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{Driver, ErrorClass, Target};
use dbdyno_engine::{
    EngineError, EngineErrorClass, Event, Observer, Outcome, Phases, PreparedTrial, Reset, TableFault,
};
use dbdyno_record::Severity;
use dbdyno_testkit::simulated::{Behaviour, Simulated, Simulation};
use dbdyno_workload::Workload;

use crate::common::{operations, plan, simulate, simulate_heard, workload};

const TABLE: &str = "usertable";

fn no_failures(outcome: &Outcome) {
    for (kind, record) in &outcome.measure.as_ref().unwrap().operations {
        assert_eq!((record.error_count(), record.not_found), (0, 0), "{kind}");
    }
}

fn inserted(outcome: &Outcome) -> u64 {
    outcome.measure.as_ref().unwrap().operations["insert"].ok
}

fn several(workload: Arc<Workload>, count: u64) -> PreparedTrial {
    {
        let mut plan = plan(workload, operations(count));
        plan.spec.clients = 4;
        plan
    }
}

/// Why the table was refused.
fn fault(error: EngineError) -> TableFault {
    match error {
        EngineError::Table { fault, .. } => fault,
        other => panic!("{other}"),
    }
}

fn simulation() -> Simulation {
    Simulation::new(Behaviour {
        service: Duration::from_micros(10),
        ..Behaviour::default()
    })
}

#[test]
fn inserting_workloads_run_again_and_again() {
    for name in ["d", "e"] {
        let simulation = simulation();
        let plan = several(workload(name, &["recordcount=200", "maxscanlength=5"]), 1_000);
        let mut records = 200;
        for run in 0..3 {
            let outcome = simulate(&simulation, &plan).unwrap();
            assert_eq!(outcome.load.is_some(), run == 0, "{name} {run}");
            assert_eq!(outcome.records_before, records, "{name} {run}");
            no_failures(&outcome);
            assert!(inserted(&outcome) > 20);
            records += inserted(&outcome);
            // A duplicate would have been a conflict; a missing one would show here.
            assert_eq!(simulation.names(TABLE).len() as u64, records);
        }
    }
}

/// Takes the manifest in the middle of the run: what a crash would leave.
struct MidRun<'a>(&'a Simulation, Option<String>);

impl Observer for MidRun<'_> {
    fn event(&mut self, event: &Event) {
        if matches!(event, Event::Interval(interval) if interval.phase == dbdyno_engine::Phase::Measure) {
            self.1 = self.1.take().or_else(|| self.0.manifest(TABLE));
        }
    }
}

/// Waits for a future that is ready at once.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

fn store_manifest(target: &Target, workload: &Workload, manifest: &str) {
    let table = workload.specification().table();
    let driver = at_once(Simulated::connect(target)).unwrap();
    at_once(driver.store_manifest(&table, manifest)).unwrap();
}

#[test]
fn the_unknown_tail_of_a_crashed_run_is_repaired() {
    let simulation = simulation();
    let workload = workload("d", &["recordcount=200", "dataintegrity=true"]);
    let plan = several(Arc::clone(&workload), 2_000);
    simulate(&simulation, &several(Arc::clone(&workload), 10)).unwrap();
    let before = simulation.names(TABLE);
    let mut observer = MidRun(&simulation, None);
    simulate_heard(&simulation, &plan, &mut observer).unwrap();
    let crashed = observer.1.unwrap();
    assert!(crashed.contains("inserting"), "{crashed}");

    let after = simulation.names(TABLE);
    let tail: Vec<&String> = after.iter().filter(|name| !before.contains(name)).collect();
    assert!(tail.len() > 50);
    for lost in [tail[3], tail[20], tail[21]] {
        assert!(simulation.lose(TABLE, lost));
    }
    simulation.set_behaviour(Behaviour::default());
    store_manifest(&simulation.target(), &workload, &crashed);
    let outcome = simulate(&simulation, &plan).unwrap();
    assert!(outcome.load.is_none());
    no_failures(&outcome);
    let names = simulation.names(TABLE);
    // A lost record at the very end is no hole; all others are there again.
    assert!(after.len() as u64 - outcome.records_before <= 1);
    assert_eq!(names.len() as u64, outcome.records_before + inserted(&outcome));
    let failures: u64 = outcome
        .measure
        .unwrap()
        .operations
        .values()
        .map(|record| record.verification_failures)
        .sum();
    assert_eq!(failures, 0, "repaired records hold what they should");
}

/// Refuses manifests from the first measured second on, as a disk does that fills up.
struct FillsUp<'a>(&'a Simulation);

impl Observer for FillsUp<'_> {
    fn event(&mut self, event: &Event) {
        if matches!(event, Event::Interval(interval) if interval.phase == dbdyno_engine::Phase::Measure) {
            self.0.set_behaviour(Behaviour {
                refuse_manifests: Some(ErrorClass::Unavailable),
                ..Behaviour::default()
            });
        }
    }
}

#[test]
fn what_was_measured_is_kept_when_the_table_cannot_be() {
    let simulation = simulation();
    let plan = several(workload("d", &["recordcount=200"]), 2_000);
    let outcome = simulate_heard(&simulation, &plan, &mut FillsUp(&simulation)).unwrap();
    let finding = outcome
        .findings
        .iter()
        .find(|finding| finding.code() == "table-not-kept");
    let finding = finding.expect("it says so");
    assert_eq!(finding.severity, Severity::Invalid);
    assert!(
        finding.message().contains("store the manifest"),
        "{}",
        finding.message()
    );
    assert!(inserted(&outcome) > 0);
    // The manifest of the beginning stays, by which the next run looks for holes.
    assert!(simulation.manifest(TABLE).unwrap().contains("inserting"));
}

#[test]
fn data_of_another_shape_is_refused_by_name() {
    let simulation = simulation();
    simulate(&simulation, &several(workload("a", &["recordcount=200"]), 10)).unwrap();
    for (other, property, found, wanted) in [
        (["recordcount=200", "fieldcount=5"], "fieldcount", "10", "5"),
        (["recordcount=300", "fieldcount=10"], "recordcount", "200", "300"),
        (
            ["recordcount=200", "insertorder=ordered"],
            "insertorder",
            "hashed",
            "ordered",
        ),
    ] {
        let plan = several(workload("a", &other), 10);
        let error = simulate(&simulation, &plan).unwrap_err();
        assert_eq!(error.class(), EngineErrorClass::Input);
        match error {
            EngineError::Shape {
                property: named,
                found: there,
                wanted: asked,
                ..
            } => assert_eq!(
                (named.as_str(), there.as_str(), asked.as_str()),
                (property, found, wanted)
            ),
            other => panic!("{other}"),
        }
        assert_eq!(simulation.names(TABLE).len(), 200, "nothing was touched");
    }
    // Another mix on the same records is welcome; so is another shape when the old one may go.
    let outcome = simulate(&simulation, &several(workload("f", &["recordcount=200"]), 10)).unwrap();
    assert!(outcome.load.is_none());
    let mut fresh = several(workload("a", &["recordcount=50", "fieldcount=5"]), 10);
    fresh.spec.reset = Reset::Fresh;
    assert!(simulate(&simulation, &fresh).unwrap().load.is_some());
    assert_eq!(simulation.names(TABLE).len(), 50);
}

#[test]
fn a_run_that_deletes_is_followed_by_a_load() {
    let simulation = simulation();
    let properties = [
        "recordcount=200",
        "readproportion=0.5",
        "updateproportion=0",
        "deleteproportion=0.5",
    ];
    let plan = several(workload("a", &properties), 300);
    simulate(&simulation, &plan).unwrap();
    assert!(simulation.names(TABLE).len() < 200);
    let mut run_only = plan.clone();
    run_only.spec.phases = Phases::RunOnly;
    let error = simulate(&simulation, &run_only).unwrap_err();
    assert_eq!(fault(error), TableFault::Holes);
    assert!(simulate(&simulation, &plan).unwrap().load.is_some());
}

#[test]
fn a_run_without_a_load_needs_the_records() {
    let simulation = simulation();
    let mut run_only = several(workload("a", &["recordcount=200"]), 10);
    run_only.spec.phases = Phases::RunOnly;
    let error = simulate(&simulation, &run_only).unwrap_err();
    assert_eq!(error.class(), EngineErrorClass::Input);
    assert_eq!(fault(error), TableFault::Empty);
    // A manifest nobody can read is not overwritten.
    simulate(&simulation, &several(workload("a", &["recordcount=200"]), 10)).unwrap();
    store_manifest(
        &simulation.target(),
        &run_only.workload,
        "{\"format\": \"dbdyno.manifest/9\"}",
    );
    let error = simulate(&simulation, &run_only).unwrap_err();
    assert!(matches!(fault(error), TableFault::UnreadableManifest(_)));
}

#[test]
fn records_of_others_are_read_but_never_loaded_over() {
    let simulation = simulation();
    let two_hundred = || workload("c", &["recordcount=200"]);
    simulate(&simulation, &several(two_hundred(), 10)).unwrap();
    // A table that another tool loaded has no manifest.
    simulation.forget_manifest(TABLE);
    for phases in [Phases::LoadAndRun, Phases::LoadOnly] {
        let mut load = several(two_hundred(), 10);
        load.spec.phases = phases;
        let error = simulate(&simulation, &load).unwrap_err();
        assert_eq!(error.class(), EngineErrorClass::Input);
        assert_eq!(fault(error), TableFault::Foreign);
        assert_eq!(simulation.names(TABLE).len(), 200, "nothing was touched");
    }
    let run_only = |records: &str| {
        let mut plan = several(workload("c", &[records]), 10);
        plan.spec.phases = Phases::RunOnly;
        plan
    };
    let outcome = simulate(&simulation, &run_only("recordcount=200")).unwrap();
    no_failures(&outcome);
    let error = simulate(&simulation, &run_only("recordcount=300")).unwrap_err();
    assert_eq!(fault(error), TableFault::TooFew(300));
    let mut fresh = several(two_hundred(), 10);
    fresh.spec.reset = Reset::Fresh;
    assert!(simulate(&simulation, &fresh).unwrap().load.is_some());
}
