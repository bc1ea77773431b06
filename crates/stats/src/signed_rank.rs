//! Paired differences: how far they lie from zero, how sure that is, and whether chance alone would do it.
//!
//! Wilcoxon's signed ranks with the large ranks held down: the smallest difference scores 1, the next 2, and so on, but
//! from [`largest_score`] on all score alike. Ranks use more of the numbers than signs do, so less noise is enough; the
//! held-down scores keep one wild trial from weighing more than the trials around the middle. With the largest score 1
//! it would be the sign test, with n Wilcoxon's (1945). Such scores are called winsorised (Policello and Hettmansperger,
//! "Adaptive Robust Procedures for the One-Sample Location Problem Based on Winsorized Rank Statistics", JASA 71, 1976;
//! Hettmansperger and McKean, Robust Nonparametric Statistical Methods, 2nd edition 2011, sections 1.7 and 1.8).
//!
//! Estimate, interval and p value are one thing seen thrice: the interval holds the shifts that the test would not
//! refuse, the estimate is the shift that it finds least surprising. The distribution is counted, not drawn.

use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::permutation::{Shift, doubled_midranks};

/// Up to this many differences the distribution is counted; above, the normal approximation is used.
pub const EXACT_DIFFERENCES: usize = 200;

/// The score from which on larger differences score no more: half their number.
#[must_use]
pub fn largest_score(n: usize) -> usize {
    (n / 2).max(1)
}

/// Two-sided p value: how often would random signs be as lopsided as these, if each difference were as likely to be
/// negative as positive? Zeros have no sign and are left out; tied sizes share the mean of their ranks. 1 when nothing
/// is left.
#[must_use]
pub fn p_value(differences: &[f64], largest_score: usize) -> f64 {
    let signed: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|&difference| difference != 0.0)
        .collect();
    let sizes: Vec<f64> = signed.iter().map(|difference| difference.abs()).collect();
    let scores: Vec<usize> = doubled_midranks(&sizes)
        .into_iter()
        .map(|rank| rank.min(2 * largest_score))
        .collect();
    let total: usize = scores.iter().sum();
    let positive: usize = scores
        .iter()
        .zip(&signed)
        .filter(|&(_, &difference)| difference > 0.0)
        .map(|(score, _)| score)
        .sum();
    let smaller = positive.min(total - positive);
    let tail = if signed.len() > EXACT_DIFFERENCES {
        approximate_tail(&scores, smaller)
    } else {
        counted_tail(&scores, smaller)
    };
    (2.0 * tail).min(1.0)
}

/// The smallest two-sided p value that so many differences can give: all signs alike.
#[must_use]
pub fn smallest_p(n: usize) -> f64 {
    (2.0 * 0.5_f64.powi(n.min(1000) as i32)).min(1.0)
}

/// The chance that the coins give a sum of doubled scores of at most this.
fn counted_tail(scores: &[usize], sum: usize) -> f64 {
    shares_by_sum(scores)[..=sum].iter().sum()
}

/// That chance by the normal distribution. Sums of doubled scores step by 2: half a step is the continuity correction.
fn approximate_tail(scores: &[usize], sum: usize) -> f64 {
    let (mean, deviation) = moments(scores);
    Normal::standard().cdf((sum as f64 + 1.0 - mean) / deviation)
}

