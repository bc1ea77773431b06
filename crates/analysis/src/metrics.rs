//! The metrics that are compared between folders and over history: one value for each trial.

use std::collections::BTreeSet;

use dbdyno_record::{Quantile, TrialRecord};

use crate::bounds::is_median_a_bound;
use crate::rates::{load_throughput, throughput};
use crate::same_mode::ModeSample;
use crate::validity::{Unreliable, failing, invalid, never_steady};
use crate::{Metric, Pace, starts};

/// One metric of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricValues {
    /// The metric.
    pub metric: Metric,
    /// The kind of operations that it is of; `None` of all of them.
    pub operation: Option<String>,
    /// One value for each trial that has one; for each start of servers, where the lab starts them.
    pub values: Vec<f64>,
    /// Only a lower bound of their median is known, as it lies among operations that had no answer.
    pub at_least: bool,
    /// Why no verdict may rest on the values, when the system never reached a steady state.
    pub restless: Option<Unreliable>,
    /// Why no verdict may rest on the values, when so many operations had no answer.
    pub failing: Option<Unreliable>,
    /// Why no verdict may rest on the values, when trials are marked invalid.
    pub invalid: Option<Unreliable>,
    /// Who decided when requests were sent, and whether the system kept up.
    pub pace: Pace,
    /// The same by where the CPUs of the machine stood, for throughputs in a closed loop.
    pub modes: Option<ModeSample>,
}

/// All metrics of the trials of a cell, in the order to tell them: throughput, latency of all operations, the 99th percentile
/// of each kind where there are several, and the load.
pub fn measured(trials: &[&TrialRecord]) -> Vec<MetricValues> {
    let of_system = |why: fn(&str, &[&TrialRecord]) -> Option<Unreliable>| {
        let first = trials.first();
        first.and_then(|trial| why(&trial.system.name, trials))
    };
    let (restless, failing) = (of_system(never_steady), of_system(failing));
    let invalid = of_system(invalid);
    let pace = Pace::of(trials.iter().copied());
    let of_metric = |metric: Metric, of: &dyn Fn(&TrialRecord) -> Option<f64>| {
        let of_trials: Vec<(&TrialRecord, f64)> = trials
            .iter()
            .filter_map(|trial| Some((*trial, of(trial)?)))
            .collect();
        let independent = starts::independent(&of_trials);
        let values: Vec<f64> = independent.into_iter().map(|(_, _, value)| value).collect();
        // The load comes before any warm-up.
        let of_phase = |why: &Option<Unreliable>| why.clone().filter(|_| metric != Metric::LoadThroughput);
        (!values.is_empty()).then(|| MetricValues {
            metric,
            operation: None,
            values,
            at_least: false,
            restless: of_phase(&restless),
            failing: of_phase(&failing),
            invalid: invalid.clone(),
            pace,
            modes: (metric == Metric::Throughput)
                .then(|| ModeSample::of(trials))
                .flatten(),
        })
    };
    let of_latency = |metric: Metric, percentile: f64, kind: Option<&String>| {
        let of = |trial: &TrialRecord| trial.latency(kind.map(String::as_str)).percentile(percentile);
        let quantiles: Vec<Quantile> = trials.iter().filter_map(|trial| of(trial)).collect();
        Some(MetricValues {
            operation: kind.cloned(),
            at_least: is_median_a_bound(quantiles),
            ..of_metric(metric, &|trial| Some(of(trial)?.ns() as f64))?
        })
    };
    let kinds: BTreeSet<&String> = trials
        .iter()
        .flat_map(|trial| &trial.measure)
        .flat_map(|measure| measure.operations.keys())
        .collect();
    let mut all = vec![
        of_metric(Metric::Throughput, &throughput),
        of_latency(Metric::LatencyP99, 99.0, None),
        of_latency(Metric::LatencyP50, 50.0, None),
    ];
    let each = kinds.iter().filter(|_| kinds.len() > 1);
    all.extend(each.map(|kind| of_latency(Metric::LatencyP99, 99.0, Some(kind))));
    all.push(of_metric(Metric::LoadThroughput, &load_throughput));
    all.into_iter().flatten().collect()
}
