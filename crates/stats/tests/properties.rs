//! Properties that hold for any numbers.

use dbdyno_stats::{
    BAND, Better, CONFIDENCE, Comparison, Method, Pairing, Sample, Word, compare, estimate, permutation,
};
use proptest::prelude::*;

const MARGIN: f64 = 0.05;

fn sample(values: &[f64]) -> Sample {
    Sample::new(values.to_vec()).expect("finite by construction")
}

fn run(a: &[f64], b: &[f64], pairing: Pairing) -> Comparison {
    compare(&sample(a), &sample(b), Better::Higher, MARGIN, pairing)
}

/// Trials around a level with a spread: near enough to each other that every verdict occurs.
fn trials(sizes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    (
        0.8..1.25f64,
        0.0..0.1f64,
        proptest::collection::vec(-1.0..1.0f64, sizes),
    )
        .prop_map(|(level, spread, noise)| noise.iter().map(|x| 1e4 * level * (spread * x).exp()).collect())
}

fn pair() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (trials(1..14), trials(13..14)).prop_map(|(a, b)| {
        let b = b[..a.len()].to_vec();
        (a, b)
    })
}

fn pairing() -> impl Strategy<Value = Pairing> {
    prop_oneof![Just(Pairing::Blocks), Just(Pairing::Independent)]
}

fn assert_close(left: f64, right: f64) -> Result<(), TestCaseError> {
    prop_assert!((left / right - 1.0).abs() < 1e-9, "{left} {right}");
    Ok(())
}

proptest! {
    #[test]
    fn a_ratio_has_no_unit((a, b) in pair(), pairing in pairing(), scale in 1e-6..1e6f64) {
        let scaled = |values: &[f64]| -> Vec<f64> { values.iter().map(|value| value * scale).collect() };
        let (plain, scaled) = (run(&a, &b, pairing), run(&scaled(&a), &scaled(&b), pairing));
        assert_close(plain.ratio, scaled.ratio)?;
        assert_close(plain.p_value.unwrap(), scaled.p_value.unwrap())?;
        prop_assert_eq!(plain.interval.is_some(), scaled.interval.is_some());
    }

    #[test]
    fn swapping_the_systems_turns_everything_round((a, b) in pair(), pairing in pairing()) {
        let (forth, back) = (run(&a, &b, pairing), run(&b, &a, pairing));
        assert_close(forth.ratio, 1.0 / back.ratio)?;
        prop_assert_eq!(forth.word, back.word.reversed());
        if let (Some(forth), Some(back)) = (forth.interval, back.interval) {
            assert_close(forth.low, 1.0 / back.high)?;
            assert_close(forth.high, 1.0 / back.low)?;
        }
    }

    #[test]
    fn less_is_better_is_the_other_way_round((a, b) in pair(), pairing in pairing()) {
        let higher = run(&a, &b, pairing);
        let lower = compare(&sample(&a), &sample(&b), Better::Lower, MARGIN, pairing);
        prop_assert_eq!(higher.word, lower.word.reversed());
        prop_assert_eq!(higher.ratio, lower.ratio);
    }

    #[test]
    fn the_order_of_blocks_does_not_matter((a, b) in pair(), pairing in pairing(), by in 0usize..13) {
        let turned = |values: &[f64]| -> Vec<f64> {
            let mut values = values.to_vec();
            let by = by % values.len();
            values.rotate_left(by);
            values
        };
        prop_assert_eq!(run(&a, &b, pairing), run(&turned(&a), &turned(&b), pairing));
    }

    #[test]
    fn the_interval_holds_the_ratio_and_agrees_with_the_verdict((a, b) in pair(), pairing in pairing()) {
        let comparison = run(&a, &b, pairing);
        let Some(interval) = comparison.interval else {
            prop_assert_eq!(comparison.word, Word::Undecided);
            prop_assert!(permutation::smallest_p(a.len(), b.len()) > 1.0 - CONFIDENCE);
            return Ok(());
        };
        prop_assert!(interval.low <= comparison.ratio * (1.0 + 1e-12));
        prop_assert!(interval.high >= comparison.ratio * (1.0 - 1e-12));
        match comparison.word {
            Word::Faster => prop_assert!(interval.low > 1.0 && comparison.ratio > 1.0 + MARGIN),
            Word::Slower => prop_assert!(interval.high < 1.0 && comparison.ratio < 1.0 / (1.0 + MARGIN)),
            Word::Equivalent => {
                prop_assert!(interval.low >= 1.0 / (1.0 + MARGIN) && interval.high <= 1.0 + MARGIN);
            }
            Word::Bounded => prop_assert!(comparison.bound().is_some_and(|bound| bound <= 1.0 + BAND)),
            Word::Undecided | Word::NotComparable => prop_assert!(!comparison.reason.is_empty()),
        }
    }

    #[test]
    fn raising_a_raises_the_ratio((a, b) in pair(), pairing in pairing(), which in 0usize..13, by in 1.0..2.0f64) {
        let mut raised = a.clone();
        let which = which % a.len();
        raised[which] *= by;
        prop_assert!(run(&raised, &b, pairing).ratio >= run(&a, &b, pairing).ratio * (1.0 - 1e-12));
    }

    #[test]
    fn the_same_numbers_give_the_same_answer((a, b) in pair(), pairing in pairing()) {
        prop_assert_eq!(run(&a, &b, pairing), run(&a, &b, pairing));
    }

    #[test]
    fn a_system_is_never_faster_than_itself(a in trials(1..14), pairing in pairing()) {
        let comparison = run(&a, &a, pairing);
        assert_close(comparison.ratio, 1.0)?;
        prop_assert!(!matches!(comparison.word, Word::Faster | Word::Slower));
    }

    #[test]
    fn estimates_stay_within_the_range_and_follow_the_scale(values in trials(1..30), scale in 1e-3..1e3f64) {
        let plain = estimate(&sample(&values));
        let scaled = estimate(&sample(&values.iter().map(|value| value * scale).collect::<Vec<_>>()));
        assert_close(plain.median * scale, scaled.median)?;
        prop_assert_eq!(plain.interval.is_some(), values.len() >= 6);
        prop_assert_eq!(plain.interval.is_none(), plain.why_no_interval.is_some());
        if let (Some(plain), Some(scaled)) = (plain.interval, scaled.interval) {
            assert_close(plain.low * scale, scaled.low)?;
            assert_close(plain.high * scale, scaled.high)?;
        }
    }

    #[test]
    fn quantiles_rise(values in trials(1..30), p in 0.0..=1.0f64, q in 0.0..=1.0f64) {
        let sample = sample(&values);
        let (low, high) = (p.min(q), p.max(q));
        prop_assert!(sample.quantile(low) <= sample.quantile(high));
        prop_assert!(sample.min() <= sample.quantile(low) && sample.quantile(high) <= sample.max());
    }
}

