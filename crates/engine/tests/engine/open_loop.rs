//! Rates: kept, not kept, and spread by chance.

use std::time::Duration;

use crate::common::{Heard, duration, loaded, only, operations, plan, simulate, simulate_heard, workload};
use dbdyno_engine::{Limit, Pace, Phase, Phases, WarmUp};
use dbdyno_record::Severity;
use dbdyno_testkit::simulated::{Behaviour, Stall};
use dbdyno_workload::Arrivals;

fn paced(
    rate: f64,
    arrivals: Arrivals,
    clients: u32,
    service: Duration,
    limit: Limit,
) -> dbdyno_engine::Outcome {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(
        &workload,
        Behaviour {
            service,
            ..Behaviour::default()
        },
    );
    let mut plan = plan(workload, limit);
    plan.spec.clients = clients;
    plan.spec.pace = Some(Pace { rate, arrivals });
    plan.spec.phases = Phases::RunOnly;
    plan.drain = Duration::from_secs(2);
    simulate(&simulation, &plan).unwrap()
}

#[test]
fn a_rate_that_is_too_high_says_so_with_the_share() {
    // Ten clients of 10 ms each: 1000 a second is all there is.
    let service = Duration::from_millis(10);
    let outcome = paced(
        2_000.0,
        Arrivals::Constant,
        10,
        service,
        duration(Duration::from_secs(10)),
    );
    let measure = outcome.measure.unwrap();
    let pacing = measure.pacing.as_ref().unwrap();
    assert!(!pacing.sustained);
    assert!(
        (pacing.achieved_rate - 1_000.0).abs() < 10.0,
        "{}",
        pacing.achieved_rate
    );
    // Half of what was due in ten seconds: more than the drain has time for, so it is not even begun.
    assert!((9_980..=10_020).contains(&pacing.backlog), "{}", pacing.backlog);
    assert!(
        (9_990..=10_020).contains(&only(&measure).ok),
        "{}",
        only(&measure).ok
    );
    let finding = outcome
        .findings
        .iter()
        .find(|finding| finding.code() == "rate-not-sustained")
        .unwrap();
    assert_eq!(finding.severity, Severity::Invalid);
    assert!(finding.message().contains("(50%)"), "{}", finding.message());
}

#[test]
fn a_rate_that_is_kept_says_nothing() {
    // The last operation takes long after the schedule's end; that is latency, not a rate missed.
    for limit in [duration(Duration::from_secs(1)), operations(1_000)] {
        let outcome = paced(
            1_000.0,
            Arrivals::Constant,
            200,
            Duration::from_millis(100),
            limit,
        );
        let measure = outcome.measure.unwrap();
        let pacing = measure.pacing.as_ref().unwrap();
        assert!(pacing.sustained, "{pacing:?}");
        assert_eq!((pacing.achieved_rate, pacing.backlog), (1_000.0, 0));
        assert_eq!(only(&measure).ok, 1_000);
        assert_eq!(pacing.scheduling_lag.count(), 1_000);
        assert_eq!(pacing.scheduling_lag.0.max(), 0, "virtual time is never late");
        assert!(
            outcome
                .findings
                .iter()
                .all(|finding| finding.code() != "rate-not-sustained")
        );
    }
}

/// The next operation is due after the end: clients have nothing left to do, and the phase goes on.
#[test]
fn a_phase_with_a_time_limit_lasts_until_then_at_any_rate() {
    for (rate, seconds, clients) in [
        (1.0, 1, 4),
        (2.0, 2, 1),
        (2.0, 2, 4),
        (1_000.0, 1, 4),
        (0.25, 12, 8),
    ] {
        for warmup in [0, 5] {
            let workload = workload("c", &["recordcount=100"]);
            let service = Duration::from_micros(10);
            let simulation = loaded(
                &workload,
                Behaviour {
                    service,
                    ..Behaviour::default()
                },
            );
            let mut plan = plan(workload, duration(Duration::from_secs(seconds)));
            plan.spec.clients = clients;
            plan.spec.pace = Some(Pace {
                rate,
                arrivals: Arrivals::Constant,
            });
            plan.spec.phases = Phases::RunOnly;
            plan.spec.warmup = WarmUp::fixed(Duration::from_secs(warmup));
            let mut heard = Heard::default();
            let outcome = simulate_heard(&simulation, &plan, &mut heard).unwrap();
            let measure = outcome.measure.unwrap();
            let due = (rate * seconds as f64).round();
            assert_eq!(measure.duration_ns, seconds * 1_000_000_000, "{rate}/s");
            assert_eq!(only(&measure).ok as f64, due, "{rate}/s for {seconds} s");
            let pacing = measure.pacing.as_ref().unwrap();
            assert!(pacing.sustained && pacing.backlog == 0, "{pacing:?}");
            assert_eq!(pacing.achieved_rate, due / seconds as f64);
            let intervals = heard.intervals(Phase::Measure);
            assert_eq!(intervals.len() as u64, seconds, "{rate}/s: one a second");
            let unwanted = ["too-short", "rate-not-sustained"];
            let mut found = outcome.findings.iter();
            assert!(found.all(|finding| !unwanted.contains(&finding.code())));
        }
    }
}

