//! How fast the machine was around each trial, and throughput as it would be at the machine's usual speed.
//!
//! Throughputs are compared as at the usual speed when every trial that counts has a reading of the reference work, and there are enough
//! trials for a slope: by the design of the study, not by what comes of it. The slope is that within cells
//! ([`dbdyno_stats::covariate`]), one for all systems: slopes of their own would have errors of their own, which few starts make
//! large enough for false verdicts (simulated in `docs/analysis.md`). The readings were taken while the system was idle.

use std::collections::BTreeMap;

use dbdyno_record::{TrialRecord, TrialStatus};
use dbdyno_stats::covariate::{Observation, slope};
use serde::Serialize;

use super::rates::throughput;
use crate::number;

/// What throughput owes to the speed of the machine.
#[derive(Clone, Debug, Serialize)]
pub struct MachineSpeed {
    /// How much longer the reference work took around the slowest trial than around the fastest, as a share.
    pub range: f64,
    /// The change of the logarithm of the throughput for a change of the logarithm of the reference work's time.
    pub slope: f64,
    /// The share of the throughput's variance within cells that goes with it, 0 to 1.
    pub explained: f64,
    /// The same in words.
    pub sentence: String,
    /// The mean logarithm of the readings.
    #[serde(skip)]
    usual: f64,
}

/// Whether the throughput of a trial is compared as at the machine's usual speed. The design of the study decides, never a result:
/// a rate fixes throughput, so only closed loops follow the machine.
pub fn follows_the_machine(trial: &TrialRecord) -> bool {
    trial.settings.rate.is_none()
}

/// The speed of the machine in the closed loops of a study; `None` where nothing is adjusted.
pub fn machine_speed(trials: &[TrialRecord]) -> Option<MachineSpeed> {
    let mut cells: BTreeMap<&BTreeMap<String, String>, Vec<Observation>> = BTreeMap::new();
    let counted = trials
        .iter()
        .filter(|trial| trial.status == TrialStatus::Completed && follows_the_machine(trial));
    for trial in counted {
        if let Some(value) = throughput(trial).filter(|&value| value > 0.0) {
            cells.entry(&trial.factors).or_default().push(Observation {
                covariate: reading(trial)?,
                value: value.ln(),
            });
        }
    }
    let cells: Vec<Vec<Observation>> = cells.into_values().collect();
    let found = slope(&cells)?;
    let readings: Vec<f64> = cells.iter().flatten().map(|one| one.covariate).collect();
    let usual = readings.iter().sum::<f64>() / readings.len() as f64;
    let ends = |fold: fn(f64, f64) -> f64| readings.iter().copied().reduce(fold);
    let range = (ends(f64::max)? - ends(f64::min)?).exp_m1();
    Some(MachineSpeed {
        sentence: sentence(range, found.slope, found.explained),
        range,
        slope: found.slope,
        explained: found.explained,
        usual,
    })
}

fn sentence(range: f64, slope: f64, explained: f64) -> String {
    let change = (slope * 0.01_f64.ln_1p()).exp_m1();
    let tenths = |share: f64| number::share((share * 1000.0).round() / 1000.0);
    format!(
        "The machine's speed changed: a fixed piece of work, timed before and after each trial, took up to {} longer than at its fastest. For each 1% longer, \
         throughput was {} {}, which explains {} of its variance within a test. Throughputs are compared as at the machine's usual speed; medians are as measured.",
        tenths(range),
        tenths(change.abs()),
        if change < 0.0 { "lower" } else { "higher" },
        number::whole_share(explained)
    )
}

/// The logarithm of the reference work's time around a trial.
fn reading(trial: &TrialRecord) -> Option<f64> {
    Some(trial.conditions.reference?.mean_ns()?.ln())
}

impl MachineSpeed {
    /// The throughput of a trial as it would be at the usual speed.
    pub(super) fn levelled(&self, trial: &TrialRecord) -> Option<f64> {
        let distance = reading(trial)? - self.usual;
        Some(throughput(trial)? * (-self.slope * distance).exp())
    }
}
