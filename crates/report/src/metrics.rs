//! The metrics that are compared between folders and over history: one value for each trial.

use std::collections::BTreeSet;

use dbdyno_record::TrialRecord;
use dbdyno_stats::Better;
use serde::Serialize;

use crate::model::cells::{load_throughput, merged_latency, throughput};
use crate::model::restraint::never_steady;
use crate::model::starts;
use crate::number;

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
pub struct Measured {
    /// Its name, e.g. `p99 latency of read`.
    pub name: String,
    /// What its values are.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Better,
    /// One value for each trial that has one; for each start of servers, where the lab starts them.
    pub values: Vec<f64>,
    /// Why no verdict may rest on the values, when the system never came to rest.
    pub restless: Option<String>,
}

/// All metrics of the trials of a cell, in the order to tell them: throughput, latency of all operations, the 99th percentile
/// of each kind where there are several, and the load.
pub fn measured(trials: &[&TrialRecord]) -> Vec<Measured> {
    let mut all = Vec::new();
    let restless = trials
        .first()
        .and_then(|trial| never_steady(&trial.system.name, trials));
    let restless = restless.as_ref();
    let mut add =
        |name: &str, unit: Unit, restless: Option<&String>, of: &dyn Fn(&TrialRecord) -> Option<f64>| {
            let of_trials: Vec<(&TrialRecord, f64)> = trials
                .iter()
                .filter_map(|trial| Some((*trial, of(trial)?)))
                .collect();
            let independent = starts::independent(&of_trials);
            let values: Vec<f64> = independent.into_iter().map(|(_, _, value)| value).collect();
            if !values.is_empty() {
                all.push(Measured {
                    name: name.to_owned(),
                    unit,
                    better: match unit {
                        Unit::Rate => Better::Higher,
                        Unit::Nanoseconds => Better::Lower,
                    },
                    values,
                    restless: restless.cloned(),
                });
            }
        };
    let of_all = |percentile: f64| {
        move |trial: &TrialRecord| Some(merged_latency(trial).percentile_ns(percentile)? as f64)
    };
    add("throughput", Unit::Rate, restless, &throughput);
    add("p99 latency", Unit::Nanoseconds, restless, &of_all(99.0));
    add("median latency", Unit::Nanoseconds, restless, &of_all(50.0));
    let kinds: BTreeSet<&String> = trials
        .iter()
        .flat_map(|trial| &trial.measure)
        .flat_map(|measure| measure.operations.keys())
        .collect();
    for kind in kinds.iter().filter(|_| kinds.len() > 1) {
        add(
            &format!("p99 latency of {kind}"),
            Unit::Nanoseconds,
            restless,
            &|trial| {
                let operation = trial.measure.as_ref()?.operations.get(*kind)?;
                Some(operation.known_latency().percentile_ns(99.0)? as f64)
            },
        );
    }
    // The load comes before any warm-up.
    add("load throughput", Unit::Rate, None, &load_throughput);
    all
}
