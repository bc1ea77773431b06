//! Trials that are measured in turns: their clock stands still while others run, and nothing of the workload changes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dbdyno_driver::{ErrorClass, Retry, Row};
use dbdyno_engine::{
    Beside, Limit, Outcome, Pace, Phase, PreparedTrial, Slice, SliceOutcome, Stop, TurnReport, Turns, WarmUp,
    run_trial_on_virtual_time_beside,
};
use dbdyno_record::SliceHead;
use dbdyno_testkit::simulated::{Behaviour, Fault, Simulated, Simulation, Stall};
use dbdyno_workload::{Arrivals, Workload};
use tokio::sync::mpsc::unbounded_channel;

use crate::common::{Heard, duration, loaded, only, plan, workload};

const MS: Duration = Duration::from_millis(1);
/// Between two turns the others run for so long.
const BETWEEN: Duration = Duration::from_secs(3);

/// Gives so many slices, and keeps what came of them.
struct Given {
    slices: u32,
    measured: Duration,
    head: Duration,
    /// Requests a stop instead of the slice of this number.
    stop_at: Option<u32>,
    /// From the slice of this number on, the system behaves like this.
    then: Option<(u32, Behaviour)>,
}

impl Given {
    fn new(slices: u32, measured: Duration) -> Self {
        Self {
            slices,
            measured,
            head: MS * 10,
            stop_at: None,
            then: None,
        }
    }

    fn run(
        &self,
        simulation: &Simulation,
        plan: &PreparedTrial,
        heard: &mut Heard,
    ) -> (Outcome, Vec<SliceOutcome>) {
        let (reports, mut received) = unbounded_channel();
        let outcomes = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&outcomes);
        let (turns, sender) = Turns::new(move |report| {
            if let TurnReport::Parked(outcome) = report {
                kept.lock().unwrap().push(outcome);
            }
            let _ = reports.send(report);
        });
        let plan = PreparedTrial {
            turns: Some(turns),
            ..plan.clone()
        };
        let (stop, time) = (Stop::new(), simulation.time());
        let beside = async {
            for number in 0..self.slices {
                let report = received.recv().await;
                assert_eq!(number == 0, report == Some(TurnReport::Ready));
                time.sleep_until(time.now_ns() + BETWEEN.as_nanos() as u64).await;
                if self.stop_at == Some(number) {
                    stop.request();
                    return;
                }
                if let Some((_, behaviour)) = self.then.as_ref().filter(|(from, _)| *from == number) {
                    simulation.set_behaviour(behaviour.clone());
                }
                sender.send(Slice {
                    lead: Duration::ZERO,
                    head: self.head,
                    measured: self.measured,
                    last: number + 1 == self.slices,
                });
            }
        };
        let outcome = run_trial_on_virtual_time_beside::<Simulated>(
            &simulation.target(),
            &plan,
            heard,
            &stop,
            Beside { time, events: beside },
        );
        let outcomes = outcomes.lock().unwrap().clone();
        (outcome.unwrap(), outcomes)
    }
}

fn behaviour(service: Duration, stalls: Vec<Stall>) -> Behaviour {
    Behaviour {
        service,
        stalls,
        ..Behaviour::default()
    }
}

/// A plan with a rate where there is one, and a warm-up of 20 ms.
fn planned(workload: &Arc<Workload>, clients: u32, rate: Option<f64>, limit: Limit) -> PreparedTrial {
    let mut plan = plan(Arc::clone(workload), limit);
    plan.spec.clients = clients;
    plan.spec.warmup = WarmUp::fixed(MS * 20);
    plan.spec.pace = rate.map(|rate| Pace {
        rate,
        arrivals: Arrivals::Constant,
    });
    plan
}

/// A stall that hits what is in flight `after` the third turn began; the load of [`loaded`] takes no time.
fn stall_in_third_slice(slice: Duration, after: Duration, length: Duration) -> Stall {
    Stall {
        at: MS * 20 + BETWEEN * 3 + slice * 2 + after,
        length,
        session: None,
    }
}

