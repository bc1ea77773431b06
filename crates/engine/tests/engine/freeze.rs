//! Standing still must not look good: freezes, stragglers, and schedules that nobody could keep.

use std::time::Duration;

use crate::common::{duration, loaded, only, plan, simulate, workload};
use dbdyno_engine::{Outcome, Pace, Phases, PreparedTrial, WarmUp};
use dbdyno_record::Severity;
use dbdyno_testkit::simulated::{Behaviour, Stall};
use dbdyno_workload::Arrivals;

const SECOND: u64 = 1_000_000_000;

fn rate(rate: f64, arrivals: Arrivals) -> Option<Pace> {
    Some(Pace { rate, arrivals })
}

fn run(behaviour: Behaviour, with: impl FnOnce(PreparedTrial) -> PreparedTrial) -> Outcome {
    let workload = workload("c", &["recordcount=40"]);
    let simulation = loaded(&workload, behaviour);
    let mut plan = plan(workload, duration(Duration::from_secs(8)));
    plan.spec.clients = 4;
    plan.spec.phases = Phases::RunOnly;
    simulate(&simulation, &with(plan)).unwrap()
}

fn frozen(at: Duration, length: Duration, session: Option<u32>) -> Behaviour {
    Behaviour {
        service: Duration::from_millis(1),
        stalls: vec![Stall { at, length, session }],
        ..Behaviour::default()
    }
}

fn stuck(outcome: &Outcome) -> bool {
    let mut findings = outcome.findings.iter();
    findings.any(|finding| finding.code() == "clients-stuck" && finding.severity == Severity::Invalid)
}

#[test]
fn a_freeze_does_not_pass() {
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        // Everything stands still from the fifth second on, for longer than anybody waits.
        let behaviour = frozen(Duration::from_secs(5), Duration::from_secs(45), None);
        let outcome = run(behaviour, |mut plan| {
            plan.spec.pace = rate(400.0, arrivals);
            plan
        });
        assert!(stuck(&outcome), "{:?}", outcome.findings);
        let measure = outcome.measure.unwrap();
        let pacing = measure.pacing.as_ref().unwrap();
        assert!(
            !pacing.sustained && (1_100..1_300).contains(&pacing.backlog),
            "{pacing:?}"
        );
        assert!((pacing.achieved_rate - 250.0).abs() < 15.0, "{pacing:?}");
        assert_eq!(
            (measure.drain.stuck, measure.drain.never_sent),
            (4, pacing.backlog)
        );
        assert_eq!(measure.duration_ns, 8 * SECOND);
        let unfinished = only(&measure).unfinished.as_ref().unwrap();
        assert_eq!(unfinished.count(), pacing.backlog + 4);
        // Given up 30 s after the deadline: the last were due just before it, the first when all stood still.
        let range = unfinished.0.min() as f64 / 1e9..unfinished.0.max() as f64 / 1e9;
        assert!(
            (29.9..30.2).contains(&range.start) && (32.9..33.2).contains(&range.end),
            "{range:?}"
        );
    }
}

#[test]
fn a_freeze_from_the_warm_up_on_is_reported() {
    let outcome = run(
        frozen(Duration::from_secs(1), Duration::from_secs(3_600), None),
        |mut plan| {
            plan.spec.pace = rate(400.0, Arrivals::Constant);
            plan.spec.warmup = WarmUp::fixed(Duration::from_secs(2));
            plan
        },
    );
    assert!(stuck(&outcome));
    let measure = outcome.measure.unwrap();
    let pacing = measure.pacing.as_ref().unwrap();
    assert_eq!(
        (pacing.achieved_rate, pacing.sustained, pacing.backlog),
        (0.0, false, 3_200)
    );
    assert_eq!(only(&measure).unfinished.as_ref().unwrap().count(), 3_200);
}

#[test]
fn a_longer_stall_never_gives_a_better_number() {
    let throughput = |stall_ms: u64, session, warmup| {
        let length = Duration::from_millis(stall_ms);
        let outcome = run(
            frozen(Duration::from_millis(2_300), length, session),
            |mut plan| {
                plan.spec.warmup = WarmUp::fixed(Duration::from_secs(warmup));
                plan
            },
        );
        let measure = outcome.measure.unwrap();
        assert_eq!(measure.duration_ns, 8 * SECOND, "a stall of {stall_ms} ms");
        measure.throughput_per_second().unwrap()
    };
    for (session, warmup) in [(Some(1), 0), (None, 0), (Some(2), 1)] {
        // Into the phase, across its end, across the drain's end, and beyond.
        let lengths = [0, 10, 500, 3_000, 5_600, 5_800, 20_000, 35_600, 35_800, 60_000];
        let seen = lengths.map(|length| throughput(length, session, warmup));
        assert!(seen.is_sorted_by(|shorter, longer| shorter >= longer), "{seen:?}");
        assert!((3_990.0..=4_000.0).contains(&seen[0]), "{seen:?}");
        assert!(seen[9] < seen[0] - 600.0, "{seen:?}");
    }
}

