//! Where the CPUs of the machine ran, slice by slice, and what that changes.
//!
//! The virtual CPUs of a rented machine run on one physical core or on several, in spells, and the ratio of two systems may depend on
//! it. Throughputs of closed loops are compared in the mode that prevailed in the study: readings of the machine decide that, never a
//! result. Where the other mode has another ratio, the report says so.

use std::collections::BTreeMap;

use dbdyno_record::{CoreMode, TrialRecord, TrialStatus};
use dbdyno_stats::{Better, MARGIN, Pairing, Sample, compare_among};
use serde::Serialize;

use super::rates::throughput;
use super::{Cell, Metric};
use crate::number;

/// From this share of the slices on, the rarer mode is worth a word.
const LEAST_SHARE: f64 = 0.05;
/// The chance, over all ratios, of calling one different that is the same in both modes.
const LEVEL: f64 = 0.05;

/// The modes of the machine during a study.
#[derive(Clone, Debug, Serialize)]
pub struct CoreModes {
    /// The share of the slices in which the CPUs shared a core.
    pub shared: f64,
    /// The mode that throughputs are compared in.
    pub prevailing: CoreMode,
    /// The same in words, with the ratios that differ in the other mode.
    pub sentence: String,
    /// These ratios.
    pub otherwise: Vec<OtherRatio>,
}

/// Two systems whose ratio depends on the mode.
#[derive(Clone, Debug, Serialize)]
pub struct OtherRatio {
    /// Name of the cell.
    pub cell: String,
    /// The first system.
    pub a: String,
    /// The second one.
    pub b: String,
    /// How many times the throughput of `b` that of `a` is in the mode that prevailed.
    pub ratio: f64,
    /// The same in the other mode.
    pub other: f64,
}

/// Whether the throughput of a trial depends on the machine: a rate fixes it.
fn is_closed_loop(trial: &TrialRecord) -> bool {
    trial.status == TrialStatus::Completed && trial.settings.rate.is_none()
}

/// The modes of the closed loops of a study; `None` where hardly any slice was measured in another mode than the others.
pub fn core_modes(trials: &[TrialRecord]) -> Option<CoreModes> {
    let slices = trials
        .iter()
        .filter(|trial| is_closed_loop(trial))
        .filter_map(|trial| trial.conditions.interleaving.as_ref())
        .flat_map(|turns| &turns.slices);
    let modes = slices.filter_map(|slice| Some(slice.reference?.mode()));
    let (all, shared) = modes.fold((0_u32, 0_u32), |(all, shared), mode| {
        (all + 1, shared + u32::from(mode == CoreMode::Shared))
    });
    let shared = f64::from(shared) / f64::from(all.max(1));
    if all == 0 || shared.min(1.0 - shared) < LEAST_SHARE {
        return None;
    }
    let share = number::whole_share;
    let (prevailing, sentence) = match shared < 0.5 {
        true => (
            CoreMode::Apart,
            format!(
                "The CPUs of the machine shared one physical core in {} of the slices. Throughputs of closed loops are compared in the other {}.",
                share(shared),
                share(1.0 - shared)
            ),
        ),
        false => (
            CoreMode::Shared,
            format!(
                "The CPUs of the machine shared one physical core in {} of the slices. Throughputs of closed loops are compared in these.",
                share(shared)
            ),
        ),
    };
    Some(CoreModes {
        shared,
        prevailing,
        sentence,
        otherwise: Vec::new(),
    })
}

impl CoreModes {
    /// The throughput of a trial that comparisons rest on: all trials that took turns with it have as many slices of each mode.
    pub(super) fn throughput(&self, trial: &TrialRecord) -> Option<f64> {
        let turns = trial.conditions.interleaving.as_ref();
        let own = turns.filter(|_| is_closed_loop(trial));
        own.and_then(|turns| turns.throughput_in(self.prevailing))
            .or_else(|| throughput(trial))
    }

    /// The same with the ratios of these cells, each with its trials, that differ in the other mode.
    pub(super) fn with_others(&self, cells: &[Cell], counted: &[Vec<&TrialRecord>]) -> Self {
        let asked: Vec<(&Cell, &str, &str, Sample, Sample)> = cells
            .iter()
            .zip(counted)
            .flat_map(|(cell, trials)| {
                let of_throughput = cell
                    .comparisons
                    .iter()
                    .filter(|comparison| comparison.metric == Metric::Throughput);
                of_throughput.filter_map(move |comparison| {
                    let (a, b) = (comparison.a.as_str(), comparison.b.as_str());
                    let other = ratios(trials, a, b, other_than(self.prevailing))?;
                    Some((cell, a, b, ratios(trials, a, b, self.prevailing)?, other))
                })
            })
            .collect();
        let number = asked.len();
        let mut found = self.clone();
        for (cell, a, b, usual, other) in asked {
            let change = compare_among(
                &other,
                &usual,
                Better::Higher,
                MARGIN,
                Pairing::Independent,
                number,
            );
            let is_sure = change.p_value.is_some_and(|p| p * number as f64 <= LEVEL);
            if is_sure && change.ratio.ln().abs() > MARGIN.ln_1p() {
                found.otherwise.push(OtherRatio {
                    cell: cell.name.clone(),
                    a: a.to_owned(),
                    b: b.to_owned(),
                    ratio: usual.median(),
                    other: other.median(),
                });
            }
        }
        let others: String = found.otherwise.iter().map(|other| self.in_words(other)).collect();
        found.sentence.push_str(&others);
        found
    }

    fn in_words(&self, other: &OtherRatio) -> String {
        let quantity = Metric::Throughput.quantity();
        let place = match self.prevailing {
            CoreMode::Apart => "on a shared core",
            CoreMode::Shared => "on cores of their own",
        };
        format!(
            " In {}, {} is {} {place}, instead of {}.",
            other.cell,
            other.a,
            number::times(other.other, None, quantity, Some(&other.b)),
            number::times(other.ratio, None, quantity, None)
        )
    }
}

fn other_than(mode: CoreMode) -> CoreMode {
    match mode {
        CoreMode::Apart => CoreMode::Shared,
        CoreMode::Shared => CoreMode::Apart,
    }
}

/// The ratio of two systems in one mode, block by block.
fn ratios(trials: &[&TrialRecord], a: &str, b: &str, mode: CoreMode) -> Option<Sample> {
    let of_system = |name: &str| -> BTreeMap<u32, f64> {
        let own = trials
            .iter()
            .filter(|trial| trial.system.name == name && is_closed_loop(trial));
        own.filter_map(|trial| {
            let turns = trial.conditions.interleaving.as_ref()?;
            Some((trial.block, turns.throughput_in(mode)?))
        })
        .collect()
    };
    let (a, b) = (of_system(a), of_system(b));
    let both = a.iter().filter_map(|(block, a)| Some(a / b.get(block)?));
    Sample::new(both.collect()).ok()
}
