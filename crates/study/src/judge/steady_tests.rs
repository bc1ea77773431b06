use std::collections::BTreeMap;

use dbdyno_engine::IntervalOperation;
use dbdyno_workload::OperationKind;

use super::*;
use crate::judge::steadiness_findings::findings;
use dbdyno_record::Finding;

const SECOND: u64 = 1_000_000_000;

/// Windows of a second around a level, with a tenth of wobble.
fn windows(levels: &[(usize, f64)]) -> Vec<Window> {
    let mut windows = Vec::new();
    for &(length, level) in levels {
        for _ in 0..length {
            let place = windows.len() as f64;
            let wobble = 1.0 + 0.02 * (place * 2.399).sin() + 0.02 * (place * 7.13).cos();
            windows.push(Window {
                ok: (level * wobble) as u64,
                ended: (level * wobble) as u64,
                latency_p50_ns: Some(1e9 / (level * wobble)),
                ..Window::default()
            });
        }
    }
    windows
}

fn finding(steady: &SteadyState, whole: f64) -> Option<Finding> {
    let mut found = findings(steady, whole);
    let first = found.next();
    assert!(found.next().is_none());
    first
}

fn steadiness(levels: &[(usize, f64)]) -> Steadiness {
    judge(&windows(levels), SECOND, false).steadiness
}

#[test]
fn the_first_trial_of_a_cold_server_settles_late() {
    let steady = judge(&windows(&[(18, 3_000.0), (42, 9_000.0)]), SECOND, false);
    assert_eq!(steady.steadiness, Steadiness::Late);
    assert_eq!(steady.levels.len(), 2, "{steady:?}");
    assert_eq!(steady.levels[1].from_ns, 18 * SECOND);
    assert!((steady.levels[1].throughput_per_second / 9_000.0 - 1.0).abs() < 0.01);
    let finding = finding(&steady, 7_200.0).unwrap();
    assert_eq!(finding.code(), "slow-start");
    assert!(
        finding.message().contains("after 18 of 60 s"),
        "{}",
        finding.message()
    );
    assert!(
        finding.message().contains("7.20k/s") && finding.remedy().contains("warmup"),
        "{finding:?}"
    );
}

#[test]
fn a_server_that_slows_down_is_not_told_to_warm_up_only() {
    let steady = judge(&windows(&[(18, 9_000.0), (42, 3_000.0)]), SECOND, false);
    assert_eq!(steady.steadiness, Steadiness::Late);
    let finding = finding(&steady, 4_800.0).unwrap();
    assert!(
        finding.remedy().starts_with("look for what slowed"),
        "{finding:?}"
    );
}

#[test]
fn a_short_phase_is_reported_in_tenths_of_a_second() {
    let steady = judge(&windows(&[(8, 3_000.0), (32, 9_000.0)]), SECOND / 20, false);
    let message = finding(&steady, 7_800.0).unwrap().message();
    assert!(message.contains("after 0.4 of 2.0 s"), "{message}");
}

#[test]
fn what_climbs_to_the_end_never_settles() {
    let climbing = [(15, 3_000.0), (15, 5_000.0), (15, 7_000.0), (15, 9_000.0)];
    let steady = judge(&windows(&climbing), SECOND, false);
    assert_eq!(steady.steadiness, Steadiness::Never);
    assert_eq!(finding(&steady, 6_000.0).unwrap().code(), "no-steady-state");
}

/// A drift has no levels, but it is not one level either.
#[test]
fn what_drifts_is_not_steady() {
    for by_the_end in [0.5, 0.65, 1.6] {
        let drifting: Vec<(usize, f64)> = (0..60)
            .map(|second| (1, 9_000.0 * (1.0 + (by_the_end - 1.0) * f64::from(second) / 59.0)))
            .collect();
        let found = steadiness(&drifting);
        assert!(
            [Steadiness::Never, Steadiness::Late].contains(&found),
            "to {by_the_end} of the speed: {found:?}"
        );
        let with_rate = judge(&windows(&drifting), SECOND, true).steadiness;
        assert!(
            [Steadiness::Never, Steadiness::Late].contains(&with_rate),
            "latency to {by_the_end}: {with_rate:?}"
        );
    }
}

