//! Exact permutation of ranks for two independent samples.
//!
//! Ranks, because a disturbed trial is kept: it may shift a mean anywhere, a rank only to the end. The
//! distributions are counted completely (by dynamic programming over rank sums, ties included as mid-ranks), so p values
//! are exact and need neither a seed nor, up to [`EXACT_VALUES`] values, a normal approximation.

use statrs::distribution::{ContinuousCDF as _, Normal};

/// Up to this many values in both samples together the rank-sum distribution is counted; above, the normal approximation
/// is used.
pub const EXACT_VALUES: usize = 80;

/// Two-sided p value of the two-sample permutation test on ranks (Wilcoxon 1945; Mann and Whitney, "On a Test of Whether
/// one of Two Random Variables is Stochastically Larger than the Other", Annals of Mathematical Statistics 18, 1947):
/// twice the smaller share of the ways to split all values that give a rank sum at least as extreme. 1 when a sample is
/// empty.
#[must_use]
pub fn rank_sum(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    let pooled: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = doubled_midranks(&pooled);
    let observed: usize = ranks[..a.len()].iter().sum();
    let n = pooled.len();
    if n > EXACT_VALUES {
        let (mean, variance) = rank_sum_moments(&ranks, a.len());
        return normal_two_sided(observed as f64, mean, variance);
    }
    let ways = splits_by_rank_sum(&ranks, a.len());
    let total: f64 = ways.iter().sum();
    let below: f64 = ways[..=observed].iter().sum();
    let above: f64 = ways[observed..].iter().sum();
    (2.0 * below.min(above) / total).min(1.0)
}

/// How far `a` lies above `b`, with the interval of all shifts that the rank-sum test would not refuse at this
/// confidence (Hodges and Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical Statistics 34,
/// 1963; Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, section 4.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Median of all differences of a value of `a` and one of `b`.
    pub estimate: f64,
    /// The interval; `None` when even complete separation of the samples would not be significant.
    pub interval: Option<(f64, f64)>,
}

/// Estimates the shift of `a` against `b`; both must hold a value.
#[must_use]
pub fn shift(a: &[f64], b: &[f64], confidence: f64) -> Shift {
    let mut differences: Vec<f64> = a
        .iter()
        .flat_map(|left| b.iter().map(move |right| left - right))
        .collect();
    differences.sort_unstable_by(f64::total_cmp);
    let outside = differences_outside(a.len(), b.len(), (1.0 - confidence) / 2.0);
    let interval = outside
        .checked_sub(1)
        .map(|skipped| (differences[skipped], differences[differences.len() - 1 - skipped]));
    Shift {
        estimate: crate::sample::median_of_sorted(&differences),
        interval,
    }
}

/// The smallest two-sided p value that samples of these sizes can give: 2 over the number of ways to split them.
#[must_use]
pub fn smallest_p(a: usize, b: usize) -> f64 {
    let ways: f64 = (1..=a.min(b)).map(|k| (a.max(b) + k) as f64 / k as f64).product();
    (2.0 / ways).min(1.0)
}

/// The fewest trials of each of two systems from which an interval of this confidence can exist (4 at 95%).
#[must_use]
pub fn fewest_trials(confidence: f64) -> usize {
    (1..1000)
        .find(|&n| smallest_p(n, n) <= 1.0 - confidence)
        .unwrap_or(1000)
}

/// The largest c with P(U < c) at most `tail`, U being the number of pairs with `a` above `b` under no difference: the
/// c-th smallest difference is the lower end of the interval. 0: there is none.
fn differences_outside(a: usize, b: usize, tail: f64) -> usize {
    let ranks: Vec<usize> = (1..=a + b).map(|rank| 2 * rank).collect();
    if a + b > EXACT_VALUES {
        let (_, variance) = rank_sum_moments(&ranks, a);
        // Doubled ranks: a quarter of the variance is that of U.
        let z = Normal::standard().inverse_cdf(1.0 - tail);
        return ((a * b) as f64 / 2.0 - z * (variance / 4.0).sqrt())
            .floor()
            .max(0.0) as usize;
    }
    let ways = splits_by_rank_sum(&ranks, a);
    let total: f64 = ways.iter().sum();
    let smallest = a * (a + 1);
    let mut gathered = 0.0;
    let mut count = 0;
    for ways_here in ways[smallest..].iter().step_by(2) {
        gathered += ways_here;
        // Counts are whole numbers far below 2^53 in the sizes where equality matters; the slack is for the division.
        if gathered / total > tail + 1e-12 || count >= a * b / 2 {
            break;
        }
        count += 1;
    }
    count
}

