//! What a printed number is of.

use std::fmt;

/// What a number of a line is of. Times of runs are in seconds, latencies in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Operations of a run.
    Operations,
    /// Length of a run.
    RunTime,
    /// Operations a second.
    Throughput,
    /// Operations a second that were asked for.
    Rate,
    /// Records of the table.
    Records,
    /// Clients of the run.
    Clients,
    /// This of the operations of one kind, or of all where the kind is empty.
    OfKind(String, OfKind),
}

/// What a number of one kind of operations is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OfKind {
    /// How many there are.
    Count,
    /// How many of them succeeded.
    Succeeded,
    /// Their mean latency.
    Mean,
    /// Their smallest latency.
    Min,
    /// Their largest latency.
    Max,
    /// This percentile of their latency.
    Percentile(f64),
}

impl OfKind {
    /// This, of this kind.
    pub(crate) fn of(self, kind: &str) -> Quantity {
        Quantity::OfKind(kind.to_owned(), self)
    }
}

impl fmt::Display for Quantity {
    /// As a column of it is called.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, of_kind) = match self {
            Self::Operations => return formatter.write_str("ops"),
            Self::RunTime => return formatter.write_str("run_time_s"),
            Self::Throughput => return formatter.write_str("throughput_ops_s"),
            Self::Rate => return formatter.write_str("target_ops_s"),
            Self::Records => return formatter.write_str("records"),
            Self::Clients => return formatter.write_str("clients"),
            Self::OfKind(kind, of_kind) => (kind, of_kind),
        };
        if !kind.is_empty() {
            write!(formatter, "{kind}_")?;
        }
        match of_kind {
            OfKind::Count => formatter.write_str("ops"),
            OfKind::Succeeded => formatter.write_str("ok"),
            OfKind::Mean => formatter.write_str("avg_us"),
            OfKind::Min => formatter.write_str("min_us"),
            OfKind::Max => formatter.write_str("max_us"),
            OfKind::Percentile(percent) => write!(formatter, "p{percent}_us"),
        }
    }
}

/// Which number of a place is meant.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// That of this quantity in a line.
    Measured(Quantity),
    /// That of a run, from 1.
    Run(usize),
    /// One of a change.
    Change(OfChange),
    /// That in the column of this name, which says how others compare.
    Column(String),
}

/// A number of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfChange {
    /// The run time on one side of it, seconds.
    RunTime(Side),
    /// The throughput on one side of it.
    Throughput(Side),
    /// The printed change of the run time, percent.
    TimePercent,
    /// The printed change of the throughput, percent.
    ThroughputPercent,
}

/// A side of a change; its number is its index in a [`Change`](crate::Change).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Without the change.
    Before,
    /// With the change.
    After,
}

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Before => "before",
            Self::After => "after",
        })
    }
}

impl From<Quantity> for Number {
    fn from(quantity: Quantity) -> Self {
        Self::Measured(quantity)
    }
}

impl From<OfChange> for Number {
    fn from(of_change: OfChange) -> Self {
        Self::Change(of_change)
    }
}
