//! The plan of a study: every trial, its order and its seed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the format, in `format` of `plan.json`.
pub const PLAN_FORMAT: &str = "dbdyno.plan/1";

/// `plan.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// [`PLAN_FORMAT`].
    pub format: String,
    /// Every trial, in the order of execution.
    pub trials: Vec<PlannedTrial>,
}

/// One trial to be carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTrial {
    /// Name of the trial's folder, unique in the study.
    pub trial: String,
    /// Which randomised complete block, from 0.
    pub block: u32,
    /// Place in the order of execution, from 0.
    pub position: u32,
    /// The workload's seed.
    pub seed: u64,
    /// The level of every factor of this cell, by factor name.
    pub factors: BTreeMap<String, String>,
}

impl PlanFile {
    /// A plan of these trials, in the present format.
    #[must_use]
    pub fn new(trials: Vec<PlannedTrial>) -> Self {
        Self {
            format: PLAN_FORMAT.to_owned(),
            trials,
        }
    }
}
