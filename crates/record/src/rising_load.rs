//! Trials of one system at rising load: what each was for, and what it showed.

use std::collections::BTreeMap;

pub use dbdyno_trial::Purpose;

use dbdyno_vocabulary::search::{Probe, Role, Seen};

use crate::{Objective, TrialRecord, TrialStatus};

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

/// What the trials of one system have shown of an objective so far.
#[must_use]
pub fn seen(objective: &Objective, trials: &[&TrialRecord]) -> Seen {
    let probes = points(trials).filter_map(|(trial, point)| {
        let role = match point.purpose {
            Purpose::Search => Role::Search,
            Purpose::Confirm => Role::Confirm,
            Purpose::Pilot | Purpose::Step => return None,
        };
        Some(Probe {
            role,
            rate: trial.settings.rate?,
            outcome: objective.judge(trial).outcome,
        })
    });
    Seen {
        lowest: points(trials)
            .filter(|(_, point)| point.purpose == Purpose::Pilot)
            .map(|(trial, _)| objective.lowest_rate(trial))
            .fold(0.0, f64::max),
        pilots: pilots(trials),
        probes: probes.collect(),
    }
}

/// Clients and throughput of the pilots of one system.
#[must_use]
pub fn pilots(trials: &[&TrialRecord]) -> Vec<(u32, f64)> {
    points(trials)
        .filter(|(_, point)| point.purpose == Purpose::Pilot)
        .map(|(trial, point)| (trial.settings.clients, point.throughput))
        .collect()
}

/// The trials that ran to their end, each with what it was for.
pub fn points<'t>(trials: &'t [&TrialRecord]) -> impl Iterator<Item = (&'t TrialRecord, RisingLoadPoint)> {
    let known = |trial: &&'t TrialRecord| Some((*trial, RisingLoadPoint::of(trial)?));
    trials.iter().filter_map(known)
}

/// The factors that stay the same while the load rises: they name what is surveyed.
#[must_use]
pub fn surveyed(factors: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut factors = factors.clone();
    factors.retain(|name, _| ![PURPOSE, RATE, CLIENTS].contains(&name.as_str()));
    factors
}
