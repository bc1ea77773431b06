//! Trials that two sides share: nothing follows from a measurement that is compared with itself.

use crate::number;
use crate::sample::MetricSample;

/// How many trials of a test are on both sides: those that agree in every digit of every metric.
pub fn shared(before: &[MetricSample], after: &[MetricSample]) -> usize {
    let most = |side: &[MetricSample]| side.iter().map(|metric| metric.values.len()).max();
    // A metric that some trials lack does not say which of its values is of which trial.
    let columns = before.iter().filter_map(|old| {
        let new = after.iter().find(|new| new.name == old.name)?;
        let is_whole = Some(old.values.len()) == most(before) && Some(new.values.len()) == most(after);
        is_whole.then_some((&old.values, &new.values))
    });
    let (old, new): (Vec<_>, Vec<_>) = columns.unzip();
    let mut left = trials(&new);
    let is_there = |trial: &Vec<u64>| {
        let place = left.iter().position(|other| other == trial);
        place.map(|place| left.swap_remove(place)).is_some()
    };
    trials(&old).into_iter().filter(is_there).count()
}

/// The values of each trial, digit by digit. Two trials may well have the same whole numbers, so these alone identify none.
fn trials(metrics: &[&Vec<f64>]) -> Vec<Vec<u64>> {
    let count = metrics.first().map_or(0, |values| values.len());
    let of_trial = |trial: usize| metrics.iter().map(move |values| values[trial]);
    (0..count)
        .filter(|trial| of_trial(*trial).any(|value| value.fract() != 0.0))
        .map(|trial| of_trial(trial).map(f64::to_bits).collect())
        .collect()
}

/// `6 trials are the same on both sides`.
pub fn reason(shared: usize) -> String {
    let trials = number::plural(shared, "trial is", "trials are");
    format!("{trials} the same on both sides")
}