#[test]
fn healthy_short_and_stalled_phases_are_left_alone() {
    assert_eq!(steadiness(&[(60, 9_000.0)]), Steadiness::Steady);
    assert_eq!(
        steadiness(&[(40, 9_000.0), (1, 10.0), (19, 9_000.0)]),
        Steadiness::Steady,
        "one stall"
    );
    assert_eq!(
        steadiness(&[(52, 9_000.0), (8, 5_000.0)]),
        Steadiness::Steady,
        "a pause at the end"
    );
    assert_eq!(
        steadiness(&[(42, 9_000.0), (18, 5_000.0)]),
        Steadiness::Never,
        "no pause any more"
    );
    assert_eq!(
        steadiness(&[(30, 9_000.0), (30, 9_300.0)]),
        Steadiness::Steady,
        "too little to matter"
    );
    assert_eq!(steadiness(&[(9, 3_000.0), (10, 9_000.0)]), Steadiness::NotJudged);
    assert_eq!(judge(&[], 0, false).steadiness, Steadiness::NotJudged);
    let short = judge(&windows(&[(10, 9_000.0)]), SECOND, false);
    assert_eq!(finding(&short, 9_000.0).unwrap().code(), "steadiness-not-judged");
}

#[test]
fn latency_is_judged_with_and_without_a_rate() {
    let mut windows = windows(&[(60, 9_000.0)]);
    windows[..15]
        .iter_mut()
        .for_each(|window| window.latency_p50_ns = window.latency_p50_ns.map(|ns| ns * 3.0));
    for with_rate in [true, false] {
        let steady = judge(&windows, SECOND, with_rate);
        assert_eq!(
            (steady.steadiness, steady.judged_by.as_str()),
            (Steadiness::Late, "latency")
        );
        assert!(
            finding(&steady, 9_000.0)
                .unwrap()
                .message()
                .contains(" µs, then "),
            "{steady:?}"
        );
    }
    // A window without an operation has no latency; where many have none, there is nothing to judge by.
    windows[30].latency_p50_ns = None;
    assert_eq!(judge(&windows, SECOND, true).steadiness, Steadiness::Late);
    windows[20..40]
        .iter_mut()
        .for_each(|window| window.latency_p50_ns = None);
    assert_eq!(judge(&windows, SECOND, true).steadiness, Steadiness::NotJudged);
}

fn interval(index: u64, ok: u64, late: bool) -> Event {
    interval_of(SECOND, index, ok, late)
}

fn interval_of(window_ns: u64, index: u64, ok: u64, late: bool) -> Event {
    let mut operation = IntervalOperation {
        ok,
        ..IntervalOperation::default()
    };
    (0..ok).for_each(|_| operation.service.record(1_000));
    Event::Interval(Interval {
        phase: Phase::Measure,
        start_ns: index * window_ns,
        duration_ns: window_ns,
        operations: BTreeMap::from([(OperationKind::Read, operation)]),
        client_cpu_seconds: 0.0,
        resident_memory_bytes: 0,
        late,
    })
}

#[test]
fn late_additions_count_and_the_drain_does_not() {
    let mut collected = Windows::of(Phase::Measure, SECOND);
    for index in 0..30 {
        collected.event(&interval(index, 10, false));
    }
    collected.event(&interval(3, 5, true));
    collected.event(&interval(30, 1, false));
    let steady = collected.judge(30 * SECOND, false);
    assert_eq!((steady.windows, steady.steadiness), (30, Steadiness::Steady));
    assert!((steady.levels[0].throughput_per_second - 305.0 / 30.0).abs() < 1e-9);
}

