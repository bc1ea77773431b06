//! How the work of a trial was asked for, as its record keeps it.

use std::time::Duration;

use dbdyno_trial::{Arrivals, TrialSpec};
use serde::{Deserialize, Serialize};

use crate::Fact;

/// How the work was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Logical streams, one operation in flight on each.
    pub clients: u32,
    /// Operating-system threads that carried them.
    pub threads: u32,
    /// Operations per second asked for; `None`: closed loop.
    pub rate: Option<f64>,
    /// How operations were spaced; `None`: closed loop.
    pub arrivals: Option<Fact<Arrivals>>,
    /// Warm-up before the measured phase, nanoseconds.
    pub warmup_ns: u64,
    /// The measured phase's limit in operations, when it has one.
    pub operations: Option<u64>,
    /// The measured phase's limit in time, nanoseconds, when it has one.
    pub duration_ns: Option<u64>,
}

impl Settings {
    /// The settings of a trial that is asked to do this; how many threads carry its clients is not known before it runs.
    #[must_use]
    pub fn of(spec: &TrialSpec) -> Self {
        let nanoseconds = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Self {
            clients: spec.clients,
            threads: 0,
            rate: spec.pace.map(|pace| pace.rate),
            arrivals: spec.pace.map(|pace| Fact::Known(pace.arrivals)),
            warmup_ns: nanoseconds(spec.warmup.longest),
            operations: spec.limit.operations,
            duration_ns: spec.limit.duration.map(nanoseconds),
        }
    }
}
