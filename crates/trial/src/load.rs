//! How the work of a trial is asked for: at which rate, for how long, on which data.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Arrivals, nanoseconds};

/// A rate and how the operations are spread over time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// Operations per second, all clients together.
    pub rate: f64,
    /// Their spacing.
    pub arrivals: Arrivals,
}

/// What goes before the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarmUp {
    /// Its length; the longest, when it ends by itself.
    #[serde(rename = "longest_ns", with = "nanoseconds")]
    pub longest: Duration,
    /// Whether it ends when the throughput is steady.
    pub until_steady: bool,
}

impl WarmUp {
    /// One of this length.
    #[must_use]
    pub const fn fixed(length: Duration) -> Self {
        Self {
            longest: length,
            until_steady: false,
        }
    }
}

/// When the measured phase ends: at the first of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// After that many measured operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// After that time; what was sent before still counts.
    #[serde(
        rename = "duration_ns",
        with = "nanoseconds::optional",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub duration: Option<Duration>,
}

impl Limit {
    /// Whether a number of operations alone ends the phase: then its length is the time that the work took.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        self.operations.is_some() && self.duration.is_none()
    }
}

/// What becomes of data that is already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reset {
    /// Drop the table, create it, load it.
    Fresh,
    /// Load only when the table does not hold what is needed; refuse data of another shape.
    Reuse,
}

/// Which phases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phases {
    /// Load and stop.
    LoadOnly,
    /// Run on what is there; nothing is ever loaded (which only [`Reset::Reuse`] allows: others may drop the table).
    RunOnly,
    /// Load when needed, then run.
    LoadAndRun,
}
