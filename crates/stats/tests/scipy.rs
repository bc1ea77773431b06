//! Our figures against SciPy's, an implementation that shares no code with ours. `fixtures/generate.py` wrote them.

use dbdyno_stats::{Sample, bootstrap, permutation};
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixtures {
    descriptive: Vec<Descriptive>,
    bootstrap_medians: Vec<BootstrapMedian>,
    sign_flips: Vec<SignFlip>,
    rank_sums: Vec<RankSum>,
}

#[derive(Deserialize)]
struct Descriptive {
    values: Vec<f64>,
    median: f64,
    mad: f64,
    cv: Option<f64>,
    quantiles: Vec<(f64, f64)>,
}

#[derive(Deserialize)]
struct BootstrapMedian {
    values: Vec<f64>,
    resamples: f64,
    cumulative: Vec<(f64, f64)>,
    expanded_tail: f64,
}

#[derive(Deserialize)]
struct SignFlip {
    differences: Vec<f64>,
    p: f64,
}

#[derive(Deserialize)]
struct RankSum {
    a: Vec<f64>,
    b: Vec<f64>,
    p: f64,
    shift: Option<f64>,
    interval: Option<(f64, f64)>,
}

fn fixtures() -> Fixtures {
    serde_json::from_str(include_str!("fixtures/scipy.json"))
        .expect("generate.py writes what this test reads")
}

#[track_caller]
fn assert_close(got: f64, want: f64, what: &str) {
    let allowed = 1e-9 * want.abs().max(1e-3);
    assert!((got - want).abs() <= allowed, "{what}: {got}, SciPy says {want}");
}

#[test]
fn descriptive_figures() {
    let cases = fixtures().descriptive;
    assert!(cases.len() >= 10);
    for case in cases {
        let sample = Sample::new(case.values.clone()).unwrap();
        assert_close(sample.median(), case.median, "median");
        assert_close(sample.mad(), case.mad, "median absolute deviation");
        for (share, value) in case.quantiles {
            assert_close(
                sample.quantile(share),
                value,
                &format!("quantile {share} of {:?}", case.values),
            );
        }
        if let Some(cv) = case.cv {
            assert_close(sample.cv().unwrap(), cv, "coefficient of variation");
        }
    }
}

/// SciPy draws 200,000 resamples; ours is their limit, so theirs lie within what such a draw allows.
#[test]
fn bootstrap_of_the_median() {
    for case in fixtures().bootstrap_medians {
        let mut sorted = case.values;
        sorted.sort_unstable_by(f64::total_cmp);
        let atoms = bootstrap::median_distribution(&sorted);
        for (value, drawn) in case.cumulative {
            let exact: f64 = atoms
                .iter()
                .filter(|(atom, _)| *atom <= value + 1e-9)
                .map(|(_, p)| p)
                .sum();
            let standard_error = (exact * (1.0 - exact) / case.resamples).sqrt();
            let distance = (exact - drawn).abs();
            assert!(
                distance < 5.0 * standard_error + 1e-6,
                "n {}: P(median <= {value}) is {exact}, SciPy drew {drawn}",
                sorted.len()
            );
        }
        let tail = bootstrap::expanded_tail(sorted.len(), 0.95).unwrap();
        assert!(
            (tail / case.expanded_tail - 1.0).abs() < 1e-6,
            "{tail} {}",
            case.expanded_tail
        );
    }
}

#[test]
fn sign_flip_test() {
    let cases = fixtures().sign_flips;
    assert!(cases.iter().any(|case| case.p < 0.05) && cases.iter().any(|case| case.p > 0.2));
    for case in cases {
        assert_close(
            permutation::sign_flip(&case.differences),
            case.p,
            &format!("{:?}", case.differences),
        );
    }
}

#[test]
fn rank_sum_test_and_its_shift() {
    let cases = fixtures().rank_sums;
    assert!(cases.iter().any(|case| case.p < 0.05) && cases.iter().any(|case| case.p > 0.2));
    for RankSum {
        a,
        b,
        p,
        shift,
        interval,
    } in cases
    {
        let sizes = format!("{} against {}", a.len(), b.len());
        if a.len() + b.len() > permutation::EXACT_VALUES {
            // Both are normal approximations with continuity and ties.
            assert!(
                (permutation::rank_sum(&a, &b) / p - 1.0).abs() < 1e-6,
                "p of {sizes}"
            );
        } else {
            assert_close(permutation::rank_sum(&a, &b), p, &format!("p of {sizes}"));
        }
        let Some(shift) = shift else { continue };
        let ours = permutation::shift(&a, &b, 0.95);
        assert_close(ours.estimate, shift, &format!("shift of {sizes}"));
        match (ours.interval, interval) {
            (Some((low, high)), Some((want_low, want_high))) => {
                assert_close(low, want_low, &format!("lower end of {sizes}"));
                assert_close(high, want_high, &format!("upper end of {sizes}"));
            }
            (ours, theirs) => assert_eq!(ours, theirs, "interval of {sizes}"),
        }
    }
}
