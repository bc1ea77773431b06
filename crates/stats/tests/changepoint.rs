//! Planted changes are found where they are; series without any give no alarm more often than stated.

use dbdyno_stats::{ChangePoint, Detection, change_points, segments};
use proptest::prelude::*;

/// Series per world without a change. At 1% with 200 series, four standard errors above are 3.8%.
const TIMES: u64 = 200;
const ALLOWED: f64 = 0.038;
/// Series per world with a change.
const PLANTED_TIMES: u64 = 40;

fn detect(values: &[f64]) -> Vec<ChangePoint> {
    change_points(values, &Detection::default())
}

fn places(values: &[f64]) -> Vec<usize> {
    detect(values).iter().map(|point| point.index).collect()
}

/// Noise around 1 with this standard deviation and resemblance of neighbours, the same for a seed on every machine.
fn noise(length: usize, spread: f64, resemblance: f64, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        // xorshift64* (Vigna, ACM TOMS 42, 2016).
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        ((state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    let mut level = normal();
    (0..length)
        .map(|_| {
            let here = 1.0 + spread * level;
            level = resemblance * level + (1.0 - resemblance * resemblance).sqrt() * normal();
            here
        })
        .collect()
}

fn share_with_alarm(series: impl Fn(u64) -> Vec<f64>) -> f64 {
    let alarms = (1..=TIMES)
        .filter(|&seed| !detect(&series(seed)).is_empty())
        .count();
    alarms as f64 / TIMES as f64
}

#[test]
fn quiet_on_noise() {
    for length in [12, 30, 60, 120] {
        let share = share_with_alarm(|seed| noise(length, 0.05, 0.0, seed));
        assert!(share <= ALLOWED, "{length} values: {share}");
    }
}

#[test]
fn quiet_on_heavy_tails_and_single_stalls() {
    let tails = share_with_alarm(|seed| noise(60, 1.0, 0.0, seed).into_iter().map(f64::exp).collect());
    assert!(tails <= ALLOWED, "{tails}");
    let stalls = share_with_alarm(|seed| {
        let mut values = noise(60, 0.05, 0.0, seed);
        (0..6).for_each(|which| values[(seed as usize * 7 + which * 9) % 60] *= 0.1);
        values
    });
    assert!(stalls <= ALLOWED, "{stalls}");
}

#[test]
fn quiet_when_neighbours_resemble_each_other() {
    for (resemblance, allowed) in [(0.3, 0.10), (0.6, 0.18)] {
        let share = share_with_alarm(|seed| noise(60, 0.05, resemblance, seed));
        assert!(share <= allowed, "{resemblance}: {share}");
    }
}

/// The windows of a phase of ten seconds are short, so they are noisier and resemble their neighbours more than whole seconds.
#[test]
fn quiet_on_the_short_windows_of_a_default_phase() {
    let matters = Detection {
        smallest_change: 0.10,
        ..Detection::default()
    };
    for (spread, resemblance) in [(0.05, 0.3), (0.2, 0.0), (0.2, 0.6)] {
        let alarms = (1..=TIMES)
            .filter(|&seed| !change_points(&noise(40, spread, resemblance, seed), &matters).is_empty())
            .count();
        let share = alarms as f64 / TIMES as f64;
        assert!(
            share <= 0.10,
            "noise {spread}, resemblance {resemblance}: {share}"
        );
    }
}

/// How often the planted places, and nothing else, are found within two windows.
fn share_found(planted: &[usize], series: impl Fn(u64) -> Vec<f64>) -> f64 {
    let right = |seed: &u64| {
        let found = places(&series(*seed));
        found.len() == planted.len()
            && found
                .iter()
                .zip(planted)
                .all(|(&found, &planted)| found.abs_diff(planted) <= 2)
    };
    (1..=PLANTED_TIMES).filter(right).count() as f64 / PLANTED_TIMES as f64
}

fn planted(
    length: usize,
    changed: std::ops::Range<usize>,
    factor: f64,
    resemblance: f64,
    seed: u64,
) -> Vec<f64> {
    let mut values = noise(length, 0.05, resemblance, seed);
    values[changed].iter_mut().for_each(|value| *value *= factor);
    values
}

/// Not in every series: the test allows one false alarm in a hundred, and misses a change now and then for it.
#[test]
fn direction_does_not_matter() {
    for at in [12, 30, 48] {
        for factor in [0.4, 0.7] {
            let forwards = |seed| planted(60, 0..at, factor, 0.0, seed);
            let backwards = |seed| forwards(seed).into_iter().rev().collect();
            for share in [share_found(&[at], forwards), share_found(&[60 - at], backwards)] {
                assert!(share >= 0.9, "{factor} until {at}: {share}");
            }
        }
    }
}

#[test]
fn a_slow_start_is_found() {
    let share = share_found(&[15], |seed| planted(60, 0..15, 0.7, 0.0, seed));
    assert!(share >= 0.95, "a quarter of the run: {share}");
    let share = share_found(&[4], |seed| planted(60, 0..4, 0.5, 0.0, seed));
    assert!(share >= 0.75, "four windows: {share}");
    let share = share_found(&[15], |seed| planted(60, 0..15, 0.7, 0.4, seed));
    assert!(share >= 0.7, "in noise that resembles itself: {share}");
}

#[test]
fn a_dip_after_which_all_is_as_before_is_found() {
    let share = share_found(&[25, 35], |seed| planted(60, 25..35, 0.6, 0.0, seed));
    assert!(share >= 0.55, "{share}");
}

#[test]
fn points_say_what_changed() {
    let values = planted(60, 0..20, 0.5, 0.0, 3);
    let found = detect(&values);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].index, 20);
    assert!(
        (found[0].before - 0.5).abs() < 0.03 && (found[0].after - 1.0).abs() < 0.05,
        "{found:?}"
    );
    assert!((found[0].ratio() - 2.0).abs() < 0.15);
    assert!(found[0].p_value <= 0.01);
    assert_eq!(segments(60, &found), [0..20, 20..60]);
    assert_eq!(segments(60, &[]).first(), Some(&(0..60)));
}

