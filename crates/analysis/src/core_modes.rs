//! Where the CPUs of the machine ran, slice by slice, and what that changes.
//!
//! The virtual CPUs of a rented machine are moved between cores, in spells: onto cores that share a cache or share none, sometimes onto
//! one core. The ratio of two systems may depend on it. Throughputs of closed loops are compared in the mode that prevailed in the study:
//! readings of the machine decide that, never a result. Where another mode has another ratio, the report says so.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::{CoreMode, TrialRecord, TrialStatus, mode_shares};
use dbdyno_stats::{Better, FEWEST_BLOCKS, MARGIN, PairQuestion, Pairing, Sample, compare_among};
use serde::Serialize;

use super::rates::throughput;
use super::{Cell, Metric};

/// From this share of the slices on, modes that are not the usual one are worth a word.
pub const LEAST_SHARE: f64 = 0.05;
/// The chance, over all ratios, of calling one different that is the same in both modes.
const LEVEL: f64 = 0.05;

/// The modes of the machine during a study.
#[derive(Clone, Debug)]
pub struct CoreModes {
    /// The modes with their shares of the slices, the largest first: throughputs are compared in the first.
    pub shares: Vec<ModeShare>,
    /// The ratios that differ in another mode.
    pub otherwise: Vec<OtherRatio>,
    /// Which trials are compared in the mode that prevailed.
    pub chosen: Chosen,
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
    trial.status == TrialStatus::Completed && trial.spec.rate().is_none()
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
    Some(CoreModes {
        chosen: Chosen::of(trials, usual.mode),
        otherwise: Vec::new(),
        shares,
    })
}

/// Which trials are compared in a mode.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// By name, the trials that are compared in it.
    in_mode: BTreeSet<String>,
    /// By name, those that are not compared: they took turns with one that was hardly measured in that mode, and their cell has enough
    /// others.
    left_out: BTreeSet<String>,
    /// Groups of trials that took turns, in cells that are compared in the mode, and those of them that are left out.
    pub groups: (usize, usize),
    /// Cells, and those of them that are compared as they were measured.
    pub cells: (usize, usize),
}

impl Chosen {
    /// Trials that took turns are compared in the mode together or not at all: otherwise their ratio would be that of two modes. A group
    /// that was hardly measured in it is left out where its cell has enough others for an interval of each system; elsewhere all of a
    /// cell is compared as it was measured.
    fn of(trials: &[TrialRecord], mode: CoreMode) -> Self {
        let mut groups: BTreeMap<BTreeSet<&str>, Vec<&TrialRecord>> = BTreeMap::new();
        for trial in trials.iter().filter(|trial| is_closed_loop(trial)) {
            if let Some(turns) = &trial.conditions.interleaving {
                let beside = turns.beside.iter().map(String::as_str);
                let names = beside.chain([trial.trial.as_str()]).collect();
                groups.entry(names).or_default().push(trial);
            }
        }
        let mut cells: BTreeMap<_, Vec<Vec<&TrialRecord>>> = BTreeMap::new();
        for group in groups.into_values() {
            cells.entry(group[0].spec.cell()).or_default().push(group);
        }
        let has_mode = |trial: &&TrialRecord| {
            let turns = trial.conditions.interleaving.as_ref();
            turns.is_some_and(|turns| turns.throughput_in(mode).is_some())
        };
        let mut chosen = Self::default();
        for groups in cells.into_values() {
            let (own, others): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().all(has_mode));
            let names = |groups: &[Vec<&TrialRecord>]| -> Vec<String> {
                let trials = groups.iter().flatten();
                trials.map(|trial| trial.trial.clone()).collect()
            };
            chosen.cells.0 += 1;
            // Systems that do not fit into memory together take turns in several groups: each needs enough of its own.
            let has_enough = |system: &str| {
                let in_mode = own.iter().flatten().filter(|trial| trial.system.name == system);
                in_mode.count() >= FEWEST_BLOCKS
            };
            let mut all = own.iter().chain(&others).flatten();
            if all.all(|trial| has_enough(&trial.system.name)) {
                chosen.groups.0 += own.len() + others.len();
                chosen.groups.1 += others.len();
                chosen.in_mode.extend(names(&own));
                chosen.left_out.extend(names(&others));
            } else {
                chosen.cells.1 += 1;
            }
        }
        chosen
    }
}

/// The throughput of a trial that comparisons rest on, whether or not the CPUs changed places; `None` where it is left out.
pub fn compared_throughput(modes: Option<&CoreModes>, trial: &TrialRecord) -> Option<f64> {
    modes.map_or_else(|| throughput(trial), |modes| modes.throughput(trial))
}

impl CoreModes {
    /// The mode that throughputs are compared in.
    #[must_use]
    pub fn prevailing(&self) -> CoreMode {
        self.shares.first().map_or(CoreMode::Near, |own| own.mode)
    }

    /// The mode in which a trial is compared; `None` where that is over all slices, or not at all.
    pub fn of_trial(&self, trial: &TrialRecord) -> Option<CoreMode> {
        self.chosen
            .in_mode
            .contains(&trial.trial)
            .then(|| self.prevailing())
    }

    /// The throughput of a trial in the mode in which it is compared; `None` where it is left out.
    fn throughput(&self, trial: &TrialRecord) -> Option<f64> {
        if self.chosen.left_out.contains(&trial.trial) {
            return None;
        }
        let turns = trial.conditions.interleaving.as_ref();
        let own = turns.filter(|_| self.chosen.in_mode.contains(&trial.trial));
        own.and_then(|turns| turns.throughput_in(self.prevailing()))
            .or_else(|| throughput(trial))
    }

    /// The same with the ratios of these cells, each with its trials, that differ in another mode.
    pub fn with_others(&self, cells: &[Cell], counted: &[Vec<&TrialRecord>]) -> Self {
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
                        cell: cell.title.clone(),
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
        let question = PairQuestion {
            better: Better::Higher,
            margin: MARGIN,
            pairing: Pairing::Independent,
            comparisons: number,
        };
        let differs = |(_, usual, other): &(OtherRatio, Sample, Sample)| {
            let change = compare_among(other, usual, question);
            let is_sure = change.p_value.is_some_and(|p| p * number as f64 <= LEVEL);
            is_sure && change.ratio.ln().abs() > MARGIN.ln_1p()
        };
        let mut found = self.clone();
        found.otherwise = asked
            .into_iter()
            .filter(differs)
            .map(|(named, ..)| named)
            .collect();
        found
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
