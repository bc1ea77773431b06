//! Progress: one interval after the other, whatever clients do.

use std::time::Duration;

use dbdyno_engine::{Interval, Phase, Phases, WarmUp};
use dbdyno_testkit::simulated::{Behaviour, Stall};

use crate::common::{Heard, duration, loaded, only, plan, simulate_heard, workload};

const SECOND: u64 = 1_000_000_000;

fn heard(behaviour: Behaviour, warmup: Duration) -> (Heard, u64, u64) {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(&workload, behaviour);
    let mut plan = plan(workload, duration(Duration::from_secs(12)));
    plan.spec.clients = 2;
    plan.spec.phases = Phases::RunOnly;
    plan.spec.warmup = WarmUp::fixed(warmup);
    let mut heard = Heard::default();
    let measure = simulate_heard(&simulation, &plan, &mut heard)
        .unwrap()
        .measure
        .unwrap();
    (heard, only(&measure).ok, measure.duration_ns)
}

#[test]
fn a_stuck_client_does_not_hold_up_the_others_and_delivers_late_to_the_right_interval() {
    let behaviour = Behaviour {
        service: Duration::from_millis(10),
        stalls: vec![Stall {
            at: Duration::from_millis(5_500),
            length: Duration::from_secs(4),
            session: Some(1),
        }],
        ..Behaviour::default()
    };
    let (heard, ok, _) = heard(behaviour, Duration::ZERO);
    let intervals = heard.intervals(Phase::Measure);
    let (late, reported): (Vec<&Interval>, Vec<&Interval>) =
        intervals.iter().partition(|interval| interval.late);
    let starts: Vec<u64> = reported
        .iter()
        .map(|interval| interval.start_ns / SECOND)
        .collect();
    assert_eq!(starts, (0..=12).collect::<Vec<_>>(), "in order, no gap");
    let count = |interval: &Interval| {
        interval
            .operations
            .values()
            .map(|operation| {
                assert_eq!(operation.ok, operation.service.count());
                operation.ok
            })
            .sum::<u64>()
    };
    let sum: u64 = intervals.iter().map(|interval| count(interval)).sum();
    assert_eq!(sum, ok, "nothing lost, nothing twice");
    // The half second before the stall belongs to the sixth second, told when the client came back.
    assert_eq!(late.len(), 1);
    assert_eq!(late[0].start_ns, 5 * SECOND);
    assert!((49..=51).contains(&count(late[0])));
    for interval in &reported[6..9] {
        assert!((99..=101).contains(&count(interval)), "the other client goes on");
    }
    assert!((199..=201).contains(&count(reported[10])));
    assert_eq!(
        heard.phases(),
        ["+connect", "-connect", "+measure", "-measure", "+drain", "-drain"]
    );
}

#[test]
fn intervals_tick_when_nothing_ends() {
    let behaviour = Behaviour {
        service: Duration::from_millis(10),
        stalls: vec![Stall {
            at: Duration::from_millis(3_500),
            length: Duration::from_secs(5),
            session: None,
        }],
        ..Behaviour::default()
    };
    let (heard, ..) = heard(behaviour, Duration::ZERO);
    let intervals = heard.intervals(Phase::Measure);
    let empty: Vec<u64> = intervals
        .iter()
        .filter(|interval| interval.operations.is_empty())
        .map(|interval| interval.start_ns / SECOND)
        .collect();
    // The fourth second's operations come late: at its end nobody had told of them.
    assert_eq!(empty, [3, 4, 5, 6, 7]);
}

#[test]
fn the_warm_up_has_its_own_intervals_and_leaves_the_measured_phase_alone() {
    let behaviour = Behaviour {
        service: Duration::from_millis(10),
        ..Behaviour::default()
    };
    let (heard, ok, duration_ns) = heard(behaviour, Duration::from_millis(2_500));
    assert_eq!(heard.intervals(Phase::WarmUp).len(), 3);
    assert_eq!(heard.intervals(Phase::WarmUp)[2].duration_ns, SECOND / 2);
    assert!((2_398..=2_402).contains(&ok), "{ok}");
    assert!(duration_ns.abs_diff(12 * SECOND) <= 10_000_000);
    assert_eq!(
        heard.phases(),
        [
            "+connect", "-connect", "+warm-up", "-warm-up", "+measure", "-measure", "+drain", "-drain"
        ]
    );
}
