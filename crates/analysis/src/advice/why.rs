//! Why a candidate stands to a requirement as it does.

use dbdyno_record::Fact;
use dbdyno_record::audit::ProtectionLevel;
use dbdyno_trial::ScanOrder;

use super::doubt::Doubt;
use super::metric::Metric;
use super::need::Per;
use super::work::NoWork;
use crate::cost::Unpriced;
use crate::{Interval, Unranked};

/// Why a candidate stands to a requirement as it does.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// All its trials are invalid.
    AllInvalid,
    /// No record holds it.
    NotRecorded {
        /// What would show it.
        shown_by: String,
    },
    /// It is no product of this name.
    OtherProduct(String),
    /// It has this version, as read back.
    Version(String),
    /// It has this version, perhaps an empty one, which cannot be compared.
    OpaqueVersion(String),
    /// No valid trial counts operations.
    NoOperations,
    /// So many operations of its trials failed.
    Failed {
        /// Those that failed.
        failed: u64,
        /// All of them.
        operations: u64,
        /// The trials that they are of.
        trials: usize,
    },
    /// Its durability was not read back.
    NoDurability,
    /// It keeps one copy, which every operation meets.
    OneCopy,
    /// It was measured at this level.
    Level {
        /// The level, as read back.
        level: String,
        /// What it means, in the product's words; may be empty.
        means: String,
        /// What is known of the level that is wanted, where that is another one.
        beyond: Option<Beyond>,
    },
    /// Its topology, perhaps an empty one, does not state how many nodes there are.
    UnknownNodes(String),
    /// It was measured with this topology.
    Nodes {
        /// The topology, as read back.
        topology: String,
        /// What is known of the number that is wanted, where that is another one.
        beyond: Option<Beyond>,
    },
    /// The order of its scans, as read back.
    ScanOrder(Fact<ScanOrder>),
    /// Some of its trials missed what they had acknowledged.
    Missed {
        /// How many of them.
        trials: usize,
        /// Of so many.
        of: usize,
        /// What the first of them missed.
        first: Missed,
        /// Whether these trials loaded the table: else the records may never have been there.
        loaded: bool,
    },
    /// It kept what it had acknowledged.
    Kept {
        /// Whether values were compared with what was written.
        values: bool,
    },
    /// Nobody did the work, for this reason.
    NoWork(NoWork),
    /// Its trials do not have the metric of an objective.
    NoFigure {
        /// The metric.
        metric: Metric,
        /// The workload.
        workload: String,
        /// Whether it has trials of that work.
        has_trials: bool,
    },
    /// The metric of an objective ranks nothing.
    Unranked(Unranked),
    /// What its trials are against an objective.
    Objective(Objective),
    /// What it costs against a budget.
    Budget(Spent),
    /// It has no cost in money: there are no prices, or for this reason.
    Unpriced(Option<Unpriced>),
    /// What it costs depends on the load, and the need states none.
    NoLoad,
    /// What was observed of a protection, with what the system's protection costs.
    Protection(Observed, Option<Cost>),
}

/// What is known of a level beyond the one that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Another candidate of the same product was measured there.
    Reached {
        /// The other candidate.
        by: String,
        /// The level that is wanted.
        wanted: String,
    },
    /// The product does not offer it.
    NotOffered,
    /// It was not measured there.
    NotMeasured {
        /// The level that is wanted.
        wanted: String,
    },
}

/// What a trial missed of what it had acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missed {
    /// What a finding says.
    Finding(String),
    /// So many values were missing, or not what was written.
    Values(u64),
    /// So many operations did not find their record.
    Records(u64),
}

/// Trials against an objective.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// What is limited.
    pub metric: Metric,
    /// The trials that kept the limit.
    pub kept: usize,
    /// The trials that count.
    pub trials: usize,
    /// Their lowest and their highest value; `None` without trials.
    pub range: Option<(f64, f64)>,
    /// Why other trials do not count.
    pub doubts: Vec<Doubt>,
    /// Trials in which the rate was not held.
    pub late: usize,
    /// Whether they decide nothing.
    pub open: bool,
}

/// What a system costs against a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Spent {
    /// The currency.
    pub currency: String,
    /// For what it costs so much.
    pub per: Per,
    /// How that is known.
    pub by: SpentBy,
    /// Trials in which the rate was not held.
    pub late: usize,
}

/// How it is known what a system costs.
#[derive(Clone, Debug, PartialEq)]
pub enum SpentBy {
    /// Its nodes have a price, whatever they do.
    Nodes {
        /// What they cost.
        cost: f64,
        /// How many are paid for.
        nodes: u32,
        /// How many were measured, where that is another number.
        measured_nodes: Option<u32>,
        /// What one costs for an hour.
        node_hour: f64,
    },
    /// Its trials used what has a price.
    Trials {
        /// Their lowest and their highest cost.
        range: Option<(f64, f64)>,
        /// Those within the budget.
        kept: usize,
        /// Those that count.
        trials: usize,
        /// Why others do not count.
        doubts: Vec<Doubt>,
        /// Whether they decide nothing.
        open: bool,
    },
}

/// What was observed of a protection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// By every trial, after every start of its servers.
    ByTrials(ProtectionLevel, String),
    /// By an audit.
    ByAudit {
        /// The level.
        level: ProtectionLevel,
        /// The day.
        day: String,
        /// What was seen.
        summary: String,
    },
    /// Its audit did not examine it.
    NotExamined,
    /// The audit of the product is of another system.
    OtherSystem {
        /// That system.
        audited: String,
        /// The address of this one.
        address: String,
    },
    /// No probes examine a store inside the process.
    Embedded,
    /// No audit of it was given.
    NoAudit {
        /// Its address.
        address: String,
    },
}

/// The throughput of a protected system relative to its baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The baseline.
    pub base: String,
    /// Workloads, each with the ratio and its interval.
    pub works: Vec<(String, f64, Option<Interval>)>,
}
