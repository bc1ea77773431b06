//! How sure a median is: an interval between order statistics.
//!
//! From the d-th smallest to the d-th largest value holds the median of whatever the trials were drawn from with a
//! chance that the binomial distribution gives, whatever its shape. Few values make few such chances: 96.9%, 78.1% for
//! six. Hettmansperger and Sheather ("Confidence Intervals Based on Interpolated Order Statistics", Statistics &
//! Probability Letters 4, 1986) go between two neighbouring values in a way that comes near 95% for all shapes they
//! tried, skew and heavy tails among them.

use statrs::distribution::{Binomial, DiscreteCDF as _};

/// The interval of the median of ascending values; `None` when there are too few for this confidence.
#[must_use]
pub fn median_interval(sorted: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let n = sorted.len();
    let chances = Binomial::new(0.5, n as u64).ok()?;
    // The chance that the median lies between the d-th smallest and the d-th largest value, d >= 1.
    let holds = |d: usize| 1.0 - 2.0 * chances.cdf(d as u64 - 1);
    let outer = (1..=n / 2).take_while(|&d| holds(d) >= confidence).last()?;
    let (wide, narrow) = (holds(outer), holds(outer + 1));
    let way = (wide - confidence) / (wide - narrow);
    let (n_left, d) = ((n - outer) as f64, outer as f64);
    let weight = n_left * way / (d + (n_left - d) * way);
    let between = |outer: f64, inner: f64| outer + weight * (inner - outer);
    let low = between(sorted[outer - 1], sorted[outer]);
    let high = between(sorted[n - outer], sorted[n - outer - 1]);
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn six_values_need_nearly_the_whole_range() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let (low, high) = median_interval(&sorted, 0.95).unwrap();
        assert!(
            1.0 < low && low < 1.5 && (low + high - 7.0).abs() < 1e-12,
            "{low} {high}"
        );
        assert_eq!(median_interval(&sorted[..5], 0.95), None);
        assert_eq!(median_interval(&[], 0.95), None);
    }

    proptest! {
        #[test]
        fn holds_the_median_within_the_range(mut values in proptest::collection::vec(-1e6..1e6f64, 6..60)) {
            values.sort_unstable_by(f64::total_cmp);
            let (low, high) = median_interval(&values, 0.95).unwrap();
            let median = crate::sample::median_of_sorted(&values);
            prop_assert!(values[0] <= low && low <= median && median <= high && high <= values[values.len() - 1]);
        }

        #[test]
        fn more_confidence_is_wider(mut values in proptest::collection::vec(-1e6..1e6f64, 8..60)) {
            values.sort_unstable_by(f64::total_cmp);
            let (sure, surer) = (median_interval(&values, 0.9).unwrap(), median_interval(&values, 0.99).unwrap());
            prop_assert!(surer.0 <= sure.0 && sure.1 <= surer.1);
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
