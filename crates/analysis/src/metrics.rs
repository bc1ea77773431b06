//! The metrics that are compared between folders and over history: one value for each trial.

use std::collections::BTreeSet;

use dbdyno_record::{Quantile, TrialRecord};
use dbdyno_stats::Better;
use serde::Serialize;

use crate::bounds::is_median_a_bound;
use crate::number;
use crate::rates::{load_throughput, throughput};
use crate::same_mode::ModeSample;
use crate::validity::{failing, invalid, never_steady};
use crate::{Metric, Pace, starts};

/// What a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Operations a second.
    #[serde(rename = "1/s")]
    Rate,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
}

impl Unit {
    /// As it stands in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rate => "1/s",
            Self::Nanoseconds => "ns",
        }
    }

    /// A value for people.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Rate => number::rate(value),
            Self::Nanoseconds => number::duration_ns(value),
        }
    }
}

/// One metric of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricSample {
    /// Its name, e.g. `p99 latency of read`.
    pub name: String,
    /// What its values are.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Better,
    /// One value for each trial that has one; for each start of servers, where the lab starts them.
    pub values: Vec<f64>,
    /// Only a lower bound of their median is known.
    pub at_least: bool,
    /// Why no verdict may rest on the values, when the system never reached a steady state.
    pub restless: Option<String>,
    /// Why no verdict may rest on the values, when so many operations had no answer.
    pub failing: Option<String>,
    /// Why no verdict may rest on the values, when trials are marked invalid.
    pub invalid: Option<String>,
    /// Who decided when requests were sent, and whether the system kept up.
    pub pace: Pace,
    /// The same by where the CPUs of the machine stood, for throughputs in a closed loop.
    pub modes: Option<ModeSample>,
}

impl MetricSample {
    /// Which kind of metric it is, for what may be compared.
    #[must_use]
    pub fn kind(&self) -> Metric {
        match self.unit {
            Unit::Rate if self.name == Metric::LoadThroughput.name() => Metric::LoadThroughput,
            Unit::Rate => Metric::Throughput,
            Unit::Nanoseconds => Metric::LatencyP99,
        }
    }
}

/// All metrics of the trials of a cell, in the order to tell them: throughput, latency of all operations, the 99th percentile
/// of each kind where there are several, and the load.
pub fn measured(trials: &[&TrialRecord]) -> Vec<MetricSample> {
    let mut all = Vec::new();
    let of_system = |why: fn(&str, &[&TrialRecord]) -> Option<String>| {
        let first = trials.first();
        first.and_then(|trial| why(&trial.system.name, trials))
    };
    let (restless, failing) = (of_system(never_steady), of_system(failing));
    let invalid = of_system(invalid);
    let pace = Pace::of(trials.iter().copied());
    let mut add =
        |name: &str, metric: Metric, bound: Option<String>, of: &dyn Fn(&TrialRecord) -> Option<f64>| {
            let of_trials: Vec<(&TrialRecord, f64)> = trials
                .iter()
                .filter_map(|trial| Some((*trial, of(trial)?)))
                .collect();
            let independent = starts::independent(&of_trials);
            let values: Vec<f64> = independent.into_iter().map(|(_, _, value)| value).collect();
            if !values.is_empty() {
                let (unit, better) = match metric {
                    Metric::Throughput | Metric::LoadThroughput => (Unit::Rate, Better::Higher),
                    Metric::LatencyP99 | Metric::LatencyP50 => (Unit::Nanoseconds, Better::Lower),
                };
                all.push(MetricSample {
                    name: name.to_owned(),
                    unit,
                    better,
                    values,
                    // The load comes before any warm-up.
                    restless: restless.clone().filter(|_| metric != Metric::LoadThroughput),
                    at_least: bound.is_some(),
                    failing: failing
                        .clone()
                        .filter(|_| metric != Metric::LoadThroughput)
                        .or(bound),
                    invalid: invalid.clone(),
                    pace,
                    modes: (metric == Metric::Throughput)
                        .then(|| ModeSample::of(trials))
                        .flatten(),
                });
            }
        };
    add("throughput", Metric::Throughput, None, &throughput);
    let mut add_percentile = |name: &str, metric: Metric, of: &dyn Fn(&TrialRecord) -> Option<Quantile>| {
        let bound = is_median_a_bound(trials.iter().filter_map(|trial| of(trial)).collect());
        let bound =
            bound.then(|| format!("{name} lies among operations that had no answer, so it is a lower bound"));
        add(name, metric, bound, &|trial| Some(of(trial)?.ns() as f64));
    };
    add_percentile("p99 latency", Metric::LatencyP99, &|trial| {
        trial.latency(None).percentile(99.0)
    });
    add_percentile("median latency", Metric::LatencyP50, &|trial| {
        trial.latency(None).percentile(50.0)
    });
    let kinds: BTreeSet<&String> = trials
        .iter()
        .flat_map(|trial| &trial.measure)
        .flat_map(|measure| measure.operations.keys())
        .collect();
    for kind in kinds.iter().filter(|_| kinds.len() > 1) {
        add_percentile(&format!("p99 latency of {kind}"), Metric::LatencyP99, &|trial| {
            trial.latency(Some(kind)).percentile(99.0)
        });
    }
    add("load throughput", Metric::LoadThroughput, None, &load_throughput);
    all
}
