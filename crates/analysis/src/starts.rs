//! What is independent of what: trials on one start of a system's servers are one value.

use std::collections::BTreeMap;

use dbdyno_record::{ServerStart, TrialRecord};
use dbdyno_trial::lab_request;

/// One value for each start, the median of its trials' values, under the name and in the block of its first trial; and one for each
/// trial whose start is not known. In the order of the trials.
pub fn independent(values: &[(&TrialRecord, f64)]) -> Vec<(String, u32, f64)> {
    let mut of_starts: BTreeMap<(&str, &ServerStart), Vec<f64>> = BTreeMap::new();
    for (trial, value) in values {
        if let Some(start) = &trial.conditions.start {
            let own = of_starts.entry((&trial.system.name, start)).or_default();
            own.push(*value);
        }
    }
    let mut independent = Vec::with_capacity(values.len());
    for (trial, own) in values {
        let value = match &trial.conditions.start {
            None => Some(*own),
            // The first trial of a start takes all of it out.
            Some(start) => of_starts
                .remove(&(trial.system.name.as_str(), start))
                .and_then(median),
        };
        independent.extend(value.map(|value| (trial.trial.clone(), trial.block, value)));
    }
    independent
}

/// How many trials there are, where the lab started the servers of all of them: then n counts starts.
pub fn trials_on_starts(trials: &[(&TrialRecord, f64)]) -> Option<usize> {
    let started = trials.iter().all(|(trial, _)| trial.conditions.start.is_some());
    (started && !trials.is_empty()).then_some(trials.len())
}

/// The systems whose servers were not started again between their trials, which say nothing about other starts.
pub fn started_once(trials: &[TrialRecord]) -> Vec<&str> {
    let mut starts: BTreeMap<&str, Vec<Option<&ServerStart>>> = BTreeMap::new();
    for trial in trials {
        let address = &trial.system.address;
        if address.contains("://") || lab_request(address).is_some() {
            let own = starts.entry(&trial.system.name).or_default();
            own.push(trial.conditions.start.as_ref());
        }
    }
    starts.retain(|_, starts| starts.len() > 1 && starts.iter().all(|start| *start == starts[0]));
    starts.into_keys().collect()
}

/// The value in the middle; `None` of nothing.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}
