//! The buckets in which `live.jsonl` and the metrics count latencies: those of Prometheus' native histograms at schema 3, which
//! are also those of OpenTelemetry's exponential histograms at scale 3. Eight buckets cover a factor of two, so a bucket is 9%
//! wide.

use std::collections::BTreeMap;

use crate::Latency;

/// Buckets for each factor of two, as a power of two.
pub const SCHEMA: i32 = 3;
const PER_DOUBLING: i32 = 1 << SCHEMA;

/// The bucket of a latency. Bucket `i` covers (2^((i-1)/8), 2^(i/8)] seconds; 0 ns counts as 1 ns.
#[must_use]
pub fn index(latency_ns: u64) -> i32 {
    let latency_s = latency_ns.max(1) as f64 / 1e9;
    // The logarithm is rounded: at an edge it may name a neighbour.
    let mut index = (latency_s.log2() * f64::from(PER_DOUBLING)).ceil() as i32;
    while latency_s > upper_s(index) {
        index += 1;
    }
    while latency_s <= upper_s(index - 1) {
        index -= 1;
    }
    index
}

/// The upper bound of a bucket, which belongs to it, in seconds.
#[must_use]
pub fn upper_s(index: i32) -> f64 {
    let part = f64::from(index.rem_euclid(PER_DOUBLING)) / f64::from(PER_DOUBLING);
    part.exp2() * 2f64.powi(index.div_euclid(PER_DOUBLING))
}

/// Latencies, counted by bucket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencyBuckets {
    counts: BTreeMap<i32, u64>,
    /// Whole nanoseconds, which add up to the same in any order: the sum that a counter shows never shrinks by a rounding.
    sum_ns: f64,
}

impl LatencyBuckets {
    /// Adds latencies. The histogram that holds them rounds each by up to 0.1%.
    pub fn add(&mut self, latency: &Latency) {
        for (latency_ns, count) in latency.counts() {
            let counted = self.counts.entry(index(latency_ns)).or_default();
            *counted = counted.saturating_add(count);
        }
        self.sum_ns += latency.sum_ns();
    }

    /// Adds what a line of `live.jsonl` says. Anybody may have edited that file: indices that no latency has are left out.
    pub fn add_counted(&mut self, buckets: &[(i32, u64)], sum_s: f64) {
        let possible = index(0)..=index(u64::MAX);
        for (bucket, count) in buckets {
            if possible.contains(bucket) {
                let counted = self.counts.entry(*bucket).or_default();
                *counted = counted.saturating_add(*count);
            }
        }
        if sum_s.is_finite() {
            self.sum_ns += (sum_s * 1e9).round();
        }
    }

    /// Adds the latencies of another set.
    pub fn merge(&mut self, other: &Self) {
        let counts: Vec<(i32, u64)> = other.iter().collect();
        self.add_counted(&counts, other.sum_s());
    }

    /// The buckets that are not empty, each index with its count, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (i32, u64)> {
        self.counts.iter().map(|(index, count)| (*index, *count))
    }

    /// Number of latencies.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts
            .values()
            .fold(0, |sum: u64, count| sum.saturating_add(*count))
    }

    /// Their sum, in seconds.
    #[must_use]
    pub fn sum_s(&self) -> f64 {
        self.sum_ns / 1e9
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Latencies of every magnitude: most of a uniform draw would be years.
    fn latency_ns() -> impl Strategy<Value = u64> {
        (0u32..64, any::<u64>()).prop_map(|(shift, bits)| (bits >> shift).max(1))
    }

    proptest! {
        #[test]
        fn every_latency_lies_within_the_bounds_of_its_bucket(latency_ns in latency_ns()) {
            let bucket = index(latency_ns);
            let latency_s = latency_ns as f64 / 1e9;
            prop_assert!(upper_s(bucket - 1) < latency_s, "{latency_ns} ns is below bucket {bucket}");
            prop_assert!(latency_s <= upper_s(bucket), "{latency_ns} ns is above bucket {bucket}");
        }

        #[test]
        fn buckets_hold_as_many_latencies_as_the_histogram_and_the_same_sum(
            latencies in prop::collection::vec((1u64..1 << 40, 1u64..1_000), 0..50)
        ) {
            let mut latency = Latency::new();
            for (latency_ns, count) in &latencies {
                latency.record_many(*latency_ns, *count);
            }
            let mut buckets = LatencyBuckets::default();
            buckets.add(&latency);
            prop_assert_eq!(buckets.count(), latency.count());
            let exact_s: f64 = latencies.iter().map(|(ns, count)| *ns as f64 * *count as f64 / 1e9).sum();
            prop_assert!((buckets.sum_s() - exact_s).abs() <= exact_s * 1e-3, "{} {exact_s}", buckets.sum_s());
            let mut twice = buckets.clone();
            twice.merge(&buckets);
            prop_assert_eq!(twice.count(), 2 * latency.count());
        }
    }

    #[test]
    fn the_parts_of_a_set_have_its_sum() {
        let mut all = Latency::new();
        let mut of_parts = LatencyBuckets::default();
        for second in 0..1_000_u64 {
            let mut part = Latency::new();
            for latency_ns in [1_003 + 7 * second, 81_113 + 1_013 * second, 3_000_017] {
                part.record(latency_ns);
                all.record(latency_ns);
            }
            let mut of_part = LatencyBuckets::default();
            of_part.add(&part);
            of_parts.merge(&of_part);
        }
        let mut of_all = LatencyBuckets::default();
        of_all.add(&all);
        assert_eq!(of_parts, of_all, "to the last digit");
    }

    #[test]
    fn an_edge_belongs_to_the_bucket_below_it() {
        assert_eq!(upper_s(0), 1.0);
        assert_eq!(upper_s(8), 2.0);
        assert_eq!(upper_s(-8), 0.5);
        assert_eq!(index(1_000_000_000), 0);
        assert_eq!(index(1_000_000_001), 1);
        assert_eq!(index(2_000_000_000), 8);
        assert_eq!(index(500_000_000), -8);
        assert_eq!(index(0), index(1));
    }

    #[test]
    fn indices_that_no_latency_has_are_left_out() {
        let mut buckets = LatencyBuckets::default();
        buckets.add_counted(&[(i32::MIN, 1), (-100, 2), (i32::MAX, 4)], f64::NAN);
        assert_eq!(buckets.iter().collect::<Vec<_>>(), [(-100, 2)]);
        assert_eq!(buckets.sum_s(), 0.0);
        buckets.add_counted(&[(-100, u64::MAX)], 0.5);
        assert_eq!(buckets.count(), u64::MAX);
    }
}
