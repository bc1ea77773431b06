//! How fast the machine was around each trial, and throughput as it would be at the machine's usual speed.
//!
//! Throughputs are compared as at the usual speed when every trial that counts has a reading of the reference work, and every system
//! has enough trials for a slope of its own: by the design of the study, not by what comes of it. The slopes are those within cells
//! ([`dbdyno_stats::covariate`]), the readings were taken while the system was idle.

use std::collections::BTreeMap;

use dbdyno_record::{TrialRecord, TrialStatus};
use dbdyno_stats::covariate::{Observation, slope};
use serde::Serialize;

use super::cells::throughput;
use super::{CellSystem, Metric, Summary, System};
use crate::number;

/// What throughput owes to the speed of the machine.
#[derive(Clone, Debug, Serialize)]
pub struct MachineSpeed {
    /// How much longer the reference work took around the slowest trial than around the fastest, as a share.
    pub range: f64,
    /// What each system makes of it; an A/A twin has the slope of its original.
    pub slopes: Vec<SpeedSlope>,
    /// The same in words.
    pub sentence: String,
    /// The mean logarithm of the readings.
    #[serde(skip)]
    usual: f64,
}

/// How a system's throughput follows the speed of the machine.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedSlope {
    /// The system.
    pub system: String,
    /// The change of the logarithm of the throughput for a change of the logarithm of the reference work's time: below zero.
    pub slope: f64,
    /// Its standard error.
    pub error: f64,
    /// The share of the throughput's variance within cells that goes with it, 0 to 1.
    pub explained: f64,
}

/// The speed of the machine in the closed loops of a study; `None` where nothing is adjusted.
pub fn machine_speed(trials: &[TrialRecord], systems: &[System]) -> Option<MachineSpeed> {
    let mut readings = Vec::new();
    let mut cells: BTreeMap<&str, BTreeMap<&BTreeMap<String, String>, Vec<Observation>>> = BTreeMap::new();
    let counted = trials
        .iter()
        .filter(|trial| trial.status == TrialStatus::Completed && trial.settings.rate.is_none());
    for trial in counted {
        let Some(value) = throughput(trial).filter(|&value| value > 0.0) else {
            continue;
        };
        let covariate = reading(trial)?;
        readings.push(covariate);
        let own = cells.entry(original(systems, &trial.system.name)).or_default();
        own.entry(&trial.factors).or_default().push(Observation {
            covariate,
            value: value.ln(),
        });
    }
    let slopes = cells
        .into_iter()
        .map(|(system, cells)| {
            let found = slope(&cells.into_values().collect::<Vec<_>>())?;
            Some(SpeedSlope {
                system: system.to_owned(),
                slope: found.slope,
                error: found.error,
                explained: found.explained,
            })
        })
        .collect::<Option<Vec<SpeedSlope>>>()?;
    let usual = readings.iter().sum::<f64>() / readings.len() as f64;
    let ends = |fold: fn(f64, f64) -> f64| readings.iter().copied().reduce(fold);
    let range = (ends(f64::max)? - ends(f64::min)?).exp_m1();
    Some(MachineSpeed {
        sentence: sentence(range, &slopes),
        range,
        slopes,
        usual,
    })
}

fn sentence(range: f64, slopes: &[SpeedSlope]) -> String {
    let changes: Vec<String> = slopes
        .iter()
        .map(|own| {
            let change = (own.slope * 0.01_f64.ln_1p()).exp_m1();
            format!(
                "{}{} of {} ({} of the variance within cells)",
                if change < 0.0 { "-" } else { "+" },
                number::share((change.abs() * 1000.0).round() / 1000.0),
                own.system,
                number::share((own.explained * 100.0).round() / 100.0)
            )
        })
        .collect();
    format!(
        "A fixed piece of work, done before and after each trial, took {} longer at the slowest than at the fastest. With each 1 % \
         longer went a throughput of {}. Throughputs are compared as at the machine's usual speed; medians are as measured.",
        number::share((range * 1000.0).round() / 1000.0),
        number::list(&changes)
    )
}

/// The logarithm of the reference work's time around a trial.
fn reading(trial: &TrialRecord) -> Option<f64> {
    Some(trial.conditions.reference?.mean_ns()?.ln())
}

/// The system itself, of an A/A twin, too.
fn original<'a>(systems: &'a [System], name: &'a str) -> &'a str {
    let own = systems.iter().find(|system| system.name == name);
    own.and_then(|system| system.twin_of.as_deref()).unwrap_or(name)
}

impl MachineSpeed {
    /// The throughput of a closed loop as it would be at the usual speed.
    pub(super) fn levelled(&self, trial: &TrialRecord, systems: &[System]) -> Option<f64> {
        let name = original(systems, &trial.system.name);
        let own = self.slopes.iter().find(|own| own.system == name)?;
        let distance = reading(trial)? - self.usual;
        Some(throughput(trial)? * (-own.slope * distance).exp())
    }
}

impl CellSystem {
    /// What comparisons of one metric rest on: the summary, as at the machine's usual speed where that is known.
    #[must_use]
    pub fn compared(&self, metric: Metric) -> Option<&Summary> {
        let levelled = self.levelled.as_ref().filter(|_| metric == Metric::Throughput);
        levelled.or_else(|| self.metric(metric))
    }
}
