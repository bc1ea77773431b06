//! Sentences from figures. Words are chosen here once, so that all outputs say the same.

use std::collections::BTreeSet;

use dbdyno_record::{NOT_STATED, TrialRecord, WorkloadRecord};
use dbdyno_trial::Origin;
use dbdyno_vocabulary::{Inline, Text, named, text};

use super::{Comparison, Interval, Metric, Scope, Unranked};
use crate::number;
use crate::words::comparability::reason;
use crate::words::figures::MetricFigures;
use crate::words::load::FULL_SPEED;
use crate::words::names::Named;

/// The operations of a mix: property and word.
pub(crate) const MIX: [(&str, &str); 6] = [
    ("readproportion", "read"),
    ("updateproportion", "update"),
    ("insertproportion", "insert"),
    ("scanproportion", "scan"),
    ("readmodifywriteproportion", "read-modify-write"),
    ("deleteproportion", "delete"),
];

/// `1.83x as fast as fjall (1.70x to 1.90x)`.
pub fn times(comparison: &Comparison) -> Text {
    let quantity = comparison.metric.quantity();
    number::times_than(comparison.ratio, ends(comparison), quantity, named(&comparison.b))
}

/// The ratio of a level to its baseline: `1.83x as fast (1.70x to 1.90x)`.
pub fn ratio(comparison: &Comparison) -> String {
    number::times(comparison.ratio, ends(comparison), comparison.metric.quantity())
}

fn ends(comparison: &Comparison) -> Option<(f64, f64)> {
    comparison.interval.map(Interval::ends)
}

/// The verdict about a metric that ranks nothing.
pub fn not_comparable(metric: Metric, why: &Unranked) -> Text {
    let name = match metric {
        Metric::Throughput => "Throughput",
        other => other.name(),
    };
    text![name, " is not comparable: ", reason(why), "."]
}

/// The work of a cell: `100k records, 4 clients, closed loop`.
pub fn scope(scope: &Scope) -> String {
    let counts = |values: Vec<String>, one: bool, singular: &str, plural: &str| {
        let word = if one { singular } else { plural };
        format!("{} {word}", values.join(" or "))
    };
    let mut parts = Vec::new();
    if !scope.records.is_empty() && scope.records.iter().any(|records| *records > 0) {
        let records = scope.records.iter();
        let records = records.map(|records| number::quantity(*records as f64));
        parts.push(counts(
            records.collect(),
            scope.records.first() == Some(&1),
            "record",
            "records",
        ));
    }
    if !scope.clients.is_empty() {
        let only_one = scope.clients.len() == 1 && scope.clients.contains(&1);
        let clients = scope.clients.iter().map(ToString::to_string);
        parts.push(counts(clients.collect(), only_one, "client", "clients"));
    }
    if !scope.rate.is_empty() {
        let rates: Vec<String> = scope.rate.iter().map(ToString::to_string).collect();
        parts.push(rates.join(" or "));
    }
    parts.join(", ")
}

/// What a workload does, e.g. `50% read, 50% update`, `zipfian keys`, `10 fields of 100 bytes`.
pub fn workload(workload: &WorkloadRecord) -> Vec<Text> {
    let property = |name: &str| workload.properties.get(name).map(String::as_str);
    let weights: Vec<(f64, &str)> = MIX
        .iter()
        .filter_map(|(key, word)| Some((property(key)?.parse::<f64>().ok()?, *word)))
        .filter(|(weight, _)| *weight > 0.0)
        .collect();
    let sum: f64 = weights.iter().map(|(weight, _)| weight).sum();
    let mut parts: Vec<Text> = Vec::new();
    if sum > 0.0 {
        let mix: Vec<String> = weights
            .iter()
            .map(|(weight, word)| format!("{} {word}", number::share(weight / sum)))
            .collect();
        parts.push(mix.join(", ").into());
    }
    if let Some(distribution) = property("requestdistribution") {
        parts.push(format!("{distribution} keys").into());
    }
    if let (Some(fields), Some(length)) = (property("fieldcount"), property("fieldlength")) {
        parts.push(text![format!("{fields} fields of "), size(length)]);
    }
    parts
}

/// A length as a property states it, in bytes; people read a long one in larger units.
fn size(length: &str) -> Inline {
    let exact = format!("{length} bytes");
    match length.parse::<f64>() {
        Ok(bytes) if bytes >= 1024.0 => Inline::Value {
            shown: number::bytes(bytes),
            exact,
        },
        _ => Inline::Plain(exact),
    }
}

/// How the cell was asked, e.g. `16 clients, full speed, 10 s after 2.00 s of warm-up, 100k records`.
pub fn asked(trials: &[&TrialRecord]) -> String {
    let mut parts = Vec::new();
    let each = |of: &dyn Fn(&TrialRecord) -> Option<String>| -> String {
        let mut levels: Vec<String> = Vec::new();
        for text in trials.iter().filter_map(|trial| of(trial)) {
            if !levels.contains(&text) {
                levels.push(text);
            }
        }
        levels.join(" or ")
    };
    parts.push(each(&|trial| {
        Some(match trial.spec.clients as usize {
            0 => format!("clients {NOT_STATED}"),
            clients => number::plural(clients, "client", "clients"),
        })
    }));
    parts.push(each(&|trial| {
        Some(match (trial.spec.pace, trial.spec.origin) {
            (Some(pace), _) => format!("{} arrivals at {}", pace.arrivals, number::rate(pace.rate)),
            (None, Origin::Log { states_rate: false }) => format!("rate {NOT_STATED}"),
            (None, _) => FULL_SPEED.to_owned(),
        })
    }));
    parts.push(each(&|trial| {
        let limit = trial.spec.limit;
        let duration = limit
            .duration
            .map(|length| number::duration_ns(length.as_nanos() as f64));
        let operations = limit
            .operations
            .map(|limit| format!("{} operations", number::quantity(limit as f64)));
        match (duration, operations) {
            (Some(duration), Some(operations)) => Some(format!("{duration} or {operations}")),
            (duration, operations) => duration.or(operations),
        }
    }));
    parts.push(each(&|trial| {
        let longest = trial.spec.warmup.longest;
        (!longest.is_zero()).then(|| {
            let longest = number::duration_ns(longest.as_nanos() as f64);
            match trial.conditions.warmup_ns {
                Some(_) => format!("warm-up until steady, at most {longest}"),
                None => format!("{longest} warm-up"),
            }
        })
    }));
    parts.push(records(trials));
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

fn records(trials: &[&TrialRecord]) -> String {
    let counts: BTreeSet<u64> = trials.iter().map(|trial| trial.workload.records).collect();
    match (counts.first(), counts.last()) {
        (Some(0), Some(0)) | (None, _) | (_, None) => String::new(),
        (Some(few), Some(many)) if few == many => format!("{} records", number::quantity(*few as f64)),
        (Some(few), Some(many)) => {
            format!(
                "{} to {} records",
                number::quantity(*few as f64),
                number::quantity(*many as f64)
            )
        }
    }
}

/// Realised skew of the first trial that has it: seeds differ by block, shares hardly do.
pub fn skew(trials: &[&TrialRecord]) -> String {
    trials
        .iter()
        .find_map(|trial| trial.skew.as_ref())
        .map_or(String::new(), |skew| {
            format!(
                "hottest key {}, hottest 1% of keys {}, hottest 20% of keys {} of the operations",
                number::share(skew.hottest_key),
                number::share(skew.top_1_percent),
                number::share(skew.top_20_percent)
            )
        })
}
