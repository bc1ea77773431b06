//! Throughputs that were measured at different times, compared where the CPUs stood alike.
//!
//! Systems of one study take turns, so what the CPUs of the machine do happens to all of them. Two folders share no turns: one may have
//! been measured on CPUs that share a cache, the other one on CPUs that do not.

use std::collections::BTreeMap;

use dbdyno_record::{CoreMode, TrialRecord, TrialStatus, mode_shares};
use dbdyno_stats::FEWEST_BLOCKS;
use serde::Serialize;

use super::core_modes::LEAST_SHARE;
use super::starts;

/// Shares of modes that differ by no more than this, in all, are the same.
const SAME: f64 = 0.1;

/// The throughput of a cell in each mode of the CPUs, in a closed loop.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeSample {
    /// The share of each mode among the slices, the largest first.
    shares: Vec<(CoreMode, f64)>,
    /// The values of the trials that were measured in a mode for a quarter of their slices or more.
    values: BTreeMap<CoreMode, Vec<f64>>,
}

/// A mode in which two folders were compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SharedMode {
    /// The mode.
    pub mode: CoreMode,
    /// Its share of the slices before.
    pub before: f64,
    /// Its share of the slices after.
    pub after: f64,
}

/// What can be compared of two folders.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparable<'a> {
    /// Whole trials: nothing is known of the CPUs, or they stood alike.
    Whole,
    /// What was measured in a mode.
    In(SharedMode, &'a [f64], &'a [f64]),
    /// Nothing: the CPUs stood otherwise, mostly in these modes.
    Nothing {
        /// Before, with its share of the slices.
        before: (CoreMode, f64),
        /// After.
        after: (CoreMode, f64),
    },
}

impl ModeSample {
    /// Of the trials of a cell; `None` at a rate, and without readings of the CPUs.
    pub fn of(trials: &[&TrialRecord]) -> Option<Self> {
        let closed = trials
            .iter()
            .filter(|trial| trial.status == TrialStatus::Completed && trial.spec.rate().is_none());
        let turns: Vec<_> = closed
            .filter_map(|trial| Some((*trial, trial.conditions.interleaving.as_ref()?)))
            .collect();
        let shares = mode_shares(turns.iter().flat_map(|(_, turns)| &turns.slices));
        let values = shares.iter().map(|(mode, _)| {
            let own: Vec<(&TrialRecord, f64)> = turns
                .iter()
                .filter_map(|(trial, turns)| Some((*trial, turns.throughput_in(*mode)?)))
                .collect();
            let independent = starts::independent(&own).into_iter();
            (*mode, independent.map(|(_, _, value)| value).collect())
        });
        let values = values.collect();
        (!shares.is_empty()).then_some(Self { shares, values })
    }

    fn share(&self, mode: CoreMode) -> f64 {
        let own = self.shares.iter().find(|(own, _)| *own == mode);
        own.map_or(0.0, |(_, share)| *share)
    }

    fn values(&self, mode: CoreMode) -> &[f64] {
        self.values.get(&mode).map_or(&[], Vec::as_slice)
    }

    /// The only mode, where hardly any slice was measured in another one.
    fn only(&self) -> Option<CoreMode> {
        let (mode, share) = *self.shares.first()?;
        (1.0 - share < LEAST_SHARE).then_some(mode)
    }

    /// The mode of most slices, with its share.
    fn usual(&self) -> (CoreMode, f64) {
        self.shares.first().copied().unwrap_or((CoreMode::Near, 0.0))
    }
}

/// What can be compared of two folders.
pub fn comparable<'a>(before: Option<&'a ModeSample>, after: Option<&'a ModeSample>) -> Comparable<'a> {
    let (Some(before), Some(after)) = (before, after) else {
        return Comparable::Whole;
    };
    if before.only().is_some() && before.only() == after.only() {
        return Comparable::Whole;
    }
    let fewest = |mode: CoreMode| before.values(mode).len().min(after.values(mode).len());
    let modes = || before.shares.iter().map(|(mode, _)| *mode);
    // Of modes with as many trials, the one that was there for longer.
    let best = modes().max_by(|one, other| {
        let share = |mode: CoreMode| before.share(mode) + after.share(mode);
        fewest(*one)
            .cmp(&fewest(*other))
            .then(share(*one).total_cmp(&share(*other)))
    });
    if let Some(mode) = best.filter(|mode| fewest(*mode) >= FEWEST_BLOCKS) {
        let shared = SharedMode {
            mode,
            before: before.share(mode),
            after: after.share(mode),
        };
        return Comparable::In(shared, before.values(mode), after.values(mode));
    }
    let apart: f64 = [CoreMode::Near, CoreMode::Far, CoreMode::Shared]
        .into_iter()
        .map(|mode| (before.share(mode) - after.share(mode)).abs() / 2.0)
        .sum();
    if apart <= SAME {
        return Comparable::Whole;
    }
    Comparable::Nothing {
        before: before.usual(),
        after: after.usual(),
    }
}
