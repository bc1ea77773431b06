//! Latencies of which only a lower bound is known, as operations without an answer rank behind every answer.

use dbdyno_record::Quantile;

use super::{CellSystem, Metric, RisingLoadStep, Summary};

/// Whether a longer wait in one of the trials could raise the median of these.
pub fn is_median_a_bound(mut values: Vec<Quantile>) -> bool {
    values.sort_by_key(|value| (value.ns(), value.is_bound()));
    let upper_middle = values.len() / 2;
    values.into_iter().take(upper_middle + 1).any(Quantile::is_bound)
}

/// Which medians over trials, of their median and of their 99th percentile, are lower bounds.
pub fn of_trials(quantiles: &[(Option<Quantile>, Option<Quantile>)]) -> Vec<Metric> {
    let (p50, p99): (Vec<_>, Vec<_>) = quantiles.iter().copied().unzip();
    [(Metric::LatencyP50, p50), (Metric::LatencyP99, p99)]
        .into_iter()
        .filter(|(_, values)| is_median_a_bound(values.iter().flatten().copied().collect()))
        .map(|(metric, _)| metric)
        .collect()
}

impl CellSystem {
    /// Whether the median over trials is only a lower bound.
    #[must_use]
    pub fn is_bound(&self, metric: Metric) -> bool {
        let all = self.operations.first();
        all.is_some_and(|all| all.at_least.contains(&metric))
    }
}

impl<O> RisingLoadStep<O> {
    /// The median or the 99th percentile over trials; `None` for other metrics.
    #[must_use]
    pub fn latency(&self, metric: Metric) -> Option<&Summary> {
        match metric {
            Metric::LatencyP50 => self.p50.as_ref(),
            Metric::LatencyP99 => self.p99.as_ref(),
            Metric::Throughput | Metric::LoadThroughput => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_a_bound_where_a_longer_wait_would_raise_it() {
        let of = |values: &[Quantile]| {
            let quantiles: Vec<_> = values.iter().map(|value| (None, Some(*value))).collect();
            of_trials(&quantiles)
        };
        let (exact, bound) = (Quantile::Exact, Quantile::AtLeast);
        assert_eq!(of(&[exact(1), exact(2), bound(9)]), []);
        assert_eq!(of(&[exact(1), bound(8), bound(9)]), [Metric::LatencyP99]);
        assert_eq!(of(&[bound(1), exact(2), exact(3)]), [Metric::LatencyP99]);
        assert_eq!(of(&[exact(1), bound(9)]), [Metric::LatencyP99]);
        assert_eq!(of(&[exact(9), exact(9), bound(9)]), []);
    }
}
