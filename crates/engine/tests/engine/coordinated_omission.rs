//! The proof that waiting is not left out: a schedule of 2000 operations a second, two clients, one stall of two
//! seconds on each, against the same queue computed here by hand.

use std::time::Duration;

use crate::common::{duration, loaded, only, plan, simulate, workload};
use dbdyno_driver::{ErrorClass, Retry};
use dbdyno_engine::{Pace, Phases};
use dbdyno_record::Latency;
use dbdyno_testkit::simulated::{Behaviour, Fault, Stall};
use dbdyno_workload::Arrivals;

const RATE: u64 = 2_000;
const SECONDS: u64 = 20;
const SERVICE_NS: u64 = 400_000;
const STALLS_NS: [(u64, u64); 2] = [(5_000_100_000, 2_000_000_000), (12_300_100_000, 2_000_000_000)];

/// A queue of two servers, first come, first served: every operation is taken by the server that is free first. Each
/// server stands still once. Gives response and service times.
fn by_hand(stalls_ns: [(u64, u64); 2]) -> (Vec<u64>, Vec<u64>) {
    let mut free_ns = [0_u64; 2];
    let (mut response, mut service) = (Vec::new(), Vec::new());
    for number in 0..RATE * SECONDS {
        let due_ns = number * 1_000_000_000 / RATE;
        let server = usize::from(free_ns[1] < free_ns[0]);
        let sent_ns = due_ns.max(free_ns[server]);
        let (stall_ns, length_ns) = stalls_ns[server];
        let mut done_ns = sent_ns + SERVICE_NS;
        let caught = sent_ns < stall_ns && done_ns > stall_ns;
        if caught {
            done_ns += length_ns;
        } else if sent_ns >= stall_ns && sent_ns < stall_ns + length_ns {
            done_ns = stall_ns + length_ns + SERVICE_NS;
        }
        free_ns[server] = done_ns;
        response.push(done_ns - due_ns);
        service.push(done_ns - sent_ns);
    }
    response.sort_unstable();
    service.sort_unstable();
    (response, service)
}

/// The smallest value that `percentile` percent do not exceed.
fn percentile(sorted: &[u64], percentile: f64) -> u64 {
    let rank = (percentile / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

fn assert_close(latency: &Latency, sorted: &[u64], what: &str) {
    assert_eq!(latency.count(), sorted.len() as u64, "{what}");
    for point in [50.0, 90.0, 95.0, 99.0, 99.9, 100.0] {
        let (ours, true_ns) = (
            latency.percentile_ns(point).unwrap() as f64,
            percentile(sorted, point) as f64,
        );
        assert!(
            (ours / true_ns - 1.0).abs() < 0.01,
            "{what} p{point}: {ours} ns, by hand {true_ns} ns"
        );
    }
}

fn run(stalls_ns: [(u64, u64); 2]) -> dbdyno_record::MeasureRecord {
    let workload = workload("c", &["recordcount=100"]);
    // Session 0 is the engine's own. It looks for two records before the phase begins.
    let stalls = stalls_ns.iter().zip(1..).map(|((at, length), session)| Stall {
        at: Duration::from_nanos(2 * SERVICE_NS + *at),
        length: Duration::from_nanos(*length),
        session: Some(session),
    });
    let simulation = loaded(
        &workload,
        Behaviour {
            service: Duration::from_nanos(SERVICE_NS),
            stalls: stalls.collect(),
            ..Behaviour::default()
        },
    );
    let mut plan = plan(workload, duration(Duration::from_secs(SECONDS)));
    plan.spec.clients = 2;
    plan.spec.pace = Some(Pace {
        rate: RATE as f64,
        arrivals: Arrivals::Constant,
    });
    plan.spec.phases = Phases::RunOnly;
    simulate(&simulation, &plan).unwrap().measure.unwrap()
}

#[test]
fn response_times_hold_the_waiting_and_service_times_do_not() {
    // One stall at a time: the other client carries on alone and cannot keep up.
    let measure = run(STALLS_NS);
    let (response, service) = by_hand(STALLS_NS);
    let reads = only(&measure);
    assert_close(reads.response.as_ref().unwrap(), &response, "response");
    assert_close(&reads.service, &service, "service");
    assert!(measure.pacing.unwrap().sustained);
}

#[test]
fn a_stall_of_everybody_delays_thousands_but_lasts_for_two() {
    let together = [(5_000_100_000, 2_000_000_000); 2];
    let measure = run(together);
    let (response, service) = by_hand(together);
    let reads = only(&measure);
    let responses = reads.response.as_ref().unwrap();
    assert_close(responses, &response, "response");
    assert_close(&reads.service, &service, "service");
    // Two operations stood still; every operation that was due meanwhile waited for them.
    assert_eq!(reads.service.0.count_between(1_000_000, u64::MAX), 2);
    assert!(responses.0.count_between(1_000_000, u64::MAX) > 4_000);
    assert!(percentile(&service, 99.9) < 1_000_000 && percentile(&response, 90.0) > 100_000_000);
}

#[test]
fn a_stall_across_the_end_is_not_left_out() {
    // The operations of the last 1.8 seconds are due before the end and sent after it.
    let last = [(18_200_100_000, 2_500_000_000); 2];
    let measure = run(last);
    let (response, _) = by_hand(last);
    assert_close(only(&measure).response.as_ref().unwrap(), &response, "response");
    let pacing = measure.pacing.as_ref().unwrap();
    assert!(!pacing.sustained, "{pacing:?}");
    assert_eq!(
        pacing.backlog,
        3_600 - 2,
        "due in the last 1.8 seconds, but for the two that were caught"
    );
    assert!(measure.duration_ns == 20_000_000_000 && measure.whole_ns() > 20_500_000_000);
}

/// Every fourth operation fails. Those that were due in a stall of two seconds waited for its end like all others, and a
/// percentile that falls on them says so.
#[test]
fn failures_are_waited_for_from_their_intended_start() {
    let workload = workload("c", &["recordcount=100"]);
    let behaviour = Behaviour {
        service: Duration::from_nanos(SERVICE_NS),
        stalls: vec![Stall {
            at: Duration::from_secs(5),
            length: Duration::from_secs(2),
            session: None,
        }],
        faults: vec![Fault {
            kind: None,
            every: 4,
            class: ErrorClass::Timeout,
            retry: Retry::Temporary,
        }],
        ..Behaviour::default()
    };
    let simulation = loaded(&workload, behaviour);
    let mut plan = plan(workload, duration(Duration::from_secs(SECONDS)));
    plan.spec.clients = 2;
    plan.spec.pace = Some(Pace {
        rate: RATE as f64,
        arrivals: Arrivals::Constant,
    });
    plan.spec.phases = Phases::RunOnly;
    let measure = simulate(&simulation, &plan).unwrap().measure.unwrap();
    let reads = only(&measure);
    let waited = reads.waited.as_ref().unwrap();
    assert_eq!(waited.count(), reads.error_count());
    // Some thousand operations were due meanwhile, a quarter of them failed; two at most were sent before it.
    assert!(waited.0.count_between(100_000_000, u64::MAX) > 500);
    assert!(reads.failed.0.count_between(100_000_000, u64::MAX) <= 2);
    assert!(
        reads
            .percentile(70.0)
            .is_some_and(|quantile| !quantile.is_bound())
    );
    let tail = reads.percentile(99.0).unwrap();
    assert!(tail.is_bound() && tail.ns() > 1_000_000_000, "{tail:?}");
}
