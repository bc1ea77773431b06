//! Simulated phases of ten seconds, in windows of a quarter of a second: what is planted is found, and what healthy systems and noisy
//! machines do is left alone.

use std::collections::BTreeMap;

use dbdyno_engine::IntervalOperation;
use dbdyno_random::SplitMix64;
use dbdyno_workload::OperationKind;

use super::*;
use crate::judge::steadiness_findings::findings;

const QUARTER: u64 = SECOND_NS / 4;
const CLIENTS: f64 = 4.0;
const SERIES: u64 = 100;

/// A window of four clients: how fast they are, how long an operation takes, and the longest of them.
#[derive(Clone, Copy)]
struct Seen {
    per_second: f64,
    p50_ns: f64,
    longest_ns: u64,
}

/// Clients whose operations take this long, at a machine that gives them this share of its time.
fn closed_loop(service_ns: f64, share: f64) -> Seen {
    Seen {
        per_second: CLIENTS * 1e9 / service_ns * share.max(0.0),
        p50_ns: service_ns,
        longest_ns: 10 * service_ns as u64,
    }
}

fn event(index: u64, seen: Seen) -> Event {
    let ok = (seen.per_second / 4.0) as u64;
    let mut operation = IntervalOperation {
        ok,
        ..IntervalOperation::default()
    };
    if ok > 0 {
        operation.service.record_many(seen.p50_ns as u64, ok - 1);
        operation.service.record(seen.longest_ns);
        operation.response = Some(operation.service.clone());
    }
    Event::Interval(Interval {
        phase: Phase::Measure,
        start_ns: index * QUARTER,
        duration_ns: QUARTER,
        operations: BTreeMap::from([(OperationKind::Read, operation)]),
        client_cpu_seconds: 0.0,
        resident_memory_bytes: 0,
        late: false,
    })
}

/// The codes of what is said of a phase.
fn said(series: &[Seen], with_rate: bool) -> Vec<String> {
    let mut collected = Windows::of(Phase::Measure, QUARTER);
    for (index, seen) in series.iter().enumerate() {
        collected.event(&event(index as u64, *seen));
    }
    let steady = collected.judge(series.len() as u64 * QUARTER, with_rate);
    findings(&steady, 0.0)
        .map(|finding| finding.code().to_owned())
        .collect()
}

fn series(random: &mut SplitMix64, mut window: impl FnMut(&mut SplitMix64, usize) -> Seen) -> Vec<Seen> {
    (0..40).map(|index| window(random, index)).collect()
}

/// In how many of a hundred series something is said against the system.
fn accused(with_rate: bool, mut of: impl FnMut(&mut SplitMix64) -> Vec<Seen>) -> usize {
    (0..SERIES)
        .filter(|seed| {
            let series = of(&mut SplitMix64::new(seed * 7919 + 1));
            said(&series, with_rate).iter().any(|code| code != "two-speeds")
        })
        .count()
}

fn chance(random: &mut SplitMix64, share: f64) -> bool {
    random.uniform() < share
}

const MS: f64 = 1e6;

#[test]
fn healthy_systems_are_left_alone() {
    let noise = |random: &mut SplitMix64| 1.0 + 0.04 * random.normal();
    let quiet = |random: &mut SplitMix64| series(random, |random, _| closed_loop(MS * noise(random), 1.0));
    // One operation in thousands takes a third of a second, and a client is held up for that long.
    let few_slow = |random: &mut SplitMix64| {
        series(random, |random, _| {
            let mut seen = closed_loop(MS * noise(random), 1.0);
            if chance(random, 0.15) {
                seen.per_second *= 0.7;
                seen.longest_ns = 300_000_000;
            }
            seen
        })
    };
    // A store that flushes every other second, for a tenth of a second, and compacts now and then.
    let flushes = |random: &mut SplitMix64| {
        let (first, compaction) = (random.uniform() * 8.0, random.uniform() * 40.0);
        series(random, |random, index| {
            let flushes = (index as f64 + first) % 8.0 < 1.0;
            let compacts = (compaction..compaction + 3.0).contains(&(index as f64));
            let share = if flushes { 0.6 } else { 1.0 } * if compacts { 0.8 } else { 1.0 };
            let mut seen = closed_loop(MS * noise(random), share);
            if flushes {
                seen.longest_ns = 100_000_000;
            }
            seen
        })
    };
    for (name, count) in [
        ("quiet", accused(false, quiet)),
        ("quiet, with a rate", accused(true, quiet)),
        ("few slow operations", accused(false, few_slow)),
        ("flushes", accused(false, flushes)),
        ("flushes, with a rate", accused(true, flushes)),
    ] {
        assert!(count <= 2, "{name}: {count} of {SERIES}");
    }
}