/// In how many ways `size` of the values can be chosen, by the sum of their ranks.
fn splits_by_rank_sum(ranks: &[usize], size: usize) -> Vec<f64> {
    let total: usize = ranks.iter().sum();
    let mut ways = vec![vec![0.0; total + 1]; size + 1];
    ways[0][0] = 1.0;
    for (seen, &rank) in ranks.iter().enumerate() {
        for chosen in (1..=size.min(seen + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(chosen);
            for (target, source) in more[0][rank..].iter_mut().zip(&fewer[chosen - 1]) {
                *target += source;
            }
        }
    }
    ways.swap_remove(size)
}

/// Mean and variance of the sum of `size` ranks drawn without replacement.
fn rank_sum_moments(ranks: &[usize], size: usize) -> (f64, f64) {
    let n = ranks.len() as f64;
    let size = size as f64;
    let mean = ranks.iter().sum::<usize>() as f64 / n;
    let squares: f64 = ranks.iter().map(|&rank| (rank as f64 - mean).powi(2)).sum();
    (size * mean, size * (n - size) / n * squares / (n - 1.0))
}

/// Twice the normal tail beyond the observed sum, with continuity correction (sums of doubled ranks step by 2).
fn normal_two_sided(observed: f64, mean: f64, variance: f64) -> f64 {
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((observed - mean).abs() - 1.0).max(0.0);
    (2.0 * Normal::standard().sf(distance / variance.sqrt())).min(1.0)
}

/// Twice the rank of every value among all, ties sharing the mean of their ranks (hence twice: whole numbers).
pub(crate) fn doubled_midranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0; values.len()];
    let mut first = 0;
    while first < order.len() {
        let tied = order[first..]
            .iter()
            .take_while(|&&index| values[index] == values[order[first]])
            .count();
        // Ranks first+1 ..= first+tied; twice their mean is their ends' sum.
        for &index in &order[first..first + tied] {
            ranks[index] = 2 * first + tied + 1;
        }
        first += tied;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn complete_separation_gives_the_smallest_p() {
        assert!((rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]) - 0.1).abs() < 1e-12);
        assert!((smallest_p(3, 3) - 0.1).abs() < 1e-12);
        assert!((smallest_p(4, 4) - 2.0 / 70.0).abs() < 1e-12);
        assert_eq!(smallest_p(1, 1), 1.0);
        assert_eq!(fewest_trials(0.95), 4);
        assert_eq!(fewest_trials(0.99), 5);
    }

    #[test]
    fn nothing_but_ties_says_nothing() {
        assert_eq!(rank_sum(&[1.0; 5], &[1.0; 5]), 1.0);
        assert_eq!(rank_sum(&[1.0; 50], &[1.0; 50]), 1.0);
        assert_eq!(rank_sum(&[], &[1.0]), 1.0);
    }

    #[test]
    fn four_against_four_take_the_extreme_differences() {
        let shift = shift(&[10.0, 11.0, 12.0, 13.0], &[1.0, 2.0, 3.0, 4.0], 0.95);
        assert_eq!(
            shift,
            Shift {
                estimate: 9.0,
                interval: Some((6.0, 12.0))
            }
        );
        assert_eq!(
            super::shift(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 0.95).interval,
            None
        );
    }

    #[test]
    fn the_normal_approximation_takes_over_smoothly() {
        let wave =
            |n: usize, offset: f64| -> Vec<f64> { (0..n).map(|i| (i as f64 * 0.7).sin() + offset).collect() };
        let exact = rank_sum(&wave(40, 0.3), &wave(40, 0.0));
        let approximate = rank_sum(&wave(41, 0.3), &wave(40, 0.0));
        assert!((exact - approximate).abs() < 0.02, "{exact} {approximate}");
        let (exact, approximate) = (
            differences_outside(40, 40, 0.025),
            differences_outside(41, 40, 0.025),
        );
        assert!(approximate.abs_diff(exact) < 30, "{exact} {approximate} of 1600");
    }

    proptest! {
        /// The interval and the test are two views of one thing: without ties, 0 is outside exactly when p <= 0.05.
        #[test]
        fn the_interval_excludes_zero_when_the_test_is_significant(
            a in proptest::collection::vec(0.0..10.0f64, 2..9),
            b in proptest::collection::vec(2.0..12.0f64, 2..9),
        ) {
            let p = rank_sum(&a, &b);
            let excludes = shift(&a, &b, 0.95).interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
            prop_assert_eq!(excludes, p <= 0.05 + 1e-12, "p {}", p);
        }

        #[test]
        fn order_and_scale_do_not_matter(
            a in proptest::collection::vec(0.0..10.0f64, 1..9),
            b in proptest::collection::vec(0.0..10.0f64, 1..9),
        ) {
            let doubled = |values: &[f64]| -> Vec<f64> { values.iter().rev().map(|value| value * 2.0).collect() };
            prop_assert!((rank_sum(&a, &b) - rank_sum(&doubled(&b), &doubled(&a))).abs() < 1e-12);
        }
    }
}
