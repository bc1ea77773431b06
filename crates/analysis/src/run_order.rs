//! All trials in the order in which they ran, each relative to its own kind: drift and outliers of the whole study at a glance.

use std::collections::BTreeMap;

use dbdyno_record::{TrialRecord, TrialStatus};

use super::{Cell, CellSystem, Metric, TrialRow};

/// Fewer trials show neither a drift nor what stands out of them.
const FEWEST_TRIALS: usize = 6;

/// The trials that are shown by one metric.
#[derive(Clone, Debug)]
pub struct RunOrder {
    /// Throughput of those without a rate, p99 latency of those with one, where throughput is what was asked for.
    pub metric: Metric,
    /// In the order in which they ran.
    pub trials: Vec<OrderedTrial>,
}

/// One trial among all.
#[derive(Clone, Debug)]
pub struct OrderedTrial {
    /// Name of the trial.
    pub trial: String,
    /// Name of the system.
    pub system: String,
    /// The cell, for people.
    pub cell: String,
    /// Its number in the order in which all trials of the study ran, from 1.
    pub place: usize,
    /// The metric's value.
    pub value: f64,
    /// The value over the median of the system's trials in the cell.
    pub relative: f64,
    /// Why it does not count, or its numbers mean something else: disturbed, interrupted, failed, invalid.
    pub doubt: Option<String>,
    /// Why it stands out from the other trials of the system in the cell.
    pub outlier: Option<String>,
}

/// The trials of all cells by metric; metrics with too few trials are left out.
pub fn run_order(trials: &[TrialRecord], cells: &[Cell]) -> Vec<RunOrder> {
    let order = Order::new(trials);
    [(Metric::Throughput, false), (Metric::LatencyP99, true)]
        .into_iter()
        .map(|(metric, at_a_rate)| {
            let cells = cells.iter().filter(|cell| cell.open_loop == at_a_rate);
            let systems = cells.flat_map(|cell| cell.systems.iter().map(move |system| (cell, system)));
            let mut trials: Vec<OrderedTrial> = systems
                .flat_map(|(cell, system)| of_system(cell, system, metric, &order))
                .collect();
            trials.sort_by_key(|trial| trial.place);
            RunOrder { metric, trials }
        })
        .filter(|order| order.trials.len() >= FEWEST_TRIALS)
        .collect()
}

/// Every trial's record with its number in the order.
struct Order<'a>(BTreeMap<&'a str, (usize, &'a TrialRecord)>);

impl<'a> Order<'a> {
    fn new(trials: &'a [TrialRecord]) -> Self {
        let mut ordered: Vec<&TrialRecord> = trials.iter().collect();
        // The position is that of the plan: a repetition has that of what it repeats. Without the final Z, times of one
        // second sort by their fractions.
        ordered.sort_by_key(|trial| {
            let started_at = trial.started_at.trim_end_matches('Z');
            (started_at, trial.position, trial.trial.as_str())
        });
        let numbered = ordered.into_iter().zip(1..);
        Self(
            numbered
                .map(|(trial, place)| (trial.trial.as_str(), (place, trial)))
                .collect(),
        )
    }
}

fn of_system(cell: &Cell, system: &CellSystem, metric: Metric, order: &Order<'_>) -> Vec<OrderedTrial> {
    let median = system.metric(metric).map(|summary| summary.estimate.median);
    let Some(median) = median.filter(|median| *median > 0.0) else {
        return Vec::new();
    };
    let trials = system.trials.iter().filter_map(|row| {
        let (place, record) = order.0.get(row.trial.as_str())?;
        let value = value(row, metric)?;
        Some(OrderedTrial {
            trial: row.trial.clone(),
            system: system.name.clone(),
            cell: cell.title.clone(),
            place: *place,
            value,
            relative: value / median,
            doubt: doubt(record),
            outlier: row.outlier.clone(),
        })
    });
    trials.collect()
}

fn value(row: &TrialRow, metric: Metric) -> Option<f64> {
    match metric {
        Metric::LatencyP99 => row.p99_ns.map(|p99_ns| p99_ns as f64),
        _ => row.throughput,
    }
}

/// What is wrong with a trial, in a word with its codes.
fn doubt(trial: &TrialRecord) -> Option<String> {
    let coded = |word: &str, codes: &[&str]| {
        if codes.is_empty() {
            word.to_owned()
        } else {
            format!("{word} ({})", codes.join(", "))
        }
    };
    match trial.status {
        TrialStatus::Disturbed => {
            let codes: Vec<&str> = trial.conditions.disturbed_by.iter().map(String::as_str).collect();
            Some(coded("disturbed", &codes))
        }
        TrialStatus::Interrupted => Some("interrupted".to_owned()),
        TrialStatus::Failed { .. } => Some("failed".to_owned()),
        TrialStatus::Completed => {
            let reasons = trial.invalid_because();
            let mut codes: Vec<&str> = reasons.iter().map(|reason| reason.code).collect();
            codes.dedup();
            (!codes.is_empty()).then(|| coded("invalid", &codes))
        }
    }
}
