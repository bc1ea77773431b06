//! The bootstrap of a median, computed exactly instead of by drawing.
//!
//! Drawing n values with replacement from n gives a median whose distribution is known in closed form (Maritz and
//! Jarrett, "A Note on Estimating the Variance of the Sample Median", JASA 73, 1978; Efron 1979 for the bootstrap
//! itself). It is what infinitely many resamples would give, so there is no seed and no Monte Carlo noise.

use statrs::distribution::{Binomial, ContinuousCDF as _, DiscreteCDF as _, Normal, StudentsT};
use statrs::function::factorial::ln_binomial;

/// Above this many values the two middle order statistics of an even sample are taken as one: the difference is below
/// one part in this many, and the work stays linear.
const PAIRS_UP_TO: usize = 1000;

/// The percentile interval of the median, expanded for small samples; `None` for fewer than two values.
///
/// A plain percentile interval is too narrow for few values: the bootstrap world has a variance (n-1)/n times too
/// small and normal instead of t tails. Its tail share alpha/2 is replaced by
/// Phi(-sqrt(n/(n-1)) t(1 - alpha/2, n-1)): Hesterberg, "What Teachers Should Know About the Bootstrap", The American
/// Statistician 69 (2015), section 5.3.
#[must_use]
pub fn median_interval(sorted: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let tail = expanded_tail(sorted.len(), confidence)?;
    let mut atoms = median_distribution(sorted);
    atoms.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
    let low = quantile_from(atoms.iter(), tail)?;
    let high = quantile_from(atoms.iter().rev(), tail)?;
    Some((low, high))
}

/// The share of the bootstrap distribution to leave out on each side; `None` for fewer than two values.
#[must_use]
pub fn expanded_tail(n: usize, confidence: f64) -> Option<f64> {
    if n < 2 {
        return None;
    }
    let n = n as f64;
    let t = StudentsT::new(0.0, 1.0, n - 1.0)
        .ok()?
        .inverse_cdf(f64::midpoint(1.0, confidence));
    Some(Normal::standard().cdf(-(n / (n - 1.0)).sqrt() * t))
}

/// The first value at which the probability gathered so far exceeds `tail`.
fn quantile_from<'a>(atoms: impl Iterator<Item = &'a (f64, f64)>, tail: f64) -> Option<f64> {
    let mut gathered = 0.0;
    let mut last = None;
    for &(value, probability) in atoms {
        gathered += probability;
        last = Some(value);
        if gathered > tail {
            break;
        }
    }
    last
}

/// Every value that the median of a resample of these ascending values can take, with its probability; values may repeat
/// and are not in order.
#[must_use]
pub fn median_distribution(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    if n % 2 == 1 || n > PAIRS_UP_TO {
        let middle = n.div_ceil(2);
        return order_statistic(n, middle)
            .into_iter()
            .zip(sorted)
            .map(|(p, &value)| (value, p))
            .collect();
    }
    even_median_distribution(sorted)
}

/// The probability that the `rank`-th smallest (from 1) of a resample is the i-th smallest of the sample, for every i.
/// The `rank`-th smallest is at most the i-th when at least `rank` of n draws are among the first i.
fn order_statistic(n: usize, rank: usize) -> Vec<f64> {
    let at_most = |i: usize| {
        if i == n {
            return 1.0;
        }
        Binomial::new(i as f64 / n as f64, n as u64).map_or(0.0, |draws| draws.sf(rank as u64 - 1))
    };
    let mut below = 0.0;
    (1..=n)
        .map(|i| {
            let up_to_here = at_most(i);
            let here = up_to_here - below;
            below = up_to_here;
            here
        })
        .collect()
}

