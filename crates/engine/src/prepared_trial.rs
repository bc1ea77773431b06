//! One trial as the engine carries it out.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_trial::TrialSpec;
use dbdyno_workload::Workload;

use crate::ensemble::Part;
use crate::turns::Turns;

/// What one trial is asked to do (reset, load, warm-up, measure, drain), with what was made for it.
#[derive(Clone)]
pub struct PreparedTrial {
    /// What is asked. Its clients are 1 to [`MOST_CLIENTS`](dbdyno_workload::MOST_CLIENTS), and its limit has an end unless
    /// it only loads.
    pub spec: TrialSpec,
    /// The work, prepared.
    pub workload: Arc<Workload>,
    /// How often the observer hears of progress, 1 s as a rule; at least 10 ms.
    pub interval: Duration,
    /// How often the observer hears of progress in the warm-up, where that differs.
    pub warmup_interval: Option<Duration>,
    /// How long operations in flight (and, with a pace, those that are due) may take after the end of a phase.
    pub drain: Duration,
    /// The turns in which it is measured, beside other trials; `None`: in one stretch.
    pub turns: Option<Turns>,
    /// Its part, where several load generators carry out the trial together.
    pub part: Option<Part>,
}
