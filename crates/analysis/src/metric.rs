//! The quantities that systems are compared by.

use dbdyno_stats::Better;
use serde::Serialize;

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
}
