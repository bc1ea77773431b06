//! Systems at rising load: what their steps, capacities and knees say.

mod answer;
mod build;

use dbdyno_analysis::rising_load::{compare, steps};
use dbdyno_trial::FactorLevels;
use serde::Serialize;

use super::{CapacityAnswer, Flag, Knee, Tone};

pub use build::{rising_load, summary};

/// All trials at one load, with what the objective speaks of in words.
pub type RisingLoadStep = dbdyno_analysis::RisingLoadStep<String>;

/// Two systems compared by capacity or knee, with the reason in words.
pub type RisingLoadComparison = dbdyno_analysis::RisingLoadComparison<String>;

/// What is asked of systems at rising load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RisingLoadKind {
    /// The highest rate that keeps an objective.
    Capacity,
    /// Latency at every step.
    Sweep,
}

/// A study of kind `capacity` or `sweep`.
#[derive(Clone, Debug, Serialize)]
pub struct RisingLoad {
    /// What was asked.
    pub kind: RisingLoadKind,
    /// What must hold, as it was written; empty when nothing must.
    pub objective: String,
    /// The latency that the objective allows, when it is a percentile of all operations or of one kind; nanoseconds.
    pub objective_latency_ns: Option<f64>,
    /// Trials of a confirmed rate or of a step.
    pub trials: u32,
    /// One for each workload and level of every other factor.
    pub cells: Vec<RisingLoadCell>,
}

/// One workload at one level of every other factor.
#[derive(Clone, Debug, Serialize)]
pub struct RisingLoadCell {
    /// Stable name for links, unique in the report.
    pub id: String,
    /// Title, e.g. `Workload a`.
    pub title: String,
    /// Name of the workload.
    pub workload: String,
    /// Levels of the factors that vary.
    pub factors: FactorLevels,
    /// The systems, in the order of the report's.
    pub systems: Vec<RisingLoadSystem>,
    /// Every pair that can be compared.
    pub comparisons: Vec<RisingLoadComparison>,
    /// What makes systems incomparable.
    pub flags: Vec<Flag>,
}

/// One system at rising load.
#[derive(Clone, Debug, Serialize)]
pub struct RisingLoadSystem {
    /// Name of the system.
    pub name: String,
    /// Index of its colour.
    pub color: usize,
    /// Clients at rates; `None` when the steps differ in them.
    pub clients: Option<u32>,
    /// What the closed loops of the pilot reached, operations per second.
    pub ceiling: Option<f64>,
    /// The steps, by rate, then by clients.
    pub steps: Vec<RisingLoadStep>,
    /// The answer of a search.
    pub capacity: Option<CapacityAnswer>,
    /// The knee of a sweep.
    pub knee: Option<Knee>,
    /// The result in words.
    pub sentence: String,
    /// How it is to be taken.
    pub tone: Tone,
}