#[test]
fn changes_too_small_to_matter_are_left_out() {
    let values = planted(200, 0..100, 0.94, 0.0, 5);
    let precise: Vec<f64> = values.iter().map(|value| value.powf(0.1)).collect();
    let matters = |smallest_change| {
        change_points(
            &precise,
            &Detection {
                smallest_change,
                ..Detection::default()
            },
        )
    };
    assert!(!matters(0.0).is_empty(), "0.6% at 0.5% noise shows in 200 values");
    assert!(matters(0.05).is_empty());
    let stopped: Vec<f64> = planted(60, 30..60, 0.0, 0.0, 5);
    let found = change_points(
        &stopped,
        &Detection {
            smallest_change: 0.5,
            ..Detection::default()
        },
    );
    assert_eq!(found.len(), 1, "to nothing is a change of any size: {found:?}");
}

#[test]
fn what_is_no_series_has_no_changes() {
    assert!(detect(&[]).is_empty());
    assert!(detect(&[1.0, 2.0, 3.0, 100.0, 200.0]).is_empty(), "too short");
    assert!(detect(&[5.0; 50]).is_empty());
    let mut broken = planted(60, 0..20, 0.5, 0.0, 3);
    broken[7] = f64::NAN;
    assert!(detect(&broken).is_empty());
    let mostly_one: Vec<f64> = (0..60).map(|place| if place < 15 { 3.0 } else { 9.0 }).collect();
    assert_eq!(places(&mostly_one), [15], "without any noise");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn units_do_not_matter(
        seed in 1..10_000u64,
        at in 12..48usize,
        factor in 0.4..0.7f64,
        unit in 1e-6..1e6f64,
    ) {
        let values = planted(60, 0..at, factor, 0.0, seed);
        let scaled: Vec<f64> = values.iter().map(|value| value * unit).collect();
        prop_assert_eq!(places(&scaled), places(&values));
    }

    #[test]
    fn segments_are_never_shorter_than_asked(
        values in proptest::collection::vec(0.0..1.0f64, 0..60),
        shortest in 2..8usize,
    ) {
        let detection = Detection { shortest_segment: shortest, significance: 0.2, ..Detection::default() };
        let found = change_points(&values, &detection);
        let parts = segments(values.len(), &found);
        prop_assert!(found.is_empty() || parts.iter().all(|part| part.len() >= shortest), "{:?}", parts);
    }
}
