//! Many trials in one number, with its doubt.

use dbdyno_vocabulary::number;
use dbdyno_vocabulary::words::plural;
use serde::Serialize;

use crate::{Sample, median_interval::median_interval};

/// The confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// The fewest trials from which a 95% interval of a median can exist without further assumptions: the range of n trials
/// holds the median with a chance of 1 - 2 / 2^n, which is 93.75% for five and 96.9% for six.
pub const FEWEST_TRIALS: usize = 6;

/// A range, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How often such an interval holds the true value, 0 to 1.
    pub confidence: f64,
}

impl Interval {
    /// Whether 1 lies outside: of a ratio, that both are equal.
    #[must_use]
    pub fn excludes_one(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// How far the farther end of a ratio's interval lies from 1, as a ratio above one.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.high.max(1.0 / self.low)
    }

    /// The lower and the upper end.
    #[must_use]
    pub const fn ends(self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// The median over trials, with its interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The median.
    pub median: f64,
    /// The interval of the median; `None` when there are too few trials to give one.
    pub interval: Option<Interval>,
    /// Number of independent values: starts of servers where the lab starts them, else trials.
    pub n: usize,
    /// Number of trials, where n counts starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials_on_starts: Option<usize>,
    /// Why there is no interval, for people; `None` when there is one.
    pub why_no_interval: Option<String>,
}

impl Estimate {
    /// Number of trials.
    #[must_use]
    pub fn trials(&self) -> usize {
        self.trials_on_starts.unwrap_or(self.n)
    }

    /// Whether several trials share a start.
    #[must_use]
    pub fn shares_starts(&self) -> bool {
        self.trials() > self.n
    }
}

/// The median with its 95% interval (see [`median_interval`]), from six trials on.
#[must_use]
pub fn estimate(sample: &Sample) -> Estimate {
    let n = sample.len();
    let interval = (n >= FEWEST_TRIALS)
        .then(|| median_interval(sample.sorted(), CONFIDENCE))
        .flatten()
        .map(|(low, high)| Interval {
            low,
            high,
            confidence: CONFIDENCE,
        });
    let why_no_interval = interval.is_none().then(|| {
        format!(
            "{}: a {} interval of a median needs at least {FEWEST_TRIALS}",
            plural(n, "trial", "trials"),
            number::share(CONFIDENCE)
        )
    });
    Estimate {
        median: sample.median(),
        interval,
        n,
        trials_on_starts: None,
        why_no_interval,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_trials_give_a_number_and_a_reason() {
        let estimate = estimate(&Sample::new(vec![5.0, 1.0, 2.0, 4.0, 3.0]).unwrap());
        assert_eq!((estimate.median, estimate.interval, estimate.n), (3.0, None, 5));
        assert_eq!(
            estimate.why_no_interval.as_deref(),
            Some("5 trials: a 95% interval of a median needs at least 6")
        );
    }

    #[test]
    fn ten_trials_give_an_interval_inside_their_range() {
        let values = (1..=10).map(f64::from).collect();
        let estimate = estimate(&Sample::new(values).unwrap());
        let interval = estimate.interval.unwrap();
        assert_eq!(estimate.median, 5.5);
        assert!(interval.low > 1.0 && interval.low < 5.5, "{interval:?}");
        assert!(interval.high < 10.0 && interval.high > 5.5, "{interval:?}");
        assert_eq!(estimate.why_no_interval, None);
    }
}
