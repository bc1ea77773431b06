//! Where the ratios of a pair lie, and how far they scatter: Huber's M-estimate (Huber, "Robust Estimation of a Location Parameter",
//! Annals of Mathematical Statistics 35, 1964).
//!
//! A value farther from the middle than a limit counts as if it lay at the limit. The limit comes from all pairs of the study
//! together, because six values do not show by themselves which of them is wild.

use crate::sample::median_of_sorted;

/// The limit, in standard deviations: of normal values, 95% lie within, and the middle is known about as well as by their mean.
const LIMIT: f64 = 2.0;
/// The median distance of two normal values, in standard deviations.
const MEDIAN_DISTANCE: f64 = 0.953_872_552_417_889;
/// How much a pair's own scatter counts where it is above that of the study: one wild value of six doubles it.
const OWN_SHARE: f64 = 0.75;
/// No ratio is measured more precisely: a standard deviation of a thousandth. Values that are all alike are a coincidence or rounded.
pub const FINEST: f64 = 0.001;

/// The distances of any two of the values, ascending.
pub fn distances(values: &[f64]) -> Vec<f64> {
    let mut distances: Vec<f64> = values
        .iter()
        .enumerate()
        .flat_map(|(place, one)| values[..place].iter().map(move |other| (one - other).abs()))
        .collect();
    distances.sort_unstable_by(f64::total_cmp);
    distances
}

/// The standard deviation of which normal values have these ascending distances: it takes three wild values of ten to carry it away.
/// Bickel and Lehmann, "Descriptive Statistics for Nonparametric Models IV: Spread" (1979); like it, it needs no middle.
pub fn scatter(distances: &[f64]) -> Option<f64> {
    (!distances.is_empty()).then(|| median_of_sorted(distances) / MEDIAN_DISTANCE)
}

/// The middle of values, with the variance of one of them as far as it matters to the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// The middle.
    pub estimate: f64,
    /// The variance of the estimate times the number of values; `None` for a single value.
    pub variance: Option<f64>,
}

/// Estimates the middle of at least one value. `of_study` is the scatter of all pairs together.
pub fn location(values: &[f64], of_study: Option<f64>) -> Location {
    let own = scatter(&distances(values)).unwrap_or_default();
    let limit = LIMIT * of_study.unwrap_or_default().max(OWN_SHARE * own).max(FINEST);
    let n = values.len() as f64;
    let estimate = middle(values, limit);
    let held: Vec<f64> = values
        .iter()
        .map(|value| (value - estimate).clamp(-limit, limit))
        .collect();
    let inside = held
        .iter()
        .filter(|distance| distance.abs() < limit)
        .count()
        .max(1) as f64
        / n;
    let squares: f64 = held.iter().map(|distance| distance * distance).sum();
    // Huber's variance with his correction for few values (Robust Statistics, 1981, section 6.5; here without covariates).
    let correction = 1.0 + (1.0 - inside) / inside / n;
    let variance = squares / (n - 1.0) * (correction / inside).powi(2);
    Location {
        estimate,
        variance: (values.len() > 1).then(|| variance.max(FINEST * FINEST)),
    }
}

/// The value around which the distances, each held to the limit, add up to zero.
fn middle(values: &[f64], limit: f64) -> f64 {
    const ROUNDS: usize = 500;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut middle = median_of_sorted(&sorted);
    for _ in 0..ROUNDS {
        let pull: f64 = sorted
            .iter()
            .map(|value| (value - middle).clamp(-limit, limit))
            .sum();
        let step = pull / sorted.len() as f64;
        middle += step;
        if step.abs() < 1e-13 {
            break;
        }
    }
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_wild_values_it_is_mean_and_variance() {
        let values = [0.10, 0.12, 0.09, 0.11, 0.13, 0.11];
        let found = location(&values, Some(0.02));
        assert!((found.estimate - 0.11).abs() < 1e-12, "{found:?}");
        assert!((found.variance.unwrap() - 0.0002).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn one_wild_value_of_six_moves_it_by_a_limit_at_most() {
        let calm = [0.10, 0.12, 0.09, 0.11, 0.13, 0.11];
        for wild in [-0.65, -100.0] {
            let mut values = calm;
            values[3] += wild;
            let found = location(&values, Some(0.02));
            // Five values carry the middle, the sixth pulls with the limit.
            let limit = LIMIT * OWN_SHARE * scatter(&distances(&values)).unwrap().max(0.02 / OWN_SHARE);
            let expected = (0.10 + 0.12 + 0.09 + 0.13 + 0.11 - limit) / 5.0;
            assert!((found.estimate - expected).abs() < 1e-9, "{found:?}, {expected}");
            assert!(found.variance.unwrap() < 0.07 * 0.07, "{found:?}");
        }
    }

    #[test]
    fn equal_values_and_a_single_one_have_no_more_than_the_finest_variance() {
        let equal = location(&[0.3; 6], Some(0.0));
        assert_eq!(equal.estimate, 0.3);
        assert_eq!(equal.variance, Some(FINEST * FINEST));
        let single = location(&[0.3], None);
        assert_eq!((single.estimate, single.variance), (0.3, None));
    }

    #[test]
    fn it_turns_with_the_sign() {
        let values = [0.3, -0.2, 0.11, 0.12, 2.5];
        let negated = values.map(|value: f64| -value);
        let (one, other) = (location(&values, Some(0.1)), location(&negated, Some(0.1)));
        assert!((one.estimate + other.estimate).abs() < 1e-12);
        assert!((one.variance.unwrap() - other.variance.unwrap()).abs() < 1e-12);
    }

    #[test]
    fn the_scatter_of_normal_values_is_their_standard_deviation() {
        let mut random = dbdyno_random::SplitMix64::new(1);
        let values: Vec<f64> = (0..1500).map(|_| 3.0 * random.normal()).collect();
        let found = scatter(&distances(&values)).unwrap();
        assert!((2.85..3.15).contains(&found), "{found}");
        assert_eq!(scatter(&[]), None);
    }
}