#[test]
fn a_closed_loop_counts_its_own_slices_only() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(&workload, behaviour(MS, Vec::new()));
    let mut heard = Heard::default();
    let mut plan = planned(&workload, 2, None, duration(MS * 400));
    plan.interval = MS * 50;
    let (outcome, slices) = Given::new(4, MS * 100).run(&simulation, &plan, &mut heard);
    let measure = outcome.measure.unwrap();
    let reads = only(&measure);
    // Two clients with an answer every millisecond, for four times 100 ms, less what the first operation of each may miss.
    assert!(
        (790..=800).contains(&reads.ok) && reads.drained == 0,
        "{}",
        reads.ok
    );
    let throughput = measure.throughput_per_second().unwrap();
    assert!((throughput - 2_000.0).abs() < 1e-6, "{throughput}");
    assert!(reads.service.percentile_ns(100.0).unwrap() < 1_010_000);
    assert_eq!(slices.len(), 4);
    assert!(
        slices
            .iter()
            .all(|slice| (98_000_000..=100_000_000).contains(&slice.measured_ns)),
        "{slices:?}"
    );
    // Intervals count measured time: slices begin and end within them.
    let intervals = heard.intervals(Phase::Measure);
    let whole: Vec<(u64, u64)> = intervals[..7]
        .iter()
        .map(|interval| (interval.start_ns, interval.duration_ns))
        .collect();
    let expected: Vec<(u64, u64)> = (0..7).map(|index| (index * 50_000_000, 50_000_000)).collect();
    assert_eq!(whole, expected);
    // The very last answer may come where the eighth one ends.
    assert!((8..=9).contains(&intervals.len()), "{}", intervals.len());
    for interval in &intervals[..7] {
        let ok: u64 = interval.operations.values().map(|kind| kind.ok).sum();
        assert!((96..=102).contains(&ok), "{ok}");
    }
    assert_eq!(
        heard.phases(),
        [
            "+connect", "-connect", "+warm-up", "-warm-up", "+measure", "-measure", "+drain", "-drain"
        ]
    );
}

#[test]
fn the_operations_are_a_prefix_of_the_sequence_whatever_the_slices() {
    let workload = workload("d", &["recordcount=300", "fieldlength=10"]);
    let of = |slices: u32, rate| {
        let simulation = loaded(&workload, behaviour(MS, Vec::new()));
        simulation.watch();
        let plan = planned(&workload, 4, rate, duration(MS * 100));
        let (outcome, _) =
            Given::new(slices, MS * 100 / slices).run(&simulation, &plan, &mut Heard::default());
        assert!(
            outcome
                .measure
                .unwrap()
                .operations
                .values()
                .all(|kind| kind.error_count() == 0)
        );
        simulation.take_seen()
    };
    for rate in [None, Some(2_000.0)] {
        let (few, many) = (of(1, rate), of(5, rate));
        // With every slice goes a head, whose operations are of the same sequence.
        assert!(many.len() > few.len());
        let keys = |seen: &[(u32, _, Vec<u8>, Row)]| {
            let mut keys: Vec<Vec<u8>> = seen.iter().map(|(.., key, _)| key.clone()).collect();
            keys.truncate(few.len() - 4);
            keys.sort_unstable();
            keys
        };
        assert_eq!(keys(&few), keys(&many), "{rate:?}");
    }
}

#[test]
fn a_rate_has_no_backlog_from_parking() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(&workload, behaviour(MS / 2, Vec::new()));
    let plan = planned(&workload, 2, Some(1_000.0), duration(MS * 400));
    let (outcome, _) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
    let measure = outcome.measure.unwrap();
    let reads = only(&measure);
    assert_eq!(measure.duration_ns, 400_000_000);
    assert!((395..=405).contains(&reads.ok), "{}", reads.ok);
    assert!(reads.response.as_ref().unwrap().percentile_ns(100.0).unwrap() < 600_000);
    let pacing = measure.pacing.unwrap();
    assert!(pacing.sustained && pacing.backlog == 0, "{pacing:?}");
    assert!((pacing.achieved_rate - 1_000.0).abs() < 15.0, "{pacing:?}");
}

#[test]
fn a_stall_is_paid_for_beyond_the_end_of_its_slice() {
    let workload = workload("c", &["recordcount=100"]);
    let stall = stall_in_third_slice(MS * 110, MS * 60, MS * 500);
    let simulation = loaded(&workload, behaviour(MS, vec![stall]));
    let plan = planned(&workload, 2, None, duration(MS * 400));
    let (outcome, slices) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
    let measure = outcome.measure.unwrap();
    // 50 ms of the slice before it, the stall, and the rest of one operation.
    assert!(
        (547..=553).contains(&(slices[2].measured_ns / 1_000_000)),
        "{slices:?}"
    );
    assert!(
        (845..=853).contains(&(measure.duration_ns / 1_000_000)),
        "{}",
        measure.duration_ns
    );
    assert!(only(&measure).service.percentile_ns(100.0).unwrap() >= 490_000_000);
}