/// Blocks that drift together hide nothing from a comparison within blocks.
#[test]
fn a_drift_shared_by_both_systems_cancels() {
    let drift = [1.0, 1.3, 0.7, 1.6, 0.9, 1.1, 0.6, 1.4];
    let noise = [1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.99];
    let a: Vec<f64> = drift
        .iter()
        .zip(noise)
        .map(|(drift, noise)| 1200.0 * drift * noise)
        .collect();
    let b: Vec<f64> = drift.iter().map(|drift| 1000.0 * drift).collect();
    let blocks = run(&a, &b, Pairing::Blocks);
    assert_eq!(
        (blocks.word, blocks.method),
        (Word::Faster, Method::BlockRatios),
        "{}",
        blocks.reason
    );
    assert_eq!(run(&a, &b, Pairing::Independent).word, Word::Undecided);
}

#[test]
fn one_disturbed_trial_does_not_turn_the_verdict() {
    let a = [
        1200.0, 1210.0, 1190.0, 1205.0, 1195.0, 1200.0, 1202.0, 1198.0, 1203.0, 90.0,
    ];
    let b = [
        1000.0, 1005.0, 995.0, 1002.0, 998.0, 1001.0, 999.0, 1000.0, 1003.0, 1000.0,
    ];
    for pairing in [Pairing::Blocks, Pairing::Independent] {
        let comparison = run(&a, &b, pairing);
        assert_eq!(comparison.word, Word::Faster, "{}", comparison.reason);
    }
}

#[test]
fn reasons_give_the_figures_in_a_sentence() {
    let ten = |level: f64, spread: f64| -> Vec<f64> {
        (0..10)
            .map(|i| level * (1.0 + spread * (f64::from(i) - 4.5) / 4.5))
            .collect()
    };
    let reversed: Vec<f64> = ten(100.0, 0.01).into_iter().rev().collect();
    let reason = |a: &[f64], b: &[f64]| {
        let comparison = run(a, b, Pairing::Blocks);
        format!("{}: {}", comparison.word.name(), comparison.reason)
    };
    let expected = [
        (
            reason(&ten(130.0, 0.01), &reversed),
            "faster: 1.300x higher (95% interval 1.286x to 1.315x higher, p = 0.002, 10 blocks): \
             the whole interval lies beyond the margin of 5%",
        ),
        (
            reason(&ten(103.0, 0.001), &ten(100.0, 0.0)),
            "equivalent: 1.030x higher (95% interval 1.029x to 1.031x higher, p = 0.002, 10 blocks): \
             the whole interval lies within the margin of 5%: there is a difference, too small to matter",
        ),
        (
            reason(&ten(106.0, 0.02), &ten(100.0, 0.0)),
            "faster: 1.060x higher (95% interval 1.048x to 1.072x higher, p = 0.002, 10 blocks): \
             there is a difference, and the ratio lies beyond the margin of 5%",
        ),
        (
            reason(&ten(104.0, 0.02), &ten(100.0, 0.0)),
            "bounded: 1.040x higher (95% interval 1.028x to 1.052x higher, p = 0.002, 10 blocks): \
             there is a difference of 1.02x to 1.06x; whether it exceeds the margin of 5% is open",
        ),
        (
            reason(&[130.0, 131.0, 129.0], &[100.0, 101.0, 99.0]),
            "undecided: 1.300x higher: 3 against 3 trials allow no 95% interval: even complete separation would have \
             p = 0.100; it takes at least 4 trials of each",
        ),
    ];
    for (got, want) in expected {
        assert_eq!(got, want);
    }
    let lower = reason(&reversed, &ten(3800.0, 0.01));
    assert!(
        lower.starts_with("slower: 38.0x lower (95% interval 37."),
        "{lower}"
    );
    let both = reason(&ten(100.0, 0.3), &reversed);
    assert!(
        both.contains("x higher to 1.") && both.contains("x lower, p"),
        "{both}"
    );
}

#[test]
fn four_trials_can_decide_and_zero_cannot() {
    let comparison = run(
        &[130.0, 131.0, 129.0, 128.0],
        &[100.0, 101.0, 99.0, 102.0],
        Pairing::Blocks,
    );
    assert_eq!(
        (comparison.word, comparison.method),
        (Word::Faster, Method::AllRatios)
    );
    let nothing = run(&[0.0, 1.0], &[1.0, 1.0], Pairing::Blocks);
    assert_eq!((nothing.word, nothing.method), (Word::Undecided, Method::None));
    assert!(nothing.ratio.is_nan() && nothing.reason.contains("zero or below"));
}
