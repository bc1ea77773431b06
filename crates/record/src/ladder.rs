//! Trials of one system at rising load: what each was for, and what it showed.

use std::collections::BTreeMap;

use crate::{TrialRecord, TrialStatus};

/// The factor that says what a trial of such a study was for.
pub const PURPOSE: &str = "probe";
/// The factor with the rate asked for.
pub const RATE: &str = "rate";
/// The factor with the number of clients.
pub const CLIENTS: &str = "clients";

/// What a trial was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// A closed loop, for a first guess of what the system can do.
    Pilot,
    /// Looking for the highest rate that keeps an objective.
    Search,
    /// Making sure of a rate.
    Confirm,
    /// One step of a ladder that was planned.
    Step,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pilot, Self::Search, Self::Confirm, Self::Step];

    /// The level of the factor [`PURPOSE`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pilot => "pilot",
            Self::Search => "search",
            Self::Confirm => "confirm",
            Self::Step => "step",
        }
    }

    /// What a trial was for; `None` for trials of other studies.
    #[must_use]
    pub fn of(trial: &TrialRecord) -> Option<Self> {
        let name = trial.factors.get(PURPOSE)?;
        Self::ALL.into_iter().find(|purpose| purpose.name() == name)
    }
}

/// What a completed trial at some load showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LadderPoint {
    /// What it was for.
    pub purpose: Purpose,
    /// Clients.
    pub clients: u32,
    /// Operations per second asked for; `None` in a closed loop.
    pub rate: Option<f64>,
    /// Successful operations per second.
    pub throughput: f64,
}

impl LadderPoint {
    /// What a trial showed; `None` when it did not run to its end or belongs to another kind of study.
    #[must_use]
    pub fn of(trial: &TrialRecord) -> Option<Self> {
        let measure = trial
            .measure
            .as_ref()
            .filter(|_| trial.status == TrialStatus::Completed)?;
        Some(Self {
            purpose: Purpose::of(trial)?,
            clients: trial.settings.clients,
            rate: trial.settings.rate,
            throughput: measure.throughput_per_second().unwrap_or(0.0),
        })
    }
}

/// The factors that stay the same while a ladder is climbed: they name what is surveyed.
#[must_use]
pub fn surveyed(factors: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut factors = factors.clone();
    factors.retain(|name, _| ![PURPOSE, RATE, CLIENTS].contains(&name.as_str()));
    factors
}
