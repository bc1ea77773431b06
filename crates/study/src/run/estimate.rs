//! The time that is left, learnt from the trials that are done.

use std::time::Duration;

/// Learns from finished trials how far off the estimate is.
#[derive(Default)]
pub(crate) struct Estimate {
    estimated: Duration,
    actual: Duration,
}

impl Estimate {
    pub fn learn(&mut self, estimated: Duration, actual: Duration) {
        self.estimated += estimated;
        self.actual += actual;
    }

    /// The estimate, as far off as those before were.
    pub fn correct(&self, estimate: Duration) -> Duration {
        if self.estimated.is_zero() {
            return estimate;
        }
        estimate.mul_f64(self.actual.as_secs_f64() / self.estimated.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_learns() {
        let mut estimate = Estimate::default();
        let second = Duration::from_secs(1);
        assert_eq!(estimate.correct(second * 10), second * 10);
        estimate.learn(second, second * 2);
        assert_eq!(estimate.correct(second * 10), second * 20);
    }
}
