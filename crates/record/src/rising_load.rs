//! Trials of one system at rising load: what each was for, and what it showed.

use std::collections::BTreeMap;

pub use dbdyno_trial::Purpose;

use crate::{TrialRecord, TrialStatus};

/// The factor that says what a trial of such a study was for.
pub const PURPOSE: &str = dbdyno_trial::PROBE;
/// The factor with the rate asked for.
pub const RATE: &str = "rate";
/// The factor with the number of clients.
pub const CLIENTS: &str = "clients";

/// The purpose of a trial; `None` for trials of other studies.
#[must_use]
pub fn purpose(trial: &TrialRecord) -> Option<Purpose> {
    let name = trial.factors.get(PURPOSE)?;
    Purpose::ALL.into_iter().find(|purpose| purpose.name() == name)
}

/// The result of a completed trial at the load of its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RisingLoadPoint {
    /// Its purpose.
    pub purpose: Purpose,
    /// Successful operations per second.
    pub throughput: f64,
}

impl RisingLoadPoint {
    /// The result of a trial; `None` when it did not run to its end or belongs to another kind of study.
    #[must_use]
    pub fn of(trial: &TrialRecord) -> Option<Self> {
        let measure = trial
            .measure
            .as_ref()
            .filter(|_| trial.status == TrialStatus::Completed)?;
        Some(Self {
            purpose: purpose(trial)?,
            throughput: measure.throughput_per_second().unwrap_or(0.0),
        })
    }
}

/// The factors that stay the same while the load rises: they name what is surveyed.
#[must_use]
pub fn surveyed(factors: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut factors = factors.clone();
    factors.retain(|name, _| ![PURPOSE, RATE, CLIENTS].contains(&name.as_str()));
    factors
}
