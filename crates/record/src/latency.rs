//! Latencies: an HdrHistogram of nanoseconds, 3 significant digits, stored as HdrHistogram V2.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2Serializer};
use serde::{Deserialize, Serialize};

/// Significant decimal digits kept of every latency.
pub const SIGNIFICANT_DIGITS: u8 = 3;

/// No trial has so many latencies. Of more, HdrHistogram cannot tell percentiles: it counts in floating-point numbers, which are exact
/// up to here.
const MOST_LATENCIES: u64 = 1 << 53;

/// How -2^63 counters without latencies are encoded: HdrHistogram negates the number, which overflows.
const NO_COUNT: [u8; 9] = [0xff; 9];

/// A set of latencies in nanoseconds. Merging is exact; percentiles of several sets come from merged sets only.
///
/// In JSON it is the HdrHistogram V2 encoding (uncompressed) in base64, which the HdrHistogram tools read.
#[derive(Clone, PartialEq)]
pub struct Latency(pub Histogram<u64>);

/// A line, not thousands of buckets.
impl std::fmt::Debug for Latency {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Latency")
            .field("count", &self.count())
            .field("median_ns", &self.percentile_ns(50.0))
            .field("max_ns", &self.percentile_ns(100.0))
            .finish()
    }
}

impl Latency {
    /// No latencies yet; the range grows as needed.
    #[must_use]
    pub fn new() -> Self {
        Self(Histogram::new(SIGNIFICANT_DIGITS).expect("3 digits are within HdrHistogram's 0..=5"))
    }

    /// Number of latencies.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Records one latency.
    pub fn record(&mut self, latency_ns: u64) {
        self.record_many(latency_ns, 1);
    }

    /// Records the same latency `count` times.
    pub fn record_many(&mut self, latency_ns: u64, count: u64) {
        // `record_n` grows the range (`saturating_record_n` never does: it would clamp); only values beyond 2^62 are left.
        if self.0.record_n(latency_ns, count).is_err() {
            self.0.saturating_record_n(latency_ns, count);
        }
    }

    /// Adds all latencies of another set.
    pub fn merge(&mut self, other: &Self) {
        self.0
            .add(&other.0)
            .expect("an auto-resizing histogram takes every value");
    }

    /// The latency in nanoseconds that `percentile` percent (0 to 100) of operations do not exceed; `None` without
    /// latencies.
    #[must_use]
    pub fn percentile_ns(&self, percentile: f64) -> Option<u64> {
        (!self.0.is_empty()).then(|| self.0.value_at_percentile(percentile))
    }

    /// Mean latency in nanoseconds; `None` without latencies.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.mean())
    }

    /// Their sum in nanoseconds, each as [`mean_ns`](Self::mean_ns) takes it. It is whole: the parts of a set add up to its sum.
    #[must_use]
    pub fn sum_ns(&self) -> f64 {
        self.0.iter_recorded().fold(0.0, |sum, step| {
            let latency_ns = self.0.median_equivalent(step.value_iterated_to());
            sum + latency_ns as f64 * step.count_at_value() as f64
        })
    }

    /// The latencies that occurred, in nanoseconds and ascending, each with its number.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        let recorded = self.0.iter_recorded();
        recorded.map(|step| (step.value_iterated_to(), step.count_at_value()))
    }

    /// Reads the V2 encoding (uncompressed) of a file that anybody may have edited.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, String> {
        check_header(bytes)?;
        let mut rest = bytes;
        let mut histogram: Histogram<u64> = Deserializer::new()
            .deserialize(&mut rest)
            .map_err(|error| error.to_string())?;
        if histogram.len() > MOST_LATENCIES {
            return Err("a histogram of more latencies than any trial has".to_owned());
        }
        histogram.auto(true);
        Ok(Self(histogram))
    }
}

impl Default for Latency {
    fn default() -> Self {
        Self::new()
    }
}

impl Serialize for Latency {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&self.0, &mut bytes)
            .map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Latency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(serde::de::Error::custom)?;
        Self::decode(&bytes).map_err(serde::de::Error::custom)
    }
}

/// Refuses a garbled V2 header before it can ask for gigabytes: cookie, payload length, offset and digits, each a big-endian
/// u32, then 24 bytes of range and ratio, then the payload.
fn check_header(bytes: &[u8]) -> Result<(), &'static str> {
    let payload = bytes
        .len()
        .checked_sub(40)
        .ok_or("a histogram shorter than its header")?;
    let field = |from: usize| {
        bytes
            .get(from..from + 4)
            .map(|field| field.iter().fold(0, |all, &byte| all << 8 | u64::from(byte)))
    };
    if field(4) != Some(payload as u64) {
        return Err("a histogram of another length than its header says");
    }
    if field(12) != Some(u64::from(SIGNIFICANT_DIGITS)) {
        return Err("a histogram without 3 significant digits");
    }
    if bytes.windows(NO_COUNT.len()).any(|part| part == NO_COUNT) {
        return Err("a histogram of fewer than no latencies");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_every_bucket() {
        let mut latency = Latency::new();
        for value in [0, 1, 999, 12_345, 3_600_000_000_000] {
            latency.record(value);
        }
        let text = serde_json::to_string(&latency).unwrap();
        let mut again: Latency = serde_json::from_str(&text).unwrap();
        assert_eq!(again, latency);
        again.record(10_000_000_000_000);
        assert_eq!(again.count(), 6);
    }

    #[test]
    fn counts_are_those_of_the_values_that_occurred() {
        let mut latency = Latency::new();
        latency.record_many(1_000, 3);
        latency.record(20);
        assert_eq!(latency.counts().collect::<Vec<_>>(), [(20, 1), (1_000, 3)]);
        assert_eq!(Latency::new().counts().count(), 0);
    }
}