/// Were a slice to count from its first measured operation, the whole slice would be lost, and the stall free.
#[test]
fn a_stall_that_begins_in_the_head_is_paid_for() {
    let workload = workload("c", &["recordcount=100"]);
    for (length, counted) in [(MS * 60, 100), (MS * 500, 495)] {
        let stall = stall_in_third_slice(MS * 110, MS * 5, length);
        let simulation = loaded(&workload, behaviour(MS, vec![stall]));
        let plan = planned(&workload, 2, None, duration(MS * 400));
        let (outcome, slices) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
        // From the end of the head, give or take an operation.
        let measured_ms = slices[2].measured_ns / 1_000_000;
        assert!((counted - 5..=counted).contains(&measured_ms), "{slices:?}");
        let missed_ms = (length - MS * 5).as_millis().min(100) as u64;
        assert!(
            slices[2].ok.abs_diff(2 * (100 - missed_ms)) <= 4,
            "{missed_ms} ms of {slices:?}"
        );
        let measure = outcome.measure.unwrap();
        let whole_ms: u64 = slices.iter().map(|slice| slice.measured_ns / 1_000_000).sum();
        assert!((measure.duration_ns / 1_000_000).abs_diff(whole_ms) <= 4);
    }
}

#[test]
fn a_rate_above_what_the_system_can_do_is_not_answered_in_its_time() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(&workload, behaviour(MS, Vec::new()));
    // Two clients can do 2,000 a second.
    let plan = planned(&workload, 2, Some(4_000.0), duration(MS * 400));
    let (outcome, _) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
    let measure = outcome.measure.unwrap();
    let throughput = measure.throughput_per_second().unwrap();
    assert!(throughput <= 2_200.0, "{throughput}");
    assert!(!measure.pacing.unwrap().sustained);
}

#[test]
fn with_a_rate_a_stall_lets_operations_wait_for_as_long_as_it_lasts() {
    let workload = workload("c", &["recordcount=100"]);
    let stall = stall_in_third_slice(MS * 110, MS * 60, MS * 500);
    let simulation = loaded(&workload, behaviour(MS / 2, vec![stall]));
    let plan = planned(&workload, 2, Some(1_000.0), duration(MS * 400));
    let (outcome, slices) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
    let measure = outcome.measure.unwrap();
    let response = only(&measure).response.clone().unwrap();
    // The slice went on: 500 operations were due in the stall. Afterwards four in a millisecond are answered, so who was due
    // after x ms waited for 500 - x + x / 4: all for 125 or more, two thirds for 250 or more.
    assert!(slices[2].measured_ns >= 500_000_000, "{slices:?}");
    let waited = |least: Duration| {
        let share = (0..=1000).rev().find(|&permille| {
            response.percentile_ns(permille as f64 / 10.0).unwrap() < least.as_nanos() as u64
        });
        (1000 - share.unwrap_or(0)) * response.count() / 1000
    };
    assert!((480..=520).contains(&waited(MS * 100)), "{}", waited(MS * 100));
    assert!((315..=350).contains(&waited(MS * 250)), "{}", waited(MS * 250));
}

/// An operation that takes longer than a slice waits to find all clients idle is no stall, however many clients it keeps busy.
#[test]
fn slow_operations_hold_no_slice_up() {
    let workload = workload("c", &["recordcount=100"]);
    for (clients, rate) in [(4, 190.0), (16, 2_000.0)] {
        let simulation = loaded(&workload, behaviour(MS * 20, Vec::new()));
        let mut plan = planned(&workload, clients, Some(rate), duration(MS * 1_000));
        plan.spec.warmup = WarmUp::fixed(MS * 200);
        let (outcome, slices) = Given::new(4, MS * 250).run(&simulation, &plan, &mut Heard::default());
        let measure = outcome.measure.unwrap();
        assert_eq!(measure.duration_ns, 1_000_000_000, "{slices:?}");
        assert!(
            slices.iter().take(3).all(|slice| slice.took_ns <= 310_000_000),
            "{slices:?}"
        );
        let sustained = rate < 200.0;
        assert_eq!(measure.pacing.unwrap().sustained, sustained, "{rate}");
    }
}