/// Whichever comes first: the last operation that is asked for, or the end of the time.
#[test]
fn an_operation_limit_ends_a_phase_earlier() {
    let limit = |operations| Limit {
        operations: Some(operations),
        duration: Some(Duration::from_secs(4)),
    };
    let (service, arrivals) = (Duration::from_millis(1), Arrivals::Constant);
    let counted = paced(10.0, arrivals, 4, service, limit(20)).measure.unwrap();
    assert_eq!((only(&counted).ok, counted.duration_ns), (20, 1_901_000_000));
    assert_eq!(counted.pacing.unwrap().achieved_rate, 10.0);
    // The fortieth operation is due at 3.9 s, the next at the deadline.
    for operations in [41, 100] {
        let timed = paced(10.0, arrivals, 4, service, limit(operations));
        let timed = timed.measure.unwrap();
        assert_eq!((only(&timed).ok, timed.duration_ns), (40, 4_000_000_000));
    }
    let last = paced(10.0, arrivals, 4, service, limit(40)).measure.unwrap();
    assert_eq!((only(&last).ok, last.duration_ns), (40, 3_901_000_000));
}

#[test]
fn poisson_arrivals_queue_as_theory_says() {
    // One server with constant service at 60% load. Mean wait of an M/D/1 queue: rho / (2 mu (1 - rho)), Pollaczek
    // and Khinchine; constant arrivals never wait.
    let service = Duration::from_millis(1);
    let mean_wait_ns = |arrivals| {
        let measure = paced(600.0, arrivals, 1, service, operations(30_000))
            .measure
            .unwrap();
        assert!(measure.pacing.as_ref().unwrap().sustained);
        only(&measure).response.as_ref().unwrap().mean_ns().unwrap() - 1e6
    };
    let theory_ns = 0.6 / (2.0 * 1_000.0 * 0.4) * 1e9;
    let poisson = mean_wait_ns(Arrivals::Poisson);
    assert!(
        (poisson / theory_ns - 1.0).abs() < 0.05,
        "{poisson} ns, theory {theory_ns} ns"
    );
    assert!(mean_wait_ns(Arrivals::Constant).abs() < 1_000.0);
}

#[test]
fn operations_of_the_warm_up_are_not_measured_and_the_schedule_goes_on() {
    let workload = workload("c", &["recordcount=100"]);
    let simulation = loaded(&workload, Behaviour::default());
    simulation.watch();
    let mut plan = plan(workload, operations(500));
    plan.spec.clients = 4;
    plan.spec.pace = Some(Pace {
        rate: 100.0,
        arrivals: Arrivals::Constant,
    });
    plan.spec.phases = Phases::RunOnly;
    plan.spec.warmup = WarmUp::fixed(Duration::from_secs(3));
    let measure = simulate(&simulation, &plan).unwrap().measure.unwrap();
    assert_eq!(only(&measure).ok, 500);
    // Session 0 is the engine's own, which looked whether the table is loaded.
    let seen = simulation.take_seen();
    assert_eq!(
        seen.iter().filter(|(session, ..)| *session > 0).count(),
        300 + 500
    );
    assert!(
        measure.duration_ns.abs_diff(4_990_000_000) < 1_000_000,
        "{}",
        measure.duration_ns
    );
}

#[test]
fn thousands_of_clients_send_exactly_what_was_asked() {
    for arrivals in [Arrivals::Poisson, Arrivals::Constant] {
        let outcome = paced(
            50_000.0,
            arrivals,
            2_000,
            Duration::from_millis(10),
            operations(100_000),
        );
        let measure = outcome.measure.unwrap();
        let record = only(&measure);
        assert_eq!((record.ok, record.error_count()), (100_000, 0), "{arrivals:?}");
        // Five hundred are busy on average: nobody waits.
        let pacing = measure.pacing.as_ref().unwrap();
        assert!(pacing.sustained, "{pacing:?}");
        assert_eq!(pacing.backlog, 0);
        assert_eq!(record.response.as_ref().unwrap().count(), 100_000);
        assert_eq!(record.response.as_ref().unwrap().0.max(), record.service.0.max());
    }
}

#[test]
fn a_client_that_never_comes_back_is_left_behind_and_reported() {
    let workload = workload("c", &["recordcount=100"]);
    let behaviour = Behaviour {
        service: Duration::from_millis(10),
        stalls: vec![Stall {
            at: Duration::from_millis(1_500),
            length: Duration::from_secs(3_600),
            session: Some(1),
        }],
        ..Behaviour::default()
    };
    let simulation = loaded(&workload, behaviour);
    let mut plan = plan(workload, duration(Duration::from_secs(3)));
    plan.spec.clients = 2;
    plan.spec.phases = Phases::RunOnly;
    plan.drain = Duration::from_secs(2);
    let outcome = simulate(&simulation, &plan).unwrap();
    let finding = outcome
        .findings
        .iter()
        .find(|finding| finding.code() == "clients-stuck")
        .unwrap();
    assert!(
        finding.message().starts_with("1 of 2 clients"),
        "{}",
        finding.message()
    );
    // One client for the whole time, the other until it last reported, half a second before the stall.
    let ok = only(&outcome.measure.unwrap()).ok;
    assert!((398..=402).contains(&ok), "{ok}");
    assert!(
        simulation.time().now_ns() < 60_000_000_000,
        "nobody waited for it"
    );
}