/// With n = 2m the median is the mean of the m-th and the (m+1)-th smallest of the resample. They are the sample's i-th
/// and j-th, i < j, when exactly m draws fall on 1..=i with the largest of them i, and m on j..=n with the smallest j.
fn even_median_distribution(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len();
    let half = n / 2;
    let ways = ln_binomial(n as u64, half as u64);
    // ln((k/n)^m - ((k-1)/n)^m): all m draws among k values with the outermost one hit.
    let ln_reach = |k: usize| {
        let within = |k: usize| half as f64 * (k as f64 / n as f64).ln();
        if k == 1 {
            return within(1);
        }
        within(k) + (-(within(k - 1) - within(k)).exp()).ln_1p()
    };
    let reach: Vec<f64> = (1..=n).map(ln_reach).collect();
    let lower_middle = order_statistic(n, half);
    let mut atoms = Vec::with_capacity(n * (n + 1) / 2);
    for i in 0..n {
        let mut apart = 0.0;
        for j in i + 1..n {
            let probability = (ways + reach[i] + reach[n - 1 - j]).exp();
            apart += probability;
            atoms.push((f64::midpoint(sorted[i], sorted[j]), probability));
        }
        atoms.push((sorted[i], (lower_middle[i] - apart).max(0.0)));
    }
    atoms
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The distribution by going through all n^n resamples.
    fn by_enumeration(sorted: &[f64]) -> Vec<(f64, f64)> {
        let n = sorted.len();
        let total = n.pow(n as u32);
        let median_of = |mut code: usize| {
            let mut draw: Vec<f64> = Vec::with_capacity(n);
            for _ in 0..n {
                draw.push(sorted[code % n]);
                code /= n;
            }
            draw.sort_unstable_by(f64::total_cmp);
            crate::sample::median_of_sorted(&draw)
        };
        (0..total)
            .map(|code| (median_of(code), 1.0 / total as f64))
            .collect()
    }

    fn cumulative(atoms: &[(f64, f64)], at: f64) -> f64 {
        atoms
            .iter()
            .filter(|(value, _)| *value <= at + 1e-9)
            .map(|(_, p)| p)
            .sum()
    }

    #[test]
    fn is_what_all_resamples_give() {
        for n in 2..=6 {
            let sorted: Vec<f64> = (0..n).map(|i| f64::from(i * i) + 1.0).collect();
            let (exact, brute) = (median_distribution(&sorted), by_enumeration(&sorted));
            for (value, _) in &exact {
                let (got, want) = (cumulative(&exact, *value), cumulative(&brute, *value));
                assert!(
                    (got - want).abs() < 1e-10,
                    "n {n}: P(median <= {value}) is {got}, not {want}"
                );
            }
        }
    }

    #[test]
    fn probabilities_add_up_at_every_size() {
        for n in [2usize, 7, 10, 31, 100, 101, 1000, 1002] {
            let sorted: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let total: f64 = median_distribution(&sorted).iter().map(|(_, p)| p).sum();
            assert!((total - 1.0).abs() < 1e-8, "n {n}: {total}");
        }
    }

    #[test]
    fn six_values_need_the_whole_range() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(median_interval(&sorted, 0.95), Some((1.0, 6.0)));
        assert_eq!(median_interval(&sorted[..1], 0.95), None);
    }

    proptest! {
        #[test]
        fn holds_the_median_within_the_range(mut values in proptest::collection::vec(-1e6..1e6f64, 2..40)) {
            values.sort_unstable_by(f64::total_cmp);
            let (low, high) = median_interval(&values, 0.95).unwrap();
            let median = crate::sample::median_of_sorted(&values);
            prop_assert!(values[0] <= low && low <= median && median <= high && high <= values[values.len() - 1]);
        }

        #[test]
        fn turns_with_the_sign(mut values in proptest::collection::vec(-1e6..1e6f64, 6..20)) {
            values.sort_unstable_by(f64::total_cmp);
            let negated: Vec<f64> = values.iter().rev().map(|value| -value).collect();
            let (low, high) = median_interval(&values, 0.95).unwrap();
            let (negated_low, negated_high) = median_interval(&negated, 0.95).unwrap();
            prop_assert!((low + negated_high).abs() <= 1e-9 && (high + negated_low).abs() <= 1e-9);
        }
    }
}
