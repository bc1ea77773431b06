//! How fast the machine was beside each trial, and throughput as it would be at the machine's usual speed.
//!
//! Throughputs are compared as at the usual speed when every trial that counts has a reading of the reference work, and there are enough
//! trials for a slope: by the design of the study, not by what comes of it. The slope is that within cells
//! ([`dbdyno_stats::covariate`]), one for all systems: slopes of their own would have errors of their own, which few starts make
//! large enough for false verdicts (simulated in `docs/analysis.md`).
//!
//! Trials in blocks have readings from before and after them, taken while the system was idle. Trials that took turns share those from
//! between their slices: the speed cancels in the ratios of a test, and counts where tests are compared with each other.

use std::collections::BTreeMap;

use dbdyno_record::{BusyReference, TrialRecord, TrialStatus};
use dbdyno_stats::covariate::{Observation, Usual};
use dbdyno_trial::FactorLevels;
use serde::Serialize;

use super::CoreModes;
use super::core_modes::compared_throughput;
use super::rates::throughput;
use super::starts::median;

/// What throughput owes to the speed of the machine.
#[derive(Clone, Debug, Serialize)]
pub struct MachineSpeed {
    /// How much longer the reference work took beside the slowest trial than beside the fastest, as a share.
    pub range: f64,
    /// The change of the logarithm of the throughput for a change of the logarithm of the reference work's time.
    pub slope: f64,
    /// The share of the throughput's variance within cells that goes with it, 0 to 1.
    pub explained: f64,
    /// By name of the trial, what its throughput is multiplied by.
    #[serde(skip)]
    factors: BTreeMap<String, f64>,
}

/// Whether the throughput of a trial is compared as at the machine's usual speed. The design of the study decides, never a result:
/// a rate fixes throughput, so only closed loops follow the machine.
pub fn follows_the_machine(trial: &TrialRecord) -> bool {
    trial.spec.rate().is_none()
}

/// How long the reference work took beside the closed loops of a study, nanoseconds, by name of the trial.
pub struct Readings(BTreeMap<String, f64>);

impl Readings {
    /// From before and after trials in blocks; `None` where a trial that counts has none.
    pub fn around_trials(trials: &[TrialRecord]) -> Option<Self> {
        Self::of(trials, |trial| trial.conditions.reference?.mean_ns())
    }

    /// From between the slices of trials that took turns, one for all that did so with each other; `None` where a trial that counts has
    /// none. Of trials that are compared in one mode of the CPUs, readings in that mode count.
    pub fn between_turns(trials: &[TrialRecord], modes: Option<&CoreModes>) -> Option<Self> {
        let by_name: BTreeMap<&str, &TrialRecord> = trials
            .iter()
            .filter(|trial| is_asked(trial))
            .map(|trial| (trial.trial.as_str(), trial))
            .collect();
        Self::of(trials, |trial| of_group(trial, &by_name, modes))
    }

    fn of(trials: &[TrialRecord], reading: impl Fn(&TrialRecord) -> Option<f64>) -> Option<Self> {
        let mut readings = BTreeMap::new();
        for trial in trials.iter().filter(|trial| is_asked(trial)) {
            match reading(trial) {
                Some(ns) => drop(readings.insert(trial.trial.clone(), ns)),
                None if has_throughput(trial) => return None,
                None => {}
            }
        }
        Some(Self(readings))
    }

    /// That of one trial.
    pub fn ns(&self, trial: &TrialRecord) -> Option<f64> {
        self.0.get(&trial.trial).copied()
    }

    fn logarithm(&self, trial: &TrialRecord) -> Option<f64> {
        self.ns(trial).map(f64::ln)
    }

    fn observation(&self, trial: &TrialRecord, value: Option<f64>) -> Option<Observation> {
        let value = value.filter(|value| *value > 0.0)?;
        Some(Observation {
            covariate: self.logarithm(trial)?,
            value: value.ln(),
        })
    }
}

fn is_asked(trial: &TrialRecord) -> bool {
    trial.status == TrialStatus::Completed && follows_the_machine(trial)
}

fn has_throughput(trial: &TrialRecord) -> bool {
    throughput(trial).is_some_and(|value| value > 0.0)
}

/// The median of all readings between the slices of a trial and of those that took turns with it.
fn of_group(
    trial: &TrialRecord,
    by_name: &BTreeMap<&str, &TrialRecord>,
    modes: Option<&CoreModes>,
) -> Option<f64> {
    let turns = trial.conditions.interleaving.as_ref()?;
    let beside = turns.beside.iter().filter_map(|name| by_name.get(name.as_str()));
    let group = beside.copied().chain([trial]);
    let slices = group
        .filter_map(|own| own.conditions.interleaving.as_ref())
        .flat_map(|turns| &turns.slices);
    let readings = slices
        .flat_map(|slice| [slice.reference, slice.reference_after])
        .flatten();
    let usual = modes.and_then(|modes| modes.of_trial(trial));
    let counted = readings.filter(|own: &BusyReference| usual.is_none_or(|mode| own.mode() == mode));
    median(counted.map(|own| own.all_ns).collect())
}

/// What the closed loops of a study in blocks owe to the speed of the machine; `None` where nothing is adjusted.
pub fn machine_speed(trials: &[TrialRecord]) -> Option<MachineSpeed> {
    let readings = Readings::around_trials(trials)?;
    let mut cells: BTreeMap<FactorLevels, Vec<Observation>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| is_asked(trial)) {
        let observation = readings.observation(trial, throughput(trial));
        cells.entry(trial.spec.factors()).or_default().extend(observation);
    }
    let usual = Usual::of_trials(&cells.into_values().collect::<Vec<_>>())?;
    MachineSpeed::new(trials, &readings, usual)
}

/// What the tests of a study in turns owe to it where they are compared with each other; `None` where nothing is adjusted.
pub fn between_tests(trials: &[TrialRecord], modes: Option<&CoreModes>) -> Option<MachineSpeed> {
    let readings = Readings::between_turns(trials, modes)?;
    let mut cells: BTreeMap<_, BTreeMap<&str, BTreeMap<u32, Observation>>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| is_asked(trial)) {
        if let Some(observation) = readings.observation(trial, compared_throughput(modes, trial)) {
            let systems = cells.entry(trial.spec.cell()).or_default();
            let own = systems.entry(trial.system.name.as_str()).or_default();
            own.insert(trial.block, observation);
        }
    }
    let cells = cells.into_values().map(|cell| cell.into_values().collect());
    let usual = Usual::of_groups(&cells.collect::<Vec<_>>())?;
    MachineSpeed::new(trials, &readings, usual)
}

impl MachineSpeed {
    fn new(trials: &[TrialRecord], readings: &Readings, usual: Usual) -> Option<Self> {
        let of_trials = || {
            let counted = trials.iter().filter(|trial| has_throughput(trial));
            counted.filter_map(|trial| readings.logarithm(trial))
        };
        let range = (of_trials().reduce(f64::max)? - of_trials().reduce(f64::min)?).exp_m1();
        let factors = trials.iter().filter_map(|trial| {
            let correction = usual.correction(readings.logarithm(trial)?);
            Some((trial.trial.clone(), correction.exp()))
        });
        Some(Self {
            range,
            slope: usual.slope.slope,
            explained: usual.slope.explained,
            factors: factors.collect(),
        })
    }

    /// The throughput of a trial as it would be at the usual speed.
    pub fn levelled(&self, trial: &TrialRecord, throughput: f64) -> Option<f64> {
        Some(throughput * self.factors.get(&trial.trial)?)
    }
}
