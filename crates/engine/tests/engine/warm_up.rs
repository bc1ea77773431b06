//! Where the warm-up ends: exactly the asked number of operations is measured, whatever the threads do.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{Event, Observer, Pace, Plan, Stop, run_trial};
use dbdyno_workload::Arrivals;

use crate::common::{operations, plan, workload};
use crate::empty::{CLOSED, Empty};

struct Deaf;

impl Observer for Deaf {
    fn event(&mut self, _: &Event) {}
}

fn measured(plan: &Plan) -> u64 {
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
            plan.clients = 4;
            plan.warmup = Duration::from_millis(2);
            assert_eq!(measured(&plan), 500, "workload {name}, round {round}");
        }
    }
}

#[test]
fn a_schedule_draws_the_line_by_itself() {
    for round in 0..10 {
        let mut plan = plan(workload("c", &["recordcount=100"]), operations(500));
        plan.clients = 4;
        plan.warmup = Duration::from_millis(5);
        plan.pace = Some(Pace {
            rate: 50_000.0,
            arrivals: Arrivals::Constant,
        });
        assert_eq!(measured(&plan), 500, "round {round}");
    }
}