/// A client that never comes back is given up after the drain, as in a trial without turns.
#[test]
fn with_a_rate_a_client_that_hangs_is_given_up() {
    let workload = workload("c", &["recordcount=100"]);
    let stall = Stall {
        session: Some(1),
        ..stall_in_third_slice(MS * 110, MS * 60, MS * 3_600_000)
    };
    let simulation = loaded(&workload, behaviour(MS / 2, vec![stall]));
    let mut plan = planned(&workload, 2, Some(1_000.0), duration(MS * 400));
    plan.drain = MS * 700;
    let (outcome, slices) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
    assert_eq!(slices.len(), 3, "{slices:?}");
    assert!(slices[2].took_ns < 1_000_000_000, "{slices:?}");
    assert_eq!(outcome.measure.unwrap().drain.stuck, 1);
}

/// Operations that a warm-up could not do are its own: the schedule goes on with the first slice.
#[test]
fn a_warm_up_leaves_its_backlog_behind() {
    let workload = workload("c", &["recordcount=100"]);
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        // It holds both clients up for nearly all of the warm-up: 190 operations are due meanwhile.
        let stall = Stall {
            at: MS * 5,
            length: MS * 190,
            session: None,
        };
        let simulation = loaded(&workload, behaviour(MS / 2, vec![stall]));
        let mut plan = planned(&workload, 2, Some(1_000.0), duration(MS * 400));
        plan.spec.pace = Some(Pace {
            rate: 1_000.0,
            arrivals,
        });
        plan.spec.warmup = WarmUp::fixed(MS * 200);
        let (outcome, slices) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
        let measure = outcome.measure.unwrap();
        assert_eq!(measure.duration_ns, 400_000_000, "{slices:?}");
        let reads = only(&measure);
        let slowest_ns = reads.response.as_ref().unwrap().percentile_ns(100.0).unwrap();
        assert!(slowest_ns < 5_000_000, "{arrivals:?}: {slowest_ns}");
        assert!(reads.ok.abs_diff(400) < 60, "{arrivals:?}: {}", reads.ok);
        assert!(measure.pacing.unwrap().sustained, "{arrivals:?}");
    }
}

#[test]
fn a_number_of_operations_is_measured_exactly() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(&workload, behaviour(MS, Vec::new()));
    let limit = Limit {
        operations: Some(450),
        duration: None,
    };
    let plan = planned(&workload, 2, None, limit);
    // More turns than it needs: it leaves when it is done.
    let (outcome, slices) = Given::new(9, MS * 100).run(&simulation, &plan, &mut Heard::default());
    let measure = outcome.measure.unwrap();
    assert_eq!(only(&measure).ok, 450);
    assert_eq!(slices.len(), 3);
    assert!(slices[2].ok < 60, "{slices:?}");
    assert!((measure.throughput_per_second().unwrap() - 2_000.0).abs() < 1e-6);
    assert!(!outcome.interrupted);
}

#[test]
fn a_stop_between_turns_keeps_what_was_measured() {
    let workload = workload("c", &["recordcount=100"]);
    for rate in [None, Some(500.0)] {
        let simulation = loaded(&workload, behaviour(MS, Vec::new()));
        let plan = planned(&workload, 2, rate, duration(MS * 400));
        let given = Given {
            stop_at: Some(2),
            ..Given::new(4, MS * 100)
        };
        let (outcome, slices) = given.run(&simulation, &plan, &mut Heard::default());
        assert!(outcome.interrupted);
        assert_eq!(slices.len(), 2);
        let measure = outcome.measure.unwrap();
        assert!(measure.duration_ns.abs_diff(200_000_000) < 5_000_000, "{rate:?}");
        assert_eq!(measure.drain.stuck, 0);
    }
    let simulation = loaded(&workload, behaviour(MS, Vec::new()));
    let given = Given {
        stop_at: Some(0),
        ..Given::new(4, MS * 100)
    };
    let plan = planned(&workload, 2, None, duration(MS * 400));
    let (outcome, _) = given.run(&simulation, &plan, &mut Heard::default());
    assert!(outcome.interrupted && outcome.measure.is_none());
}

