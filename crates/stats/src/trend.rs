//! Whether a series goes one way from its begin to its end: a drift, which has no levels for [`crate::change_points`] to find.
//!
//! A smooth drift looks to a test of change points like noise whose neighbours resemble each other very much, and what resembles that much
//! may go anywhere by chance. So it is not tested against chance but described: by Kendall's rank correlation with time (Kendall, "A New
//! Measure of Rank Correlation", Biometrika 30, 1938; as a test of trends: Mann, Econometrica 13, 1945), which no stall and no single step
//! makes large, and by how far the last third lies from the first.

use crate::sample::median_of_sorted;

/// From this correlation on a series goes one way: 85% of its pairs are in the same order. A single step reaches 0.5.
const ONE_WAY: f64 = 0.7;
/// Parts of which the first and the last are compared.
const PARTS: usize = 3;

/// The last third over the first, by their medians, of a series of positive values that goes one way; `None` for others, and for fewer
/// values than six.
#[must_use]
pub fn drift(values: &[f64]) -> Option<f64> {
    let part = values.len() / PARTS;
    if part < 2 || tau(values).abs() < ONE_WAY {
        return None;
    }
    let median = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        median_of_sorted(&sorted)
    };
    let ratio = median(&values[values.len() - part..]) / median(&values[..part]);
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

/// Kendall's correlation of the values with their places, -1 to 1; ties count for neither side.
#[must_use]
pub fn tau(values: &[f64]) -> f64 {
    let pairs = values.len() * values.len().saturating_sub(1) / 2;
    if pairs == 0 {
        return 0.0;
    }
    let mut sum = 0_i64;
    for (place, earlier) in values.iter().enumerate() {
        for later in &values[place + 1..] {
            sum += match later.total_cmp(earlier) {
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Less => -1,
                std::cmp::Ordering::Equal => 0,
            };
        }
    }
    sum as f64 / pairs as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_random::SplitMix64;

    /// Counted by hand: of 28 pairs 19 are in order and 9 are not.
    #[test]
    fn tau_counts_pairs() {
        let found = tau(&[3.0, 1.0, 4.0, 1.5, 9.0, 2.0, 6.0, 5.0]);
        assert!((found - 10.0 / 28.0).abs() < 1e-12, "{found}");
        assert_eq!(
            (tau(&[1.0, 2.0, 3.0]), tau(&[2.0, 1.0]), tau(&[5.0])),
            (1.0, -1.0, 0.0)
        );
    }

    #[test]
    fn a_drift_is_seen_through_noise_and_a_step_or_a_stall_is_none() {
        let mut random = SplitMix64::new(3);
        let mut series = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
            (0..60)
                .map(|place| of(f64::from(place) / 59.0) * (1.0 + 0.03 * random.normal()))
                .collect()
        };
        let falling = drift(&series(&|at| 1.0 - 0.4 * at)).unwrap();
        assert!((0.6..0.85).contains(&falling), "{falling}");
        let rising = drift(&series(&|at| 1.0 + at)).unwrap();
        assert!((1.4..2.0).contains(&rising), "{rising}");
        for steady in [
            series(&|_| 1.0),
            series(&|at| if at < 0.5 { 1.0 } else { 0.5 }),
            series(&|at| if (0.5..0.6).contains(&at) { 0.1 } else { 1.0 }),
        ] {
            assert_eq!(drift(&steady), None);
        }
        assert_eq!(drift(&[1.0, 2.0, 3.0]), None, "too short");
    }

    /// Steady series whose neighbours resemble each other: hardly one in a hundred goes one way by a tenth.
    #[test]
    fn slow_swings_are_seldom_taken_for_a_drift() {
        let mut random = SplitMix64::new(7);
        for (length, resemblance) in [(20, 0.3), (60, 0.3), (20, 0.6), (60, 0.6), (60, 0.9)] {
            let alarms = (0..1000)
                .filter(|_| {
                    let innovation = (1.0_f64 - resemblance * resemblance).sqrt();
                    let mut level = random.normal();
                    let series: Vec<f64> = (0..length)
                        .map(|_| {
                            level = resemblance * level + innovation * random.normal();
                            (0.05 * level).exp()
                        })
                        .collect();
                    drift(&series).is_some_and(|ratio| ratio.ln().abs() > 0.1_f64.ln_1p())
                })
                .count();
            assert!(alarms <= 10, "{length} windows, {resemblance}: {alarms} of 1000");
        }
    }
}
