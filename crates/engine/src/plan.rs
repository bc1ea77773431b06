//! What one trial is asked to do.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_workload::Workload;
use dbdyno_workload::arrivals::Arrivals;

/// One trial: reset, load, warm-up, measure, drain.
#[derive(Clone)]
pub struct Plan {
    /// The work.
    pub workload: Arc<Workload>,
    /// Logical streams, one operation in flight on each; 1 to [`MOST_CLIENTS`](dbdyno_workload::MOST_CLIENTS).
    pub clients: u32,
    /// Operating-system threads for drivers whose clients share threads ([`Execution::Async`]); `None`: one per
    /// processor, at most one per client. Blocking drivers always have one per client.
    ///
    /// [`Execution::Async`]: dbdyno_driver::Execution::Async
    pub threads: Option<u32>,
    /// The rate asked for (open loop); `None`: as fast as it goes (closed loop).
    pub pace: Option<Pace>,
    /// Time before the measured phase in which the same sequence of operations already runs, unmeasured.
    pub warmup: Duration,
    /// When the measured phase ends.
    pub limit: Limit,
    /// How often the observer hears of progress, 1 s as a rule; at least 10 ms.
    pub interval: Duration,
    /// The same of the warm-up, where it differs.
    pub warmup_interval: Option<Duration>,
    /// What becomes of data that is already there.
    pub reset: Reset,
    /// Which phases run.
    pub phases: Phases,
    /// How long operations in flight (and, with a pace, those that are due) may take after the end of a phase.
    pub drain: Duration,
}

/// A rate and how the operations are spread over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Operations per second, all clients together.
    pub rate: f64,
    /// Their spacing.
    pub arrivals: Arrivals,
}

/// When the measured phase ends: at the first of these; at least one is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limit {
    /// After that many measured operations.
    pub operations: Option<u64>,
    /// After that time; what was sent before still counts.
    pub duration: Option<Duration>,
}

/// What becomes of data that is already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Drop the table, create it, load it.
    Fresh,
    /// Load only when the table does not hold what is needed; refuse data of another shape.
    Reuse,
}

/// Which phases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phases {
    /// Load and stop.
    LoadOnly,
    /// Run on what is there; nothing is ever loaded (which only [`Reset::Reuse`] allows: others may drop the table).
    RunOnly,
    /// Load when needed, then run.
    LoadAndRun,
}