/// The measured phase of a study that says nothing about it: ten seconds.
#[test]
fn a_default_phase_is_judged_by_its_quarter_seconds() {
    let window = crate::plan::window::length(
        &dbdyno_engine::Limit {
            operations: None,
            duration: Some(crate::file::DEFAULT_DURATION),
        },
        None,
    );
    let window_ns = window.as_nanos() as u64;
    let judged = |ok: &dyn Fn(u64) -> u64| {
        let mut collected = Windows::of(Phase::Measure, window_ns);
        (0..40).for_each(|index| collected.event(&interval_of(window_ns, index, ok(index), false)));
        collected.judge(10 * SECOND, false)
    };
    let wobble = |index: u64| (index * 7919) % 13;
    let steady = judged(&|index| 500 + wobble(index));
    assert_eq!((steady.windows, steady.steadiness), (40, Steadiness::Steady));
    let drifting = judged(&|index| 500 - 4 * index + wobble(index));
    assert!(
        [Steadiness::Never, Steadiness::Late].contains(&drifting.steadiness),
        "{drifting:?}"
    );
    // At a hundred operations per second a quarter has too few to be judged by; two quarters have enough.
    let slow = judged(&|index| 12 + index % 3);
    assert_eq!((slow.windows, slow.window_ns), (20, 2 * window_ns));
}

#[test]
fn memory_does_not_grow_with_time() {
    let mut collected = Windows::of(Phase::Measure, SECOND);
    for index in 0..10_000 {
        collected.event(&interval(index, 1, false));
    }
    assert!(collected.windows.len() <= MOST_WINDOWS + 1);
    let steady = collected.judge(10_000 * SECOND, false);
    let judged_seconds = steady.windows * steady.window_ns / SECOND;
    assert!((9_900..=10_000).contains(&judged_seconds), "{judged_seconds}");
    assert!(
        (steady.levels[0].throughput_per_second - 1.0).abs() < 0.01,
        "{steady:?}"
    );
}

/// The warm-up is looked at in whole seconds, however short the intervals of the measured phase.
#[test]
fn a_warm_up_does_not_end_earlier_with_short_intervals() {
    let mut collected = Windows::of(Phase::Measure, SECOND);
    let rests: Vec<bool> = (0..100)
        .map(|index| {
            collected.event(&interval_of(SECOND / 4, index, 30 + index % 3, false));
            collected.at_rest(false)
        })
        .collect();
    let first = rests.iter().position(|&rests| rests);
    assert!(first.is_some_and(|index| (84..=92).contains(&index)), "{first:?}");
    assert_eq!(collected.length_ns(), 25 * SECOND);
}

#[test]
fn a_warm_up_ends_some_ten_windows_after_the_last_change() {
    let mut collected = Windows::of(Phase::Measure, SECOND);
    let levels = [(15, 30), (8, 60), (60, 100)];
    let ok = levels
        .iter()
        .flat_map(|&(length, ok)| std::iter::repeat_n(ok, length));
    let mut ended = None;
    for (index, ok) in ok.enumerate() {
        // A wobble of a tenth, so that no level is without noise.
        collected.event(&interval(index as u64, ok + index as u64 % 3, false));
        if ended.is_none() && collected.at_rest(false) {
            ended = Some(index + 1);
        }
    }
    assert!(
        ended.is_some_and(|windows| (35..=40).contains(&windows)),
        "{ended:?}"
    );
    assert!(
        !Windows::of(Phase::WarmUp, SECOND).at_rest(false),
        "nothing was seen"
    );
}

/// A window of minutes ago neither hides a young change nor makes the search for it longer.
#[test]
fn only_the_last_windows_of_a_long_warm_up_count() {
    let answers = |earlier: fn(u64) -> u64| -> Vec<bool> {
        let mut collected = Windows::of(Phase::Measure, SECOND);
        let answer = |index: u64| {
            let ok = match index {
                0..200 => earlier(index),
                // Two levels that take turns every fourteen windows.
                _ => [100, 118][(index as usize / 14) % 2] + index % 3,
            };
            collected.event(&interval(index, ok, false));
            collected.at_rest(false)
        };
        (0..400).map(answer).skip(260).collect()
    };
    let calm = answers(|index| 100 + index % 3);
    let wild = answers(|index| 20 + index * 7919 % 200);
    assert_eq!(calm, wild);
    assert!(calm.contains(&true) && calm.contains(&false), "{calm:?}");
}
