//! Studies whose trials climb a ladder of load: the capacity of systems under an objective, and the course of latency
//! with throughput.
//!
//! Which trial comes next follows from the records that are there ([`tasks`]), so a stopped study goes on where it was.
//! The searches of several systems and workloads take turns.

pub(crate) mod conductor;
pub mod tasks;

use dbdyno_record::Objective;

/// What a study asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Every cell `trials` times, in randomised complete blocks.
    Comparison,
    /// The highest rate that keeps an objective.
    Capacity(Capacity),
    /// Latency at rising load.
    Sweep(Sweep),
}

/// The search for a capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    /// What must hold.
    pub objective: Objective,
    /// Distance of two rates, as a share.
    pub step: f64,
    /// Clients; `None`: the pilot finds how many are of use.
    pub clients: Option<u32>,
}

/// A ladder of load.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Its steps.
    pub steps: Steps,
    /// Clients of all steps at rates; `None`: the pilot finds how many are of use.
    pub clients: Option<u32>,
    /// An objective to hold the steps against.
    pub objective: Option<Objective>,
}

/// The steps of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub enum Steps {
    /// Tenths of what a closed loop reaches.
    Automatic,
    /// Open loops at these rates.
    Rates(Vec<f64>),
    /// Closed loops with these clients.
    Clients(Vec<u32>),
}

/// About how many trials a study of these kinds consists of, and how long they take.
#[must_use]
pub fn about(study: &crate::Study) -> (usize, std::time::Duration) {
    conductor::about(study)
}