#[test]
fn heads_are_not_measured() {
    let workload = workload("c", &["recordcount=100"]);
    for rate in [None, Some(1_000.0)] {
        let simulation = loaded(&workload, behaviour(MS / 4, Vec::new()));
        let plan = planned(&workload, 1, rate, duration(MS * 200));
        let given = Given {
            head: MS * 200,
            ..Given::new(2, MS * 100)
        };
        let mut heard = Heard::default();
        let (outcome, slices) = given.run(&simulation, &plan, &mut heard);
        assert!(outcome.measure.unwrap().duration_ns.abs_diff(200_000_000) < 2_000_000);
        assert!(slices.iter().all(|slice| slice.took_ns >= 299_000_000));
        let expected = if rate.is_some() { 200 } else { 800 };
        let counted: u64 = slices.iter().map(|slice| slice.ok).sum();
        assert!(counted.abs_diff(expected) <= 4, "{counted} of {expected}");
        let told: u64 = heard
            .intervals(Phase::Measure)
            .iter()
            .flat_map(|interval| interval.operations.values())
            .map(|kind| kind.ok)
            .sum();
        assert_eq!(told, counted);
    }
}

/// Others leave caches cold: the first operations of a slice take longer, and its head shows for how long.
#[test]
fn a_head_shows_what_the_switch_cost() {
    let workload = workload("c", &["recordcount=100"]);
    for (after, length, late_ratio) in [(MS, MS * 3, 1.0), (MS * 6, MS * 2, 5.0 / 3.0)] {
        let stall = stall_in_third_slice(MS * 110, after, length);
        let simulation = loaded(&workload, behaviour(MS / 20, vec![stall]));
        let plan = planned(&workload, 2, None, duration(MS * 400));
        let (_, slices) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
        let heads: Vec<SliceHead> = slices.iter().map(|slice| slice.head.unwrap()).collect();
        for (number, head) in heads.iter().enumerate() {
            let (lost, ratio) = match number {
                2 => (length, late_ratio),
                _ => (Duration::ZERO, 1.0),
            };
            let lost_ns = lost.as_nanos() as i64;
            assert!((head.lost_ns - lost_ns).abs() < 100_000, "{number} of {heads:?}");
            assert!(
                (head.late_ratio.unwrap() - ratio).abs() < 0.05,
                "{number} of {heads:?}"
            );
        }
    }
    let simulation = loaded(&workload, behaviour(MS / 20, Vec::new()));
    let plan = planned(&workload, 2, Some(1_000.0), duration(MS * 400));
    let (_, slices) = Given::new(4, MS * 100).run(&simulation, &plan, &mut Heard::default());
    assert!(slices.iter().all(|slice| slice.head.is_none()), "{slices:?}");
}

/// A system that hangs while others have their turns: each operation begins in a head, fails after the slice, and none is measured otherwise.
#[test]
fn failures_that_outlast_a_head_count() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(&workload, behaviour(MS, Vec::new()));
    let plan = planned(&workload, 2, None, duration(MS * 400));
    let hangs = Behaviour {
        faults: vec![Fault {
            kind: None,
            every: 1,
            class: ErrorClass::Timeout,
            retry: Retry::Permanent,
        }],
        ..behaviour(MS * 300, Vec::new())
    };
    let given = Given {
        then: Some((2, hangs)),
        ..Given::new(4, MS * 100)
    };
    let (outcome, slices) = given.run(&simulation, &plan, &mut Heard::default());
    let measure = outcome.measure.unwrap();
    let reads = only(&measure);
    // Of two clients in two slices.
    assert_eq!(reads.errors.get("timeout"), Some(&4), "{reads:?}");
    let succeeded: Vec<u64> = slices.iter().map(|slice| slice.ok).collect();
    assert!(succeeded[..2].iter().all(|ok| *ok > 190), "{succeeded:?}");
    assert_eq!(succeeded[2..], [0, 0]);
    assert!(
        slices[2].measured_ns.abs_diff(290_000_000) < 5_000_000,
        "{slices:?}"
    );
}

/// However short the slices are against the operations.
#[test]
fn slow_operations_have_the_throughput_that_they_have() {
    let workload = workload("c", &["recordcount=100"]);
    for clients in [1, 4] {
        let simulation = loaded(&workload, behaviour(MS * 20, Vec::new()));
        let mut plan = planned(&workload, clients, None, duration(MS * 500));
        plan.spec.warmup = WarmUp::fixed(MS * 200);
        let given = Given {
            head: MS * 5,
            ..Given::new(10, MS * 50)
        };
        let (outcome, slices) = given.run(&simulation, &plan, &mut Heard::default());
        let throughput = outcome.measure.unwrap().throughput_per_second().unwrap();
        let expected = 50.0 * f64::from(clients);
        assert!(
            (throughput / expected - 1.0).abs() < 0.01,
            "{throughput}: {slices:?}"
        );
    }
}
