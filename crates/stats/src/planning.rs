//! How many trials it would take to decide.

use crate::Sample;
use crate::sample::median_of_sorted;

/// The normal quantile of a two-sided 95% interval.
const QUANTILE: f64 = 1.96;
/// A median absolute deviation in standard deviations of normal values.
const NORMAL: f64 = 1.4826;

/// About how many trials of each it would take until the interval of their ratio lies beyond the margin, or within it,
/// whichever side the ratio is on now: n such that 1.96 s sqrt(2 / n) is the distance of the ratio to the margin, on
/// logarithms, with s from the median absolute deviations of both samples. `None` where the ratio lies too near the margin for
/// `most` trials, or where there is no ratio.
///
/// It is the sample size of a comparison of two means (Chow, Shao and Wang, Sample Size Calculations in Clinical Research,
/// 2008, section 3.2) without its term for power: a guide, not a promise.
#[must_use]
pub fn trials_needed(a: &Sample, b: &Sample, margin: f64, most: usize) -> Option<usize> {
    let (a, b) = (a.logarithms()?, b.logarithms()?);
    let (middle_a, spread_a) = middle_and_spread(&a);
    let (middle_b, spread_b) = middle_and_spread(&b);
    let distance = ((middle_a - middle_b).abs() - margin.ln_1p()).abs();
    let variance = f64::midpoint(spread_a.powi(2), spread_b.powi(2));
    let needed = (2.0 * variance * (QUANTILE / distance).powi(2)).ceil();
    (needed <= most as f64).then_some(needed as usize)
}

fn middle_and_spread(values: &[f64]) -> (f64, f64) {
    let sorted = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let middle = median_of_sorted(&sorted(values.to_vec()));
    let deviations = values.iter().map(|value| (value - middle).abs()).collect();
    (middle, NORMAL * median_of_sorted(&sorted(deviations)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(middle: f64, spread: f64) -> Sample {
        let values = [-1.5, -0.7, 0.0, 0.7, 1.5].map(|step| middle * (1.0 + step * spread));
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn what_is_noisier_or_nearer_to_the_margin_takes_more() {
        let needed = |ratio: f64, spread: f64| {
            trials_needed(&sample(100.0 * ratio, spread), &sample(100.0, spread), 0.05, 1000)
        };
        let base = needed(1.2, 0.05).unwrap();
        // Standard deviation 1.4826 x 0.035, distance ln(1.2) - ln(1.05) = 0.1335: 2 (0.0519 x 1.96 / 0.1335)^2 = 1.2.
        assert_eq!(base, 2);
        assert!(needed(1.2, 0.2).unwrap() > base);
        assert!(needed(1.08, 0.05).unwrap() > base);
        assert!(needed(1.0, 0.05).is_some(), "equivalence can be shown, too");
        assert_eq!(needed(1.05, 0.05), None, "on the margin nothing decides");
    }
}
