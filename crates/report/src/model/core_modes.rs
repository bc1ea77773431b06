//! Where the CPUs of the machine ran, slice by slice, and what that changes.
//!
//! The virtual CPUs of a rented machine are moved between cores, in spells: onto cores that share a cache or share none, sometimes onto
//! one core. The ratio of two systems may depend on it. Throughputs of closed loops are compared in the mode that prevailed in the study:
//! readings of the machine decide that, never a result. Where another mode has another ratio, the report says so.

use std::collections::BTreeMap;

use dbdyno_record::{CoreMode, TrialRecord, TrialStatus, mode_shares};
use dbdyno_stats::{Better, MARGIN, Pairing, Sample, compare_among};
use serde::Serialize;

use super::rates::throughput;
use super::{Cell, Metric};
use crate::number;

/// From this share of the slices on, modes that are not the usual one are worth a word.
const LEAST_SHARE: f64 = 0.05;
/// The chance, over all ratios, of calling one different that is the same in both modes.
const LEVEL: f64 = 0.05;

/// The modes of the machine during a study.
#[derive(Clone, Debug, Serialize)]
pub struct CoreModes {
    /// The modes with their shares of the slices, the largest first: throughputs are compared in the first.
    pub shares: Vec<ModeShare>,
    /// The same in words, with the ratios that differ in the other mode.
    pub sentence: String,
    /// These ratios.
    pub otherwise: Vec<OtherRatio>,
}

/// A mode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ModeShare {
    /// The mode.
    pub mode: CoreMode,
    /// Its share of the slices whose mode is known.
    pub share: f64,
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
    /// The same in this mode.
    pub other: f64,
    /// A mode that did not prevail.
    pub mode: CoreMode,
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
    let shares: Vec<ModeShare> = mode_shares(slices)
        .into_iter()
        .map(|(mode, share)| ModeShare { mode, share })
        .collect();
    let usual = shares.first()?;
    if 1.0 - usual.share < LEAST_SHARE {
        return None;
    }
    let share = |own: &ModeShare| number::whole_share(own.share);
    let others = shares[1..]
        .iter()
        .map(|own| format!(", in {} they {}", share(own), own.mode.in_words()));
    let sentence = format!(
        "The CPUs of the machine changed places: in {} of the slices they {}{}. Throughputs of closed loops are compared in the {}.",
        share(usual),
        usual.mode.in_words(),
        others.collect::<String>(),
        share(usual)
    );
    Some(CoreModes {
        shares,
        sentence,
        otherwise: Vec::new(),
    })
}

impl CoreModes {
    /// The mode that throughputs are compared in.
    #[must_use]
    pub fn prevailing(&self) -> CoreMode {
        self.shares.first().map_or(CoreMode::Near, |own| own.mode)
    }

    /// The throughput of a trial that comparisons rest on: all trials that took turns with it have as many slices of each mode.
    pub(super) fn throughput(&self, trial: &TrialRecord) -> Option<f64> {
        let turns = trial.conditions.interleaving.as_ref();
        let own = turns.filter(|_| is_closed_loop(trial));
        own.and_then(|turns| turns.throughput_in(self.prevailing()))
            .or_else(|| throughput(trial))
    }

    /// The same with the ratios of these cells, each with its trials, that differ in another mode.
    pub(super) fn with_others(&self, cells: &[Cell], counted: &[Vec<&TrialRecord>]) -> Self {
        let mut asked: Vec<(OtherRatio, Sample, Sample)> = Vec::new();
        for (cell, trials) in cells.iter().zip(counted) {
            let of_throughput = cell
                .comparisons
                .iter()
                .filter(|comparison| comparison.metric == Metric::Throughput);
            for comparison in of_throughput {
                let in_mode = |mode| ratios(trials, &comparison.a, &comparison.b, mode);
                let others = self.shares.iter().skip(1).map(|own| own.mode);
                let Some(usual) = in_mode(self.prevailing()) else {
                    continue;
                };
                asked.extend(others.filter_map(|mode| {
                    let other = in_mode(mode)?;
                    let named = OtherRatio {
                        cell: cell.name.clone(),
                        a: comparison.a.clone(),
                        b: comparison.b.clone(),
                        ratio: usual.median(),
                        other: other.median(),
                        mode,
                    };
                    Some((named, usual.clone(), other))
                }));
            }
        }
        let number = asked.len();
        let differs = |(_, usual, other): &(OtherRatio, Sample, Sample)| {
            let change = compare_among(other, usual, Better::Higher, MARGIN, Pairing::Independent, number);
            let is_sure = change.p_value.is_some_and(|p| p * number as f64 <= LEVEL);
            is_sure && change.ratio.ln().abs() > MARGIN.ln_1p()
        };
        let mut found = self.clone();
        found.otherwise = asked
            .into_iter()
            .filter(differs)
            .map(|(named, ..)| named)
            .collect();
        let others: String = found.otherwise.iter().map(OtherRatio::in_words).collect();
        found.sentence.push_str(&others);
        found
    }
}

impl OtherRatio {
    fn in_words(&self) -> String {
        let quantity = Metric::Throughput.quantity();
        format!(
            " In {}, {} is {} while they {}, instead of {}.",
            self.cell,
            self.a,
            number::times(self.other, None, quantity, Some(&self.b)),
            self.mode.in_words().replacen("shared", "share", 1),
            number::times(self.ratio, None, quantity, None)
        )
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
