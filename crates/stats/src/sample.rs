//! A checked set of numbers, one per trial.

use thiserror::Error;

/// Why numbers are not a sample.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SampleError {
    /// There is no number at all.
    #[error("a sample needs at least one value")]
    Empty,
    /// One of them is not a number, or infinite.
    #[error("value {index} (counting from 0) of a sample is {value}, which is not a finite number")]
    NotFinite {
        /// Its place, from 0.
        index: usize,
        /// The refused value.
        value: f64,
    },
}

/// At least one number, all finite, in the order they were given (one per trial; for paired comparisons, one per block).
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    values: Vec<f64>,
    sorted: Vec<f64>,
}

impl Sample {
    /// Checks the values and keeps their order.
    ///
    /// # Errors
    /// When there are none, or one is not finite.
    pub fn new(values: Vec<f64>) -> Result<Self, SampleError> {
        if values.is_empty() {
            return Err(SampleError::Empty);
        }
        if let Some((index, &value)) = values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
            return Err(SampleError::NotFinite { index, value });
        }
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        Ok(Self { values, sorted })
    }

    /// The values, in the order given.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values, ascending.
    #[must_use]
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// How many values, at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a sample is never empty")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The smallest value.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// The largest value.
    #[must_use]
    pub fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// The arithmetic mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        // Divided first, so that huge values do not overflow the sum.
        let n = self.len() as f64;
        self.sorted.iter().map(|value| value / n).sum()
    }

    /// The middle value; with an even number of values the mean of the two in the middle.
    #[must_use]
    pub fn median(&self) -> f64 {
        median_of_sorted(&self.sorted)
    }

    /// The value below which a share `q` (0 to 1, others are clamped) of the sample lies: linear interpolation between
    /// the order statistics around `q (n - 1)`. Definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
    /// Packages", The American Statistician 50 (1996); the default of R, NumPy and SciPy.
    #[must_use]
    pub fn quantile(&self, q: f64) -> f64 {
        let position = q.clamp(0.0, 1.0) * (self.len() - 1) as f64;
        let below = position.floor() as usize;
        let above = (below + 1).min(self.len() - 1);
        let share = position - below as f64;
        self.sorted[below] * (1.0 - share) + self.sorted[above] * share
    }

    /// Median absolute deviation from the median, not scaled.
    #[must_use]
    pub fn mad(&self) -> f64 {
        let median = self.median();
        let mut deviations: Vec<f64> = self.sorted.iter().map(|value| (value - median).abs()).collect();
        deviations.sort_unstable_by(f64::total_cmp);
        median_of_sorted(&deviations)
    }

    /// Sample standard deviation (divisor n - 1); `None` for a single value.
    #[must_use]
    pub fn standard_deviation(&self) -> Option<f64> {
        if self.len() < 2 {
            return None;
        }
        let mean = self.mean();
        let squares: f64 = self.sorted.iter().map(|value| (value - mean).powi(2)).sum();
        Some((squares / (self.len() - 1) as f64).sqrt())
    }

    /// Coefficient of variation: standard deviation over the size of the mean; `None` for a single value or a mean of 0.
    #[must_use]
    pub fn cv(&self) -> Option<f64> {
        let mean = self.mean();
        if mean == 0.0 {
            return None;
        }
        Some(self.standard_deviation()? / mean.abs())
    }

    /// The natural logarithms, in the same order; `None` when a value is not positive.
    pub(crate) fn logarithms(&self) -> Option<Vec<f64>> {
        (self.min() > 0.0).then(|| self.values.iter().map(|value| value.ln()).collect())
    }
}

/// The median of ascending values; there must be at least one.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    let upper = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[upper]
    } else {
        f64::midpoint(sorted[upper - 1], sorted[upper])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_a_sample() {
        assert_eq!(Sample::new(vec![]), Err(SampleError::Empty));
        let error = Sample::new(vec![1.0, f64::NAN]).unwrap_err();
        assert!(error.to_string().contains("value 1"), "{error}");
        assert!(Sample::new(vec![f64::INFINITY]).is_err());
    }

    #[test]
    fn keeps_the_order_given() {
        let sample = Sample::new(vec![3.0, 1.0, 2.0]).unwrap();
        assert_eq!(sample.values(), [3.0, 1.0, 2.0]);
        assert_eq!(sample.sorted(), [1.0, 2.0, 3.0]);
        assert_eq!((sample.min(), sample.median(), sample.max()), (1.0, 2.0, 3.0));
    }

    #[test]
    fn a_single_value_has_no_spread() {
        let sample = Sample::new(vec![5.0]).unwrap();
        assert_eq!(sample.median(), 5.0);
        assert_eq!(sample.quantile(0.99), 5.0);
        assert_eq!(sample.mad(), 0.0);
        assert_eq!(sample.cv(), None);
    }
}
