//! What a column of a paper's numbers holds.

use dbdyno_vocabulary::OperationKind;
use serde::{Serialize, Serializer};

use crate::number;

/// A quantity that papers print and our trials have, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PrintedQuantity {
    /// Length of the measured phase, in seconds.
    Seconds,
    /// The same in milliseconds.
    Milliseconds,
    /// Operations per second.
    Throughput,
    /// Mean latency of a kind of operation, in microseconds.
    MeanLatency(OperationKind),
}

impl PrintedQuantity {
    /// The quantity of a column; `None` where no trial of ours has it.
    pub fn of_column(column: &str) -> Option<Self> {
        let latencies = OperationKind::ALL.into_iter().map(Self::MeanLatency);
        let mut all = [Self::Seconds, Self::Milliseconds, Self::Throughput]
            .into_iter()
            .chain(latencies);
        all.find(|quantity| quantity.column() == column)
    }

    /// The name of its column.
    #[must_use]
    pub fn column(self) -> String {
        match self {
            Self::Seconds => "run_time_s".to_owned(),
            Self::Milliseconds => "run_time_ms".to_owned(),
            Self::Throughput => "throughput_ops_s".to_owned(),
            Self::MeanLatency(kind) => format!("{}_avg_us", kind.name().replace('-', "_")),
        }
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Seconds | Self::Milliseconds => "run time".to_owned(),
            Self::Throughput => "throughput".to_owned(),
            Self::MeanLatency(kind) => format!("mean {} latency", kind.name()),
        }
    }

    /// Which words its ratios take.
    #[must_use]
    pub const fn reading(self) -> number::Quantity {
        match self {
            Self::Throughput => number::Quantity::Speed,
            Self::Seconds | Self::Milliseconds | Self::MeanLatency(_) => number::Quantity::Level,
        }
    }

    /// A value of it with its unit.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Seconds => number::duration_ns(value * 1e9),
            Self::Milliseconds => number::duration_ns(value * 1e6),
            Self::Throughput => number::rate(value),
            Self::MeanLatency(_) => number::duration_ns(value * 1e3),
        }
    }
}

/// By the name of its column.
impl Serialize for PrintedQuantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.column())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_one_quantity() {
        let read = PrintedQuantity::MeanLatency(OperationKind::ReadModifyWrite);
        assert_eq!(PrintedQuantity::of_column("read_modify_write_avg_us"), Some(read));
        assert_eq!(read.words(), "mean read-modify-write latency");
        assert_eq!(PrintedQuantity::Milliseconds.format(1500.0), "1.50 s");
        assert_eq!(PrintedQuantity::of_column("nodes"), None);
    }
}