/// The shift of ascending differences from zero, with the interval of all shifts that the test would not refuse at this
/// confidence. There must be at least one difference.
///
/// The shifts at which the statistic steps are the means of two differences that are fewer than `largest_score` places
/// apart in order, a difference with itself among them (Walsh averages): the estimate is their median, the interval's
/// ends are two of them.
#[must_use]
pub fn shift(sorted: &[f64], largest_score: usize, confidence: f64) -> Shift {
    let mut means: Vec<f64> = sorted
        .iter()
        .enumerate()
        .flat_map(|(place, &low)| {
            sorted[place..]
                .iter()
                .take(largest_score)
                .map(move |&high| f64::midpoint(low, high))
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    let outside = means_outside(sorted.len(), largest_score, (1.0 - confidence) / 2.0);
    let interval = outside
        .checked_sub(1)
        .map(|skipped| (means[skipped], means[means.len() - 1 - skipped]));
    Shift {
        estimate: crate::sample::median_of_sorted(&means),
        interval,
    }
}

/// The largest c with P(sum of the negative scores < c) at most `tail`: the c-th smallest mean is the lower end. 0: none.
fn means_outside(n: usize, largest_score: usize, tail: f64) -> usize {
    let scores: Vec<usize> = (1..=n).map(|rank| rank.min(largest_score)).collect();
    if n > EXACT_DIFFERENCES {
        approximate_outside(&scores, tail)
    } else {
        counted_outside(&scores, tail)
    }
}

fn counted_outside(scores: &[usize], tail: f64) -> usize {
    let mut gathered = 0.0;
    shares_by_sum(scores)
        .iter()
        .take_while(|&&share| {
            gathered += share;
            gathered <= tail + 1e-12
        })
        .count()
}

fn approximate_outside(scores: &[usize], tail: f64) -> usize {
    let (mean, deviation) = moments(scores);
    let z = Normal::standard().inverse_cdf(1.0 - tail);
    (mean - z * deviation).floor().max(0.0) as usize
}

/// The chance of every sum of scores when each score counts or not by the toss of a coin.
fn shares_by_sum(scores: &[usize]) -> Vec<f64> {
    let mut shares = vec![0.0; scores.iter().sum::<usize>() + 1];
    shares[0] = 1.0;
    let mut largest = 0;
    for &score in scores {
        largest += score;
        for sum in (0..=largest).rev() {
            let with = if sum >= score { shares[sum - score] } else { 0.0 };
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    shares
}

/// Mean and standard deviation of that sum.
fn moments(scores: &[usize]) -> (f64, f64) {
    let squares: f64 = scores.iter().map(|&score| (score as f64).powi(2)).sum();
    (scores.iter().sum::<usize>() as f64 / 2.0, squares.sqrt() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(mut values: Vec<f64>) -> Vec<f64> {
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    #[test]
    fn six_of_one_sign_are_the_fewest_that_decide() {
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert!((p_value(&six, largest_score(6)) - 2.0 / 64.0).abs() < 1e-12);
        assert_eq!(shift(&six, largest_score(6), 0.95).interval, Some((1.0, 6.0)));
        assert_eq!(shift(&six[..5], largest_score(5), 0.95).interval, None);
        assert_eq!(p_value(&[0.0; 8], 4), 1.0);
        assert_eq!(p_value(&[], 1), 1.0);
    }

    /// Ten blocks, one of them wild in the wrong direction: Wilcoxon's ranks give it the most weight of all.
    #[test]
    fn one_wild_difference_of_ten_is_borne() {
        let differences = [0.18, 0.2, 0.17, 0.19, 0.21, 0.16, 0.22, 0.185, 0.195, -0.51];
        assert!(p_value(&differences, largest_score(10)) <= 0.05);
        assert!(p_value(&differences, 10) > 0.05);
        let shift = shift(&sorted(differences.to_vec()), largest_score(10), 0.95);
        assert!(shift.interval.is_some_and(|(low, _)| low > 0.1), "{shift:?}");
    }

    #[test]
    fn the_normal_approximation_takes_over_smoothly() {
        let scores: Vec<usize> = (1..=EXACT_DIFFERENCES).map(|rank| rank.min(100)).collect();
        let doubled: Vec<usize> = scores.iter().map(|score| 2 * score).collect();
        for sum in [11_000, 12_000, 12_500, 13_500, 15_000] {
            let (exact, approximate) = (counted_tail(&doubled, sum), approximate_tail(&doubled, sum));
            assert!((exact - approximate).abs() < 1e-3, "{sum}: {exact} {approximate}");
        }
        let (exact, approximate) = (
            counted_outside(&scores, 0.025),
            approximate_outside(&scores, 0.025),
        );
        assert!(approximate.abs_diff(exact) < 10, "{exact} {approximate}");
    }

    /// How often the interval holds the middle of symmetric differences, by counting: what 95% means at every size.
    #[test]
    fn intervals_cover_what_they_say_at_every_size() {
        for n in 6..=100 {
            let scores: Vec<usize> = (1..=n).map(|rank| rank.min(largest_score(n))).collect();
            let outside = counted_outside(&scores, 0.025);
            let covers = 1.0 - 2.0 * counted_tail(&scores, outside - 1);
            assert!((0.95..=0.97).contains(&covers), "{n} blocks: {covers}");
        }
    }

    proptest! {
        /// Without ties, 0 is outside the interval exactly when p <= 0.05, however large the scores may grow.
        #[test]
        fn interval_and_test_agree(
            differences in proptest::collection::vec(-1.0..2.0f64, 2..16),
            largest in 1usize..16,
        ) {
            let p = p_value(&differences, largest);
            let shift = shift(&sorted(differences), largest, 0.95);
            let excludes = shift.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
            prop_assert_eq!(excludes, p <= 0.05 + 1e-12, "p {}", p);
            if let Some((low, high)) = shift.interval {
                prop_assert!(low <= shift.estimate && shift.estimate <= high);
            }
        }

        /// With the largest score 1 it is the sign test: p from the binomial distribution, the plain median.
        #[test]
        fn score_one_is_the_sign_test(differences in proptest::collection::vec(-1.0..2.0f64, 1..16)) {
            use statrs::distribution::{Binomial, DiscreteCDF as _};
            let negative = differences.iter().filter(|&&difference| difference < 0.0).count() as u64;
            let n = differences.len() as u64;
            let want = 2.0 * Binomial::new(0.5, n).unwrap().cdf(negative.min(n - negative));
            prop_assert!((p_value(&differences, 1) - want.min(1.0)).abs() < 1e-12);
            let sorted = sorted(differences);
            prop_assert_eq!(shift(&sorted, 1, 0.95).estimate, crate::sample::median_of_sorted(&sorted));
        }

        #[test]
        fn order_scale_and_sign_do_not_matter(differences in proptest::collection::vec(-1.0..2.0f64, 1..16)) {
            let score = largest_score(differences.len());
            let turned: Vec<f64> = differences.iter().rev().map(|difference| -3.0 * difference).collect();
            prop_assert!((p_value(&differences, score) - p_value(&turned, score)).abs() < 1e-12);
            let (plain, turned) =
                (shift(&sorted(differences), score, 0.95), shift(&sorted(turned), score, 0.95));
            prop_assert!((-3.0 * plain.estimate - turned.estimate).abs() < 1e-9);
        }
    }
}
