//! Latencies of several trials in one histogram. Percentiles of many trials come from here, never from averages.

use std::collections::BTreeMap;

use crate::{Latency, TrialRecord};

/// What trials have in common when their latencies may be merged, and the kind of operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Name of the system.
    pub system: String,
    /// Name of the workload.
    pub workload: String,
    /// The levels of all other factors: trials with different numbers of clients, say, are not merged.
    pub factors: BTreeMap<String, String>,
    /// Name of the operation.
    pub operation: String,
}

/// One kind of operation over all trials of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// Trials that had such operations.
    pub trials: u32,
    /// Response time with a rate, service time without one (see [`crate::OperationRecord::latency`]).
    pub latency: Latency,
    /// Service time.
    pub service: Latency,
}

/// Merges the latencies of the trials' measured phases, cell by cell. Trials that measured nothing add nothing; whether
/// interrupted ones belong to a result is for the caller to say.
pub fn merged_latency<'a>(trials: impl IntoIterator<Item = &'a TrialRecord>) -> BTreeMap<Cell, Merged> {
    let mut cells: BTreeMap<Cell, Merged> = BTreeMap::new();
    for trial in trials {
        for (operation, record) in trial.measure.iter().flat_map(|measure| &measure.operations) {
            let merged = cells.entry(cell(trial, operation)).or_default();
            merged.trials += 1;
            merged.latency.merge(record.latency());
            merged.service.merge(&record.service);
        }
    }
    cells
}

fn cell(trial: &TrialRecord, operation: &str) -> Cell {
    let mut factors = trial.factors.clone();
    factors.remove("system");
    factors.remove("workload");
    Cell {
        system: trial.system.name.clone(),
        workload: trial.workload.name.clone(),
        factors,
        operation: operation.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::tests::example;

    #[test]
    fn the_percentile_of_all_is_not_the_mean_of_percentiles() {
        let mut fast = example("fast");
        let mut slow = example("slow");
        for (trial, latency_ns) in [(&mut fast, 1_000), (&mut slow, 1_000_000)] {
            let read = trial
                .measure
                .as_mut()
                .unwrap()
                .operations
                .get_mut("read")
                .unwrap();
            read.service = Latency::new();
            for _ in 0..100 {
                read.service.record(latency_ns);
            }
        }
        let merged = merged_latency([&fast, &slow]);
        let cell = merged.keys().find(|cell| cell.operation == "read").unwrap();
        let read = &merged[cell];
        assert_eq!((read.trials, read.latency.count()), (2, 200));
        assert_eq!(read.latency.percentile_ns(50.0), Some(1_000));
        assert!(read.latency.percentile_ns(51.0).unwrap() >= 999_000);
    }

    #[test]
    fn other_factors_keep_trials_apart_and_empty_ones_add_nothing() {
        let one = example("one");
        let mut many = example("many");
        many.factors.insert("clients".into(), "64".into());
        let mut failed = example("failed");
        failed.measure = None;
        let reads = |trials: &[&TrialRecord]| {
            merged_latency(trials.iter().copied())
                .keys()
                .filter(|cell| cell.operation == "read")
                .count()
        };
        assert_eq!(reads(&[&one, &many, &failed]), 2);
        assert_eq!(reads(&[&failed]), 0);
    }
}
