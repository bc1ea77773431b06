//! Systems at rising load: the steps, the capacity under an objective, the knee.

pub mod compare;
pub mod steps;

use dbdyno_vocabulary::MetricValue;
use serde::Serialize;

use super::{Estimate, Interval, Metric, Summary, Word};

/// All trials at one load; `O` is how it states what the objective speaks of.
#[derive(Clone, Debug, Serialize)]
pub struct RisingLoadStep<O = Expected> {
    /// What its trials were for: `search`, `confirm`, `step` or several.
    pub purpose: String,
    /// Operations per second asked for; `None` in a closed loop.
    pub rate: Option<f64>,
    /// Clients.
    pub clients: u32,
    /// Trials that ran to their end.
    pub trials: usize,
    /// Trials that kept the objective; `None` without one.
    pub kept: Option<usize>,
    /// Trials that did not, with the client at its own limit.
    pub client_bound: usize,
    /// Trials that sustained the rate.
    pub sustained: usize,
    /// Successful operations per second.
    pub throughput: Summary,
    /// Median latency of all operations, trial by trial.
    pub p50: Option<Summary>,
    /// 99th percentile of all operations, trial by trial.
    pub p99: Option<Summary>,
    /// Those of the two whose median is a lower bound, as it falls on operations without an answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_least: Vec<Metric>,
    /// What the objective speaks of: the median over trials.
    pub objective: Vec<O>,
}

/// One expectation of an objective, with what was measured of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its metric, as the objective names it.
    pub metric: String,
    /// The median over trials; `None` where none of them has it.
    pub median: Option<MetricValue>,
}

/// How a search for a capacity ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapacityWord {
    /// It lies between two rates.
    Capacity,
    /// The highest rate that was tested was held.
    Unbounded,
    /// The lowest rate that was tested was missed.
    None,
    /// This machine, or this client, cannot show it.
    #[serde(rename = "not measurable here")]
    NotMeasurableHere,
    /// The trials do not tell.
    Undecided,
    /// The search goes on.
    Open,
}

/// The answer of a search for a capacity.
#[derive(Clone, Debug, Serialize)]
pub struct CapacityAnswer {
    /// How the search ended.
    pub word: CapacityWord,
    /// The rate at which half of all trials would keep the objective.
    pub estimate: Option<f64>,
    /// From the highest rate shown to keep it to the lowest shown to miss it.
    pub interval: Option<Interval>,
    /// The highest rate shown to keep the objective.
    pub held: Option<f64>,
    /// The lowest rate shown to miss it.
    pub missed: Option<f64>,
}

/// The step of the greatest throughput over 99th percentile.
#[derive(Clone, Debug, Serialize)]
pub struct Knee {
    /// Its throughput: the median over blocks, each with a knee of its own.
    pub throughput: Estimate,
    /// The 99th percentile at the step nearest to it, nanoseconds.
    pub p99_ns: Option<f64>,
    /// Whether that is a lower bound only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub p99_at_least: bool,
}

/// Two systems compared by capacity or knee; `R` is how it says why.
#[derive(Clone, Debug, Serialize)]
pub struct RisingLoadComparison<R = Reason> {
    /// The first system.
    pub a: String,
    /// The second system.
    pub b: String,
    /// How many times the second's the first's is.
    pub ratio: Option<f64>,
    /// The interval of that.
    pub interval: Option<Interval>,
    /// The verdict about the first against the second.
    pub word: Word,
    /// Why.
    pub reason: R,
}

/// Why one of two systems has the higher capacity or knee, or why that is not known.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The interval of their ratio.
    Ratio(Interval),
    /// One keeps the objective at a rate beyond what the other one misses.
    Separated {
        /// Who keeps it.
        better: String,
        /// At this rate.
        held: f64,
        /// Who misses it.
        worse: String,
        /// At this rate.
        missed: f64,
    },
    /// Not both have a capacity with an interval.
    NoCapacities,
    /// Not both have a knee with an interval.
    NoKnees,
}
