//! Our figures against SciPy's, an implementation that shares no code with ours. `fixtures/generate.py` wrote them.

use dbdyno_stats::pooled::{CellValues, Pair, Question, analyse};
use dbdyno_stats::{Better, MARGIN, Sample, median_interval::median_interval, permutation, signed_rank};
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixtures {
    descriptive: Vec<Descriptive>,
    median_intervals: Vec<MedianInterval>,
    signed_ranks: Vec<SignedRank>,
    rank_sums: Vec<RankSum>,
    pooled: Vec<PooledStudy>,
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
struct MedianInterval {
    values: Vec<f64>,
    interval: (f64, f64),
}

#[derive(Deserialize)]
struct SignedRank {
    differences: Vec<f64>,
    largest: usize,
    p: f64,
    interval: Option<(f64, f64)>,
    /// SciPy was not asked for an interval.
    without_interval: bool,
}

#[derive(Deserialize)]
struct RankSum {
    a: Vec<f64>,
    b: Vec<f64>,
    p: f64,
    shift: Option<f64>,
    interval: Option<(f64, f64)>,
}

#[derive(Deserialize)]
struct PooledStudy {
    /// Block and value of each system of each cell.
    cells: Vec<Vec<Vec<(u32, f64)>>>,
    pairs: Vec<(usize, usize, usize)>,
    twins: Vec<(usize, usize, usize)>,
    /// Of the pairs, then of the twins.
    ratios: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    p: Vec<f64>,
    /// Of the pairs.
    adjusted: Vec<f64>,
    bound: f64,
    agreement: Option<TwinAgreement>,
}

#[derive(Deserialize)]
struct TwinAgreement {
    p: f64,
    factor: f64,
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

#[test]
fn intervals_of_medians() {
    let cases = fixtures().median_intervals;
    assert!(cases.len() >= 8);
    for case in cases {
        let sample = Sample::new(case.values).unwrap();
        let (low, high) = median_interval(sample.sorted(), 0.95).unwrap();
        assert_close(low, case.interval.0, &format!("lower end of {}", sample.len()));
        assert_close(high, case.interval.1, &format!("upper end of {}", sample.len()));
    }
}

#[test]
fn signed_ranks_and_their_shift() {
    let cases = fixtures().signed_ranks;
    assert!(cases.iter().any(|case| case.p < 0.05) && cases.iter().any(|case| case.p > 0.2));
    assert!(cases.iter().filter(|case| case.interval.is_some()).count() >= 5);
    for case in cases {
        let what = format!("{:?}", case.differences);
        assert_close(
            signed_rank::p_value(&case.differences, case.largest),
            case.p,
            &what,
        );
        if case.without_interval {
            continue;
        }
        let sorted = Sample::new(case.differences).unwrap().sorted().to_vec();
        match (
            signed_rank::shift(&sorted, case.largest, 0.95).interval,
            case.interval,
        ) {
            (Some((low, high)), Some((want_low, want_high))) => {
                assert_close(low, want_low, &format!("lower end of {what}"));
                assert_close(high, want_high, &format!("upper end of {what}"));
            }
            (ours, theirs) => assert_eq!(ours, theirs, "interval of {what}"),
        }
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

/// Huber's estimates, moderated variances, t intervals, Holm and the agreement of twins, all of them computed a second time.
#[test]
fn whole_studies() {
    let cases = fixtures().pooled;
    assert!(
        cases
            .iter()
            .any(|case| case.agreement.as_ref().is_some_and(|own| own.factor > 1.0))
    );
    for (number, case) in cases.into_iter().enumerate() {
        let of_systems = |systems: Vec<Vec<(u32, f64)>>| CellValues {
            systems: systems
                .into_iter()
                .map(|values| values.into_iter().collect())
                .collect(),
        };
        let cells: Vec<CellValues> = case.cells.into_iter().map(of_systems).collect();
        let pairs = |of: &[(usize, usize, usize)]| -> Vec<Pair> {
            of.iter().map(|&(cell, a, b)| Pair { cell, a, b }).collect()
        };
        let (pairs, twins) = (pairs(&case.pairs), pairs(&case.twins));
        let analysis = analyse(&Question {
            cells: &cells,
            pairs: &pairs,
            twins: &twins,
            better: Better::Higher,
            margin: MARGIN,
        });
        let noise = analysis.noise.unwrap();
        assert_close(noise.bound, case.bound, &format!("noise of study {number}"));
        match (noise.agreement, case.agreement) {
            (Some(ours), Some(theirs)) => {
                assert_close(ours.p_value, theirs.p, &format!("agreement of study {number}"));
                assert_close(ours.factor, theirs.factor, &format!("factor of study {number}"));
            }
            (ours, theirs) => assert!(ours.is_none() && theirs.is_none(), "study {number}"),
        }
        let all = analysis.comparisons.iter().chain(&analysis.twins);
        for (place, comparison) in all.enumerate() {
            let what = format!("of pair {place} of study {number}");
            let interval = comparison.interval.unwrap();
            assert_close(comparison.ratio, case.ratios[place], &format!("ratio {what}"));
            assert_close(interval.low, case.low[place], &format!("lower end {what}"));
            assert_close(interval.high, case.high[place], &format!("upper end {what}"));
            assert_close(comparison.p_value.unwrap(), case.p[place], &format!("p {what}"));
            if let Some(&adjusted) = case.adjusted.get(place) {
                assert_close(
                    comparison.p_adjusted.unwrap(),
                    adjusted,
                    &format!("corrected p {what}"),
                );
            }
        }
    }
}