#[test]
fn an_answer_after_the_deadline_is_latency_and_no_throughput() {
    let outcome = run(
        frozen(Duration::from_secs(6), Duration::from_secs(4), Some(1)),
        |plan| plan,
    );
    let measure = outcome.measure.unwrap();
    let reads = only(&measure);
    assert_eq!(reads.ok - reads.ok_in_time(), 1, "one was in flight");
    assert_eq!(reads.service.count(), reads.ok);
    assert!(reads.service.0.max() > 3 * SECOND && reads.unfinished.is_none());
    assert!(
        (measure.drain.duration_ns as f64 / 2e9 - 1.0).abs() < 0.01,
        "{:?}",
        measure.drain
    );
}

/// A closed loop has always something to send. Where nothing was measured, the finding says what the clients waited for.
#[test]
fn a_closed_loop_in_which_nothing_ended_says_what_was_in_flight() {
    let said = |at_us, length_ms, warmup| {
        let (at, length) = (Duration::from_micros(at_us), Duration::from_millis(length_ms));
        let outcome = run(frozen(at, length, None), |mut plan| {
            plan.spec.warmup = WarmUp::fixed(Duration::from_secs(warmup));
            plan
        });
        let measure = outcome.measure.unwrap();
        assert_eq!(measure.duration_ns, 8 * SECOND);
        let found = outcome.findings.into_iter();
        let mut found = found.filter(|finding| finding.code() == "nothing-measured");
        let said = found.next().map(|finding| finding.message());
        assert_eq!(said.is_some(), measure.throughput_per_second() == Some(0.0));
        said
    };
    // Operations of the warm-up, in flight from its second second until a second after the measured phase.
    assert_eq!(
        said(1_500_000, 9_500, 2).as_deref(),
        Some(
            "no operation began in the measured phase of 8.00 s: 4 operations sent in the warm-up were in flight until after its end"
        )
    );
    // The first operations of all, after two that looked whether the table is loaded.
    assert_eq!(
        said(2_500, 9_000, 0).as_deref(),
        Some(
            "no operation was answered in the measured phase of 8.00 s: 4 operations were in flight at its end, and the last was \
             answered 1.00 s later"
        )
    );
    assert_eq!(said(1_500_000, 8_000, 2), None, "half a second was measured");
    assert_eq!(said(500_000, 9_000, 0), None);
}

/// Half of what is asked for is all there is: the measured phase begins without the warm-up's backlog, ends in time, and
/// says what was achieved in it alone.
#[test]
fn a_schedule_that_cannot_be_kept_ends_in_time() {
    let behaviour = || Behaviour {
        service: Duration::from_millis(1),
        ..Behaviour::default()
    };
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        let outcome = run(behaviour(), |mut plan| {
            plan.spec.pace = rate(8_000.0, arrivals);
            plan.spec.warmup = WarmUp::fixed(Duration::from_secs(20));
            plan.drain = Duration::from_secs(5);
            plan
        });
        let measure = outcome.measure.as_ref().unwrap();
        let pacing = measure.pacing.as_ref().unwrap();
        assert!(!pacing.sustained);
        assert!((pacing.achieved_rate / 4_000.0 - 1.0).abs() < 0.01, "{pacing:?}");
        assert!((measure.throughput_per_second().unwrap() / 4_000.0 - 1.0).abs() < 0.01);
        assert!(
            (pacing.backlog as f64 / 32_000.0 - 1.0).abs() < 0.02,
            "{pacing:?}"
        );
        assert!(measure.drain.duration_ns < SECOND / 10, "{:?}", measure.drain);
        assert_eq!((measure.duration_ns, measure.drain.stuck), (8 * SECOND, 0));
        let reads = only(measure);
        // The backlog of the measured phase alone: nothing, rising to four seconds.
        let response = reads.response.as_ref().unwrap();
        assert!(response.percentile_ns(1.0).unwrap() < SECOND / 5, "{response:?}");
        assert!(
            (3 * SECOND..5 * SECOND).contains(&response.0.max()),
            "{response:?}"
        );
        assert_eq!(
            reads.unfinished.as_ref().unwrap().count(),
            measure.drain.never_sent
        );
    }
    let hopeless = run(behaviour(), |mut plan| {
        plan.spec.pace = rate(50e6, Arrivals::Constant);
        plan.spec.warmup = WarmUp::fixed(Duration::from_secs(1));
        plan
    });
    let measure = hopeless.measure.unwrap();
    assert!((measure.pacing.as_ref().unwrap().achieved_rate / 4_000.0 - 1.0).abs() < 0.01);
    assert_eq!(measure.pacing.unwrap().backlog / 1_000_000, 399);
    assert!(measure.drain.duration_ns < SECOND);
}
