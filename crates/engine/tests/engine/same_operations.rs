//! Operation N is the same whoever carries it out: at one client and at eight, on virtual time, on shared threads and
//! on threads of their own.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{Driver, Row};
use dbdyno_engine::{Pace, Phases, PreparedTrial, Stop, run_trial};
use dbdyno_testkit::simulated::{Behaviour, Simulated, Simulation};
use dbdyno_workload::{Arrivals, Batch, OperationKind, Sequence, Workload};

use crate::blocking::Blocking;
use crate::common::{loaded, only, operations, plan, simulate, workload};

pub type Call = (OperationKind, Vec<u8>, Vec<(u32, Vec<u8>)>);

/// An operation as its session saw it.
pub fn call(kind: OperationKind, key: &[u8], row: &Row) -> Call {
    let values = row.iter().map(|(index, value)| (index, value.to_vec()));
    (kind, key.to_vec(), values.collect())
}

/// The calls that the workload's first operations make, in their order.
pub fn expected(workload: &Arc<Workload>, count: u64) -> Vec<Call> {
    calls_of(&workload.run(workload.specification().records, Some(count), None))
}

/// The calls that its load makes, in their order.
pub fn expected_load(workload: &Arc<Workload>) -> Vec<Call> {
    calls_of(&workload.load())
}

fn calls_of(sequence: &Sequence) -> Vec<Call> {
    let (mut batch, mut row, mut calls) = (Batch::new(), Row::new(), Vec::new());
    while let Some(claim) = sequence.claim(1) {
        sequence.fill(&claim, &mut batch);
        for operation in batch.iter() {
            sequence.values(operation, &mut row);
            calls.push(call(operation.kind, operation.key.as_bytes(), &row));
        }
    }
    calls
}

/// The calls that the clients' sessions made.
fn seen(simulation: &Simulation) -> Vec<Vec<Call>> {
    let mut sessions: Vec<Vec<Call>> = Vec::new();
    for (session, kind, key, row) in simulation.take_seen() {
        sessions.resize_with(sessions.len().max(session as usize + 1), Vec::new);
        sessions[session as usize].push(call(kind, &key, &row));
    }
    // The engine's own session, which looks whether the table is loaded.
    sessions.remove(0);
    sessions
}

fn assert_same(sessions: &[Vec<Call>], expected: &[Call], clients: u32) {
    assert!(sessions.len() <= clients as usize);
    for calls in sessions {
        let mut rest = expected.iter();
        assert!(
            calls.iter().all(|call| rest.any(|other| other == call)),
            "a client left the order of the sequence"
        );
    }
    let mut all: Vec<&Call> = sessions.iter().flatten().collect();
    let mut expected: Vec<&Call> = expected.iter().collect();
    all.sort_unstable();
    expected.sort_unstable();
    assert!(
        all == expected,
        "{} calls, {} expected",
        all.len(),
        expected.len()
    );
}

const OPERATIONS: u64 = 1_000;

fn run_plan(workload: &Arc<Workload>, clients: u32) -> PreparedTrial {
    {
        let mut plan = plan(Arc::clone(workload), operations(OPERATIONS));
        plan.spec.clients = clients;
        plan.spec.phases = Phases::RunOnly;
        plan
    }
}

fn on_real_threads<D: Driver>(workload: &Arc<Workload>, clients: u32) -> Vec<Vec<Call>> {
    let simulation = loaded(workload, Behaviour::default());
    simulation.watch();
    let plan = run_plan(workload, clients);
    let outcome = run_trial::<D>(&simulation.target(), &plan, &mut (), &Stop::new()).unwrap();
    // Of the reads of workload D some may come before the insert of another client.
    let operations = outcome.measure.unwrap().operations;
    let attempts: u64 = operations.values().map(|record| record.attempts()).sum();
    assert!(
        operations
            .values()
            .all(|record| record.error_count() == 0 && record.not_found == 0)
    );
    assert_eq!(attempts, OPERATIONS);
    seen(&simulation)
}

fn on_virtual_time(workload: &Arc<Workload>, clients: u32) -> Vec<Vec<Call>> {
    let simulation = loaded(
        workload,
        Behaviour {
            service: Duration::from_micros(3),
            ..Behaviour::default()
        },
    );
    simulation.watch();
    simulate(&simulation, &run_plan(workload, clients)).unwrap();
    seen(&simulation)
}

#[test]
fn one_client_and_eight_do_the_same_on_every_driver() {
    for name in ["a", "d"] {
        let workload = workload(name, &["recordcount=300", "fieldlength=10"]);
        let expected = expected(&workload, OPERATIONS);
        for clients in [1, 8] {
            assert_same(&on_virtual_time(&workload, clients), &expected, clients);
            assert_same(
                &on_real_threads::<Blocking>(&workload, clients),
                &expected,
                clients,
            );
            assert_same(
                &on_real_threads::<Simulated>(&workload, clients),
                &expected,
                clients,
            );
        }
        let alone = on_virtual_time(&workload, 1);
        assert!(alone[0] == expected, "one client keeps the whole order");
    }
}

#[test]
fn a_rate_on_real_time_sends_every_operation_once() {
    let workload = workload("c", &["recordcount=100"]);
    let expected = expected(&workload, 200);
    for async_clients in [true, false] {
        let simulation = loaded(&workload, Behaviour::default());
        simulation.watch();
        let mut plan = run_plan(&workload, 5);
        plan.spec.pace = Some(Pace {
            rate: 2_000.0,
            arrivals: Arrivals::Poisson,
        });
        plan.spec.limit = operations(200);
        let run = if async_clients {
            run_trial::<Simulated>
        } else {
            run_trial::<Blocking>
        };
        let outcome = run(&simulation.target(), &plan, &mut (), &Stop::new()).unwrap();
        let measure = outcome.measure.unwrap();
        let reads = only(&measure);
        assert_eq!((reads.ok, reads.response.as_ref().unwrap().count()), (200, 200));
        // Nothing answers before it was due.
        assert!(measure.duration_ns > 50_000_000);
        assert_same(&seen(&simulation), &expected, 5);
    }
}
