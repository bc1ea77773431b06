//! Trials of one system at rising load: what each was for, and what it showed.

use dbdyno_trial::{CLIENTS, FactorLevels, PROBE, RATE, TrialSpec};

pub use dbdyno_trial::Purpose;

use dbdyno_vocabulary::search::{Probe, Role, Seen};

use crate::{Objective, TrialRecord, TrialStatus};

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
            purpose: trial.spec.purpose?,
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
            rate: trial.spec.rate()?,
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
        .map(|(trial, point)| (trial.spec.clients, point.throughput))
        .collect()
}

/// The trials that ran to their end, each with what it was for.
pub fn points<'t>(trials: &'t [&TrialRecord]) -> impl Iterator<Item = (&'t TrialRecord, RisingLoadPoint)> {
    let known = |trial: &&'t TrialRecord| Some((*trial, RisingLoadPoint::of(trial)?));
    trials.iter().filter_map(known)
}

/// The factors that stay the same while the load rises: they name what is surveyed.
#[must_use]
pub fn surveyed(spec: &TrialSpec) -> FactorLevels {
    let mut levels = spec.factors();
    levels.retain(|name, _| ![PROBE, RATE, CLIENTS].contains(&name.as_str()));
    levels
}
