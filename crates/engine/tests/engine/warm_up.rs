//! Where the warm-up ends: exactly the asked number of operations is measured, whatever the threads do.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{Event, Observer, Pace, Phase, PreparedTrial, Stop, WarmUp, run_trial};
use dbdyno_workload::Arrivals;

use crate::common::{duration, operations, plan, workload};
use crate::empty::{CLOSED, Empty};

struct Deaf;

impl Observer for Deaf {
    fn event(&mut self, _: &Event) {}
}

fn measured(plan: &PreparedTrial) -> u64 {
    let target = Target::parse("empty").unwrap();
    let closed = CLOSED.load(Ordering::SeqCst);
    let outcome = run_trial::<Empty>(&target, plan, &mut Deaf, &Stop::new()).unwrap();
    assert!(
        CLOSED.load(Ordering::SeqCst) > closed,
        "the driver was not told that it is over"
    );
    let measure = outcome.measure.unwrap();
    measure
        .operations
        .values()
        .map(|operation| operation.attempts())
        .sum()
}

#[test]
fn no_operation_is_lost_where_many_threads_end_it() {
    for name in ["c", "d"] {
        for round in 0..100 {
            let mut plan = plan(workload(name, &["recordcount=100"]), operations(500));
            plan.spec.clients = 4;
            plan.spec.warmup = WarmUp::fixed(Duration::from_millis(2));
            assert_eq!(measured(&plan), 500, "workload {name}, round {round}");
        }
    }
}

#[test]
fn a_schedule_draws_the_line_by_itself() {
    for round in 0..10 {
        let mut plan = plan(workload("c", &["recordcount=100"]), operations(500));
        plan.spec.clients = 4;
        plan.spec.warmup = WarmUp::fixed(Duration::from_millis(5));
        plan.spec.pace = Some(Pace {
            rate: 50_000.0,
            arrivals: Arrivals::Constant,
        });
        assert_eq!(measured(&plan), 500, "round {round}");
    }
}

/// Finds the warm-up long enough after some of its intervals.
struct Warm {
    after: u32,
    warming: u32,
    measuring: bool,
}

impl Observer for Warm {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Interval(interval) if interval.phase == Phase::WarmUp => self.warming += 1,
            Event::PhaseStarted {
                phase: Phase::Measure,
                ..
            } => self.measuring = true,
            _ => {}
        }
    }

    fn warm(&mut self) -> bool {
        assert!(!self.measuring, "asked during the warm-up only");
        self.warming >= self.after
    }
}

/// An hour of warm-up: without its early end this test would not end.
fn ended_early(mut plan: PreparedTrial) -> (u64, u64) {
    plan.spec.warmup = WarmUp::fixed(Duration::from_secs(3600));
    plan.interval = Duration::from_millis(10);
    let target = Target::parse("empty").unwrap();
    let mut observer = Warm {
        after: 3,
        warming: 0,
        measuring: false,
    };
    let outcome = run_trial::<Empty>(&target, &plan, &mut observer, &Stop::new()).unwrap();
    assert!(observer.measuring && observer.warming >= 3);
    let measure = outcome.measure.unwrap();
    let attempts = measure.operations.values().map(|operation| operation.attempts());
    (attempts.sum(), measure.duration_ns)
}

#[test]
fn a_warm_up_that_ends_by_itself_loses_no_operation() {
    for name in ["c", "d"] {
        let mut plan = plan(workload(name, &["recordcount=100"]), operations(500));
        plan.spec.clients = 4;
        assert_eq!(ended_early(plan).0, 500, "workload {name}");
    }
    let mut paced = plan(workload("c", &["recordcount=100"]), operations(500));
    paced.spec.clients = 4;
    paced.spec.pace = Some(Pace {
        rate: 10_000.0,
        arrivals: Arrivals::Poisson,
    });
    assert_eq!(ended_early(paced).0, 500);
}

#[test]
fn the_measured_phase_keeps_its_length_when_the_warm_up_ends_early() {
    let plan = plan(
        workload("c", &["recordcount=100"]),
        duration(Duration::from_millis(80)),
    );
    let (attempts, duration_ns) = ended_early(plan);
    assert!(attempts > 0);
    // It lasts until its deadline at least, and until the last operation in flight.
    assert!(
        (80_000_000..60_000_000_000).contains(&duration_ns),
        "{duration_ns}"
    );
}
