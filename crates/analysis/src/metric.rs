//! The quantities that systems are compared by.

use dbdyno_stats::Better;
use serde::Serialize;

use crate::number;

/// A quantity that verdicts are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Successful operations per second of the measured phase.
    Throughput,
    /// 99th percentile of the latency of all operations.
    LatencyP99,
    /// Median latency of all operations.
    LatencyP50,
    /// Successful inserts per second of the load phase.
    LoadThroughput,
}

/// The metrics that are compared pair by pair.
pub const COMPARED: [Metric; 4] = [
    Metric::Throughput,
    Metric::LatencyP99,
    Metric::LatencyP50,
    Metric::LoadThroughput,
];

/// The metrics with a verdict sentence, in the order of sentences.
pub const JUDGED: [Metric; 2] = [Metric::Throughput, Metric::LatencyP99];

impl Metric {
    /// Name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::LatencyP99 => "p99 latency",
            Self::LatencyP50 => "median latency",
            Self::LoadThroughput => "load throughput",
        }
    }

    /// Name in file names.
    #[must_use]
    pub fn slug(self) -> String {
        self.name().replace(' ', "-")
    }

    /// Name of a column of values, with their unit.
    #[must_use]
    pub const fn column(self) -> &'static str {
        match self {
            Self::Throughput => "throughput_ops_s",
            Self::LatencyP99 => "latency_p99_ns",
            Self::LatencyP50 => "latency_p50_ns",
            Self::LoadThroughput => "load_throughput_records_s",
        }
    }

    /// Which direction is good.
    #[must_use]
    pub const fn better(self) -> Better {
        match self {
            Self::Throughput | Self::LoadThroughput => Better::Higher,
            Self::LatencyP99 | Self::LatencyP50 => Better::Lower,
        }
    }

    /// Which words its ratios take.
    #[must_use]
    pub const fn quantity(self) -> number::Quantity {
        match self {
            Self::Throughput | Self::LoadThroughput => number::Quantity::Speed,
            Self::LatencyP99 | Self::LatencyP50 => number::Quantity::Level,
        }
    }

    /// A value with its unit.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Throughput | Self::LoadThroughput => number::rate(value),
            Self::LatencyP99 | Self::LatencyP50 => number::duration_ns(value),
        }
    }
}