#[test]
fn a_noisy_machine_is_no_fault_of_the_system() {
    // Another guest takes up to two thirds of a window, in one window of six.
    let steal = |random: &mut SplitMix64| {
        series(random, |random, _| {
            let taken = if chance(random, 0.17) {
                0.65 * random.uniform()
            } else {
                0.0
            };
            closed_loop(MS * (1.0 + 0.03 * random.normal()), 1.0 - taken)
        })
    };
    // The CPUs share no cache: for the whole phase, or for some seconds in its middle.
    let slow = |random: &mut SplitMix64| {
        series(random, |random, _| {
            closed_loop(MS / 0.52 * (1.0 + 0.03 * random.normal()), 1.0)
        })
    };
    let two_speeds = |random: &mut SplitMix64| {
        let fast_first = chance(random, 0.5);
        let begin = 4 + (random.uniform() * 14.0) as usize;
        let end = begin + 3 + (random.uniform() * 14.0) as usize;
        series(random, |random, index| {
            let is_fast = fast_first != (begin..end).contains(&index);
            let speed = if is_fast { 1.0 } else { 0.52 };
            closed_loop(MS / speed * (1.0 + 0.03 * random.normal()), 1.0)
        })
    };
    for (name, count) in [
        ("steal", accused(false, steal)),
        ("slow mode", accused(false, slow)),
        ("two speeds", accused(false, two_speeds)),
    ] {
        assert!(count <= 3, "{name}: {count} of {SERIES}");
    }
    let said = said(&two_speeds(&mut SplitMix64::new(1)), false);
    assert_eq!(said, ["two-speeds"], "and it is said");
}

/// A run of 200 s on a virtual machine, cut into phases of forty seconds: a dip of two seconds to half the speed, and a rise by a
/// tenth for six.
#[test]
fn a_recorded_run_is_steady() {
    let recorded: Vec<f64> = include_str!("recorded/long-run.tsv")
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').nth(1)?.parse().ok())
        .collect();
    assert_eq!(recorded.len(), 200);
    // Its first seconds are a warm-up.
    for phase in recorded[2..].chunks_exact(39) {
        let series: Vec<Seen> = phase
            .iter()
            .map(|per_second| closed_loop(CLIENTS * 1e9 / per_second, 1.0))
            .collect();
        assert_eq!(said(&series, false), [] as [&str; 0]);
    }
}

/// `sick?delay=1ms&drift=10%`: a tenth of the delay more in each thousand operations of a client.
fn drifting(random: &mut SplitMix64, mut share: impl FnMut(&mut SplitMix64) -> f64) -> Vec<Seen> {
    let mut done = 0.0;
    series(random, |random, _| {
        let service_ns = MS * (1.07 + 0.1 * f64::floor(done / 1_000.0));
        let seen = closed_loop(service_ns * (1.0 + 0.02 * random.normal()), share(random));
        done += seen.per_second / 4.0 / CLIENTS;
        seen
    })
}

#[test]
fn a_drift_is_found_by_its_latency_on_a_busy_machine() {
    let quiet = accused(false, |random| drifting(random, |_| 1.0));
    assert_eq!(quiet, SERIES as usize);
    let busy = accused(false, |random| {
        drifting(random, |random| 1.0 - 0.7 * random.uniform() * random.uniform())
    });
    assert!(busy >= 98, "{busy} of {SERIES}");
    // A rate fixes the throughput.
    let paced = accused(true, |random| {
        let mut seen = drifting(random, |_| 1.0);
        seen.iter_mut().for_each(|seen| seen.per_second = 400.0);
        seen
    });
    assert!(paced >= 98, "{paced} of {SERIES}");
}

/// `sick?delay=1ms&stall=2s&stall_every=500`: half a second of work for two seconds of pause.
#[test]
fn pauses_that_make_up_the_phase_are_no_steady_state() {
    for with_rate in [false, true] {
        let found = (0..SERIES).filter(|seed| {
            let mut random = SplitMix64::new(seed * 7919 + 1);
            let first = (random.uniform() * 10.0) as usize;
            let series = series(&mut random, |random, index| match (index + first) % 10 {
                0 => Seen {
                    longest_ns: 2_000_000_000,
                    ..closed_loop(MS * (1.0 + 0.03 * random.normal()), 1.0)
                },
                1 | 2 => closed_loop(MS * (1.0 + 0.03 * random.normal()), 1.0),
                _ => closed_loop(MS, 0.0),
            });
            said(&series, with_rate) == ["no-steady-state"]
        });
        assert_eq!(found.count() as u64, SERIES);
    }
}
