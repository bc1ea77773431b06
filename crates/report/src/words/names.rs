//! The names of metrics and places, the same in every output.

use dbdyno_analysis::rising_load::CapacityWord;
use dbdyno_analysis::{Metric, Rank};

/// What has a name in tables and sentences.
pub trait Named: Sized {
    /// The name.
    fn name(self) -> &'static str;

    /// The same without spaces, for names of files.
    fn slug(self) -> String {
        self.name().replace(' ', "-")
    }
}

impl Named for Metric {
    fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::LatencyP99 => "p99 latency",
            Self::LatencyP50 => "median latency",
            Self::LoadThroughput => "load throughput",
        }
    }
}

impl Named for Rank {
    fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Tied => "equivalent to the best",
            Self::Close => "close to the best",
            Self::Open => "undecided",
            Self::Behind => "behind the best",
            Self::NotComparable => "not comparable",
        }
    }
}

impl Named for CapacityWord {
    fn name(self) -> &'static str {
        match self {
            Self::Capacity => "capacity",
            Self::Unbounded => "unbounded",
            Self::None => "none",
            Self::NotMeasurableHere => "not measurable here",
            Self::Undecided => "undecided",
            Self::Open => "open",
        }
    }
}
