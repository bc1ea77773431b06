//! What somebody needs, as plain data: a need file after it was read.

use std::ops::Range;

use dbdyno_record::audit::Feature;
use dbdyno_trial::{Consistency, Durability};

use super::Metric;
use crate::cost::Prices;
use crate::cost::pricing::{DAY, MONTH, YEAR};

/// What somebody needs of a database.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// One line for people; may be empty.
    pub title: String,
    /// The systems to choose from, by name; empty for all that were measured.
    pub systems: Vec<String>,
    /// The smallest advantage that matters, as a share.
    pub margin: f64,
    /// How far the weights may be off: the standard deviation of a weight of one half.
    pub weight_spread: f64,
    /// How often measurements and weights are drawn.
    pub draws: usize,
    /// Everything random follows from it.
    pub seed: u64,
    /// Rank systems of different durability against each other.
    pub across_durability: bool,
    /// Rank systems of different consistency against each other.
    pub across_consistency: bool,
    /// Rank what was measured on different machines against each other.
    pub across_machines: bool,
    /// What the systems cost; `None` where nobody gives prices.
    pub prices: Option<Prices>,
    /// What a system must have, or it is out.
    pub requirements: Vec<Requirement>,
    /// What counts, and how much.
    pub goals: Vec<Goal>,
    /// Claims of published studies that speak to this need.
    pub published: Vec<PublishedClaim>,
}

/// A claim of a published study, and the databases that it speaks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedClaim {
    /// The study's id.
    pub paper: String,
    /// The claim's id.
    pub claim: String,
    /// Names of drivers.
    pub favours: Vec<String>,
}

/// One thing that a system must have.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// In words, e.g. `durability at least synced`.
    pub text: String,
    /// What it is.
    pub kind: RequirementKind,
}

/// The kinds of hard requirements.
#[derive(Clone, Debug, PartialEq)]
pub enum RequirementKind {
    /// No trial missed what the system had acknowledged: required of everybody, whether the need says so or not.
    Integrity,
    /// At least this level of durability.
    Durability(Durability),
    /// At least this level of consistency.
    Consistency(Consistency),
    /// At least so many nodes.
    Nodes(u64),
    /// Scans return records in the order of their keys.
    OrderedScans,
    /// At most this share of operations may fail, in all work that counts.
    Errors(f64),
    /// At least this version of the product of this name.
    Version {
        /// The system's or product's name.
        of: String,
        /// Numbers with dots between them.
        at_least: String,
    },
    /// An objective that trials must keep.
    Objective {
        /// What is kept.
        objective: Objective,
        /// In which work.
        work: WorkChoice,
    },
    /// It may cost at most so much.
    Budget(Budget),
    /// A protection that an audit has seen enforced.
    Protection(Feature),
    /// Something that no record holds.
    NotMeasured {
        /// What would show it.
        shown_by: String,
    },
}

/// What a system may cost at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The amount, in the currency of the prices.
    pub most: f64,
    /// Its currency, where it is stated.
    pub currency: Option<String>,
    /// For what.
    pub per: Per,
    /// Where it stands in the need file.
    pub place: Range<usize>,
}

/// What an amount of money is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A month of 730 hours.
    Month,
    /// A year of 365 days.
    Year,
    /// A million operations.
    Million,
}

impl Per {
    /// How many hours it is; `None` of operations.
    #[must_use]
    pub const fn hours(self) -> Option<f64> {
        match self {
            Self::Hour => Some(1.0),
            Self::Day => Some(DAY),
            Self::Month => Some(MONTH),
            Self::Year => Some(YEAR),
            Self::Million => None,
        }
    }
}

impl Need {
    /// Whether prices matter to it.
    #[must_use]
    pub fn is_about_money(&self) -> bool {
        let is_budget = |one: &Requirement| matches!(one.kind, RequirementKind::Budget(_));
        self.requirements.iter().any(is_budget) || self.goals.iter().any(|goal| goal.metric == Metric::Cost)
    }
}

/// A limit on a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// What is limited.
    pub metric: Metric,
    /// At most this, or at least this where more is better.
    pub limit: f64,
}

/// Which of the measured work is meant. What is `None` may be anything, as long as there is one only.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkChoice {
    /// Name of the workload.
    pub workload: String,
    /// Records in the table.
    pub records: Option<u64>,
    /// Clients.
    pub clients: Option<u32>,
    /// Operations per second.
    pub rate: Option<RateChoice>,
    /// Where it stands in the need file.
    pub place: Range<usize>,
}

impl WorkChoice {
    /// Whether both mean the same work, wherever they stand.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.workload, self.records, self.clients, self.rate)
            == (&other.workload, other.records, other.clients, other.rate)
    }
}

/// A rate that was asked for, or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateChoice {
    /// A closed loop.
    Unlimited,
    /// Operations per second.
    PerSecond(f64),
    /// The common rate of the study, which pilots found.
    Common,
}

/// One thing that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// Name in tables, unique in the need.
    pub name: String,
    /// What is measured.
    pub metric: Metric,
    /// In which work.
    pub work: WorkChoice,
    /// How much it counts, against the weights of the other goals.
    pub weight: f64,
    /// What a value is worth.
    pub worth: Worth,
}

/// What a value is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Worth {
    /// Its ratio to a reference; without one to the best median there is. The reference changes no order.
    Ratio(Option<f64>),
    /// The same, but more than this is worth no more.
    Enough(f64),
    /// Keeping a limit is worth as much as being so many times as good.
    Objective {
        /// The limit.
        limit: f64,
        /// How many times.
        times: f64,
    },
}
