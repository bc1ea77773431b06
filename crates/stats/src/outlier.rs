//! Trials that differ from their siblings. They are flagged, never dropped: an outlier may be the finding.

use crate::Sample;

/// Scaled median absolute deviations beyond which a value is flagged.
pub const DEVIATIONS: f64 = 3.0;
/// Ratio to the median beyond which a value is flagged, in either direction.
pub const RATIO: f64 = 2.0;
/// A value closer to the median than this share of it is never flagged: trials that agree closely have tiny deviations,
/// and a difference of 1% is no outlier in practice.
pub const PRACTICAL_SHARE: f64 = 0.05;
/// Fewest values from which a median absolute deviation says anything; below, only the ratio counts.
pub const FEWEST_FOR_DEVIATION: usize = 5;
/// Makes the median absolute deviation of normal values an estimate of their standard deviation: 1 / (3rd quartile of
/// the standard normal distribution). Hampel, "The Influence Curve and Its Role in Robust Estimation", JASA 69 (1974).
pub const NORMAL_SCALE: f64 = 1.482_602_218_505_602;

/// One value far from its siblings.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlier {
    /// Its place in the sample, from 0.
    pub index: usize,
    /// The value.
    pub value: f64,
    /// Why it is flagged, with the figures.
    pub reason: String,
}

/// Flags the values more than [`RATIO`] times above or below the median, or more than [`DEVIATIONS`] scaled median
/// absolute deviations away from it. In the order of the sample.
#[must_use]
pub fn outliers(sample: &Sample) -> Vec<Outlier> {
    let median = sample.median();
    let scaled_mad = NORMAL_SCALE * sample.mad();
    let flag = |(index, &value): (usize, &f64)| {
        reason(value, median, scaled_mad, sample.len()).map(|reason| Outlier { index, value, reason })
    };
    sample.values().iter().enumerate().filter_map(flag).collect()
}

fn reason(value: f64, median: f64, scaled_mad: f64, n: usize) -> Option<String> {
    let distance = (value - median).abs();
    if distance <= PRACTICAL_SHARE * median.abs() {
        return None;
    }
    // With a median of 0 or values of both signs a ratio means nothing.
    if median > 0.0 && value >= 0.0 && n > 2 {
        if value > median * RATIO {
            return Some(format!("{:.2} times the median of {n} trials", value / median));
        }
        if value < median / RATIO {
            return Some(format!(
                "only {:.2} times the median of {n} trials",
                value / median
            ));
        }
    }
    if n >= FEWEST_FOR_DEVIATION && scaled_mad > 0.0 && distance > DEVIATIONS * scaled_mad {
        let direction = if value > median { "above" } else { "below" };
        return Some(format!(
            "{:.1} scaled median absolute deviations {direction} the median of {n} trials",
            distance / scaled_mad
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flagged(values: &[f64]) -> Vec<usize> {
        let found = outliers(&Sample::new(values.to_vec()).unwrap());
        found.iter().map(|outlier| outlier.index).collect()
    }

    #[test]
    fn a_stalled_trial_is_flagged_with_its_figures() {
        let sample = Sample::new(vec![100.0, 102.0, 99.0, 40.0, 101.0]).unwrap();
        let found = outliers(&sample);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].index, found[0].value), (3, 40.0));
        assert_eq!(found[0].reason, "only 0.40 times the median of 5 trials");
        assert_eq!(flagged(&[100.0, 102.0, 99.0, 80.0, 101.0]), [3], "by deviation");
        assert_eq!(
            flagged(&[1.0, 1.0, 9.0]),
            [2],
            "by ratio, although there are only three"
        );
    }

    #[test]
    fn ordinary_spread_is_not() {
        assert!(
            flagged(&[100.0, 100.1, 99.9, 100.0, 103.0]).is_empty(),
            "within 5% of the median"
        );
        assert!(flagged(&[100.0, 100.0, 100.0]).is_empty());
        assert!(
            flagged(&[100.0, 250.0]).is_empty(),
            "of two, neither is the odd one"
        );
        assert!(flagged(&[0.0, 0.0, 0.0, 7.0]).is_empty(), "no ratio to zero");
        assert!(flagged(&[7.0]).is_empty());
    }
}
