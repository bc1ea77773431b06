//! Percentiles and percentile curves, from merged histograms only, and only as far as the samples reach.

use dbdyno_record::{Attempted, KnownLatency, Quantile};
use serde::Serialize;

/// One percentile of a set of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// 0 to 100.
    pub percentile: f64,
    /// Nanoseconds; `None` when there are too few samples to speak of this percentile.
    pub latency_ns: Option<u64>,
    /// Whether it falls on operations without an answer, so that the latency is only a lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

impl CurvePoint {
    fn new(percentile: f64, quantile: Option<Quantile>) -> Self {
        Self {
            percentile,
            latency_ns: quantile.map(Quantile::ns),
            at_least: quantile.is_some_and(Quantile::is_bound),
        }
    }
}

/// The percentiles in tables.
pub const TABLE_PERCENTILES: [f64; 5] = [50.0, 95.0, 99.0, 99.9, 99.99];

/// The percentiles of the merged curves: evenly spread on the scale that shows the tail.
pub const CURVE_PERCENTILES: [f64; 25] = [
    0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 68.0, 75.0, 80.0, 85.0, 90.0, 92.5, 95.0, 96.8, 98.0, 99.0,
    99.3, 99.5, 99.7, 99.8, 99.9, 99.95, 99.98, 99.99,
];

/// Samples that must lie beyond a percentile before it is shown: 10, so that p99.9 needs 10 000 samples.
const SAMPLES_BEYOND: f64 = 10.0;

/// Whether `count` samples say anything about `percentile`.
fn reaches(count: u64, percentile: f64) -> bool {
    // Half a sample of tolerance: 1000 samples do reach p99 although 1 - 0.99 is not exact.
    percentile <= 50.0 || count as f64 * (1.0 - percentile / 100.0) >= SAMPLES_BEYOND - 0.5
}

/// The percentiles over all operations, with an answer or without; `None` where the samples do not reach.
pub fn of_all(attempted: &Attempted<'_>, wanted: &[f64]) -> Vec<CurvePoint> {
    let point = |&percentile: &f64| {
        let reached = reaches(attempted.count(), percentile);
        CurvePoint::new(percentile, attempted.percentile(percentile).filter(|_| reached))
    };
    wanted.iter().map(point).collect()
}

/// The percentiles asked for, which ascend; `None` where the samples do not reach.
pub fn percentiles(latency: &KnownLatency<'_>, wanted: &[f64]) -> Vec<CurvePoint> {
    let count = latency.count();
    let values = latency.percentiles_ns(wanted);
    wanted
        .iter()
        .zip(values)
        .map(|(&percentile, value)| {
            let reached = value.filter(|_| reaches(count, percentile));
            CurvePoint::new(percentile, reached.map(Quantile::Exact))
        })
        .collect()
}

/// The curve as far as the samples reach; every `step`-th point. A few stated figures make no curve.
pub fn curve(latency: &KnownLatency<'_>, step: usize) -> Vec<CurvePoint> {
    if latency.histogram().is_none() {
        return Vec::new();
    }
    let wanted: Vec<f64> = CURVE_PERCENTILES.iter().copied().step_by(step).collect();
    percentiles(latency, &wanted)
        .into_iter()
        .filter(|point| point.latency_ns.is_some())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_record::{Latency, StatedLatency};

    #[test]
    fn stated_figures_are_shown_and_make_no_curve() {
        let stated = KnownLatency::from(StatedLatency {
            count: 100_000,
            percentiles_ns: [("99".to_owned(), 900_000)].into(),
            ..StatedLatency::default()
        });
        let found = percentiles(&stated, &TABLE_PERCENTILES).into_iter();
        let found: Vec<Option<u64>> = found.map(|point| point.latency_ns).collect();
        assert_eq!(found, [None, None, Some(900_000), None, None]);
        assert!(curve(&stated, 1).is_empty());
    }

    #[test]
    fn a_percentile_needs_ten_samples_beyond_it() {
        let mut latency = Latency::new();
        for value in 0..1_000 {
            latency.record(value * 1_000);
        }
        let latency = KnownLatency::from(&latency);
        let found = percentiles(&latency, &[50.0, 99.0, 99.9]);
        assert_eq!(found[0].latency_ns, latency.percentile_ns(50.0));
        assert_eq!(found[1].latency_ns, latency.percentile_ns(99.0));
        assert_eq!(found[2].latency_ns, None);
        assert!(
            curve(&latency, 1)
                .last()
                .is_some_and(|point| point.percentile == 99.0)
        );
        assert!(curve(&KnownLatency::default(), 1).is_empty());
    }

    #[test]
    fn one_pass_finds_what_single_questions_find() {
        let mut latency = Latency::new();
        let mut value = 1_u64;
        for step in 0..30_000_u64 {
            value = (value * 48_271 + step) % 2_147_483_647;
            latency.record(value % 50_000_000);
        }
        for point in percentiles(&(&latency).into(), &CURVE_PERCENTILES) {
            let alone = latency.percentile_ns(point.percentile);
            assert!(
                point.latency_ns.is_none() || point.latency_ns == alone,
                "{point:?} {alone:?}"
            );
        }
    }
}
