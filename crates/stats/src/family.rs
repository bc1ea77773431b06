//! Many comparisons at once: some of them differ by chance, so what is significant hangs on the size of their family.

use statrs::distribution::{ContinuousCDF as _, Normal};

/// The chance of any false "faster" or "slower" in a family of comparisons.
pub const SIGNIFICANCE: f64 = 0.05;

/// Whether chance would make such a difference seldom enough; rounding decides nothing.
#[must_use]
pub fn is_significant(p_value: f64) -> bool {
    p_value <= SIGNIFICANCE + 1e-12
}

/// Whether the smallest p value that a test can give decides anything among so many comparisons.
#[must_use]
pub fn can_decide(smallest_p: f64, comparisons: usize) -> bool {
    is_significant(smallest_p * comparisons.max(1) as f64)
}

/// By how many times the 95% interval of a comparison has to be wider for those of so many to hold their truths together (Bonferroni, on
/// normal estimates).
#[must_use]
pub fn simultaneous(comparisons: usize) -> f64 {
    let normal = Normal::standard();
    let end = |comparisons: f64| normal.inverse_cdf(1.0 - SIGNIFICANCE / 2.0 / comparisons);
    end(comparisons.max(1) as f64) / end(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_several_comparisons_are_wider() {
        let near = |comparisons, factor: f64| (simultaneous(comparisons) - factor).abs() < 1e-3;
        assert!(near(0, 1.0) && near(1, 1.0));
        // Normal quantiles: 2.2414 and 2.8070 beside 1.9600.
        assert!(near(2, 1.1436) && near(10, 1.4322));
    }
}
