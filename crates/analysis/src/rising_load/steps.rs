//! The trials of one system, gathered by load.

use std::collections::BTreeMap;

use dbdyno_record::{Objective, Purpose, Quantile, RisingLoadPoint, TrialRecord};
use dbdyno_vocabulary::MetricValue;
use dbdyno_vocabulary::search::Outcome;

use super::{Expected, RisingLoadStep};
use crate::bounds::{self, is_median_a_bound};
use crate::evidence::summarise;

/// The latency of all operations of a trial, at a percentile.
fn latency(trial: &TrialRecord, percentile: f64) -> Option<Quantile> {
    trial.latency(None).percentile(percentile)
}

/// The same in nanoseconds.
pub fn latency_ns(trial: &TrialRecord, percentile: f64) -> Option<f64> {
    Some(latency(trial, percentile)?.ns() as f64)
}

/// Loads in order: rates, then clients. Compared as bits, for rates are written the same each time.
type Load = (u64, u32);

/// The steps, by load; pilots are not among them.
pub fn steps(trials: &[&TrialRecord], objective: Option<&Objective>) -> Vec<RisingLoadStep> {
    let mut by_load: BTreeMap<Load, Vec<(&TrialRecord, RisingLoadPoint)>> = BTreeMap::new();
    for trial in trials {
        if let Some(point) = RisingLoadPoint::of(trial).filter(|point| point.purpose != Purpose::Pilot) {
            let load = (trial.spec.rate().unwrap_or(0.0).to_bits(), trial.spec.clients);
            by_load.entry(load).or_default().push((trial, point));
        }
    }
    by_load
        .into_values()
        .filter_map(|trials| step(&trials, objective))
        .collect()
}

fn step(trials: &[(&TrialRecord, RisingLoadPoint)], objective: Option<&Objective>) -> Option<RisingLoadStep> {
    let asked = &trials.first()?.0.spec;
    let mut purposes: Vec<Purpose> = trials.iter().map(|(_, point)| point.purpose).collect();
    purposes.sort_unstable();
    purposes.dedup();
    let values = |of: &dyn Fn(&TrialRecord, &RisingLoadPoint) -> Option<f64>| {
        let values: Vec<(String, u32, f64)> = trials
            .iter()
            .filter_map(|(trial, point)| Some((trial.trial.clone(), trial.block, of(trial, point)?)))
            .collect();
        summarise(&values)
    };
    let judged: Option<Vec<_>> =
        objective.map(|objective| trials.iter().map(|(trial, _)| objective.judge(trial)).collect());
    let quantiles: Vec<_> = trials
        .iter()
        .map(|(trial, _)| (latency(trial, 50.0), latency(trial, 99.0)))
        .collect();
    Some(RisingLoadStep {
        purpose: purposes
            .iter()
            .map(|purpose| purpose.name())
            .collect::<Vec<_>>()
            .join(", "),
        rate: asked.rate(),
        clients: asked.clients,
        trials: trials.len(),
        kept: judged
            .as_ref()
            .map(|judged| judged.iter().filter(|judged| judged.outcome.holds()).count()),
        client_bound: judged
            .iter()
            .flatten()
            .filter(|judged| judged.outcome == Outcome::ClientBound)
            .count(),
        sustained: trials.iter().filter(|(trial, _)| trial.sustained()).count(),
        throughput: values(&|_, point| Some(point.throughput))?,
        p50: values(&|trial, _| latency_ns(trial, 50.0)),
        p99: values(&|trial, _| latency_ns(trial, 99.0)),
        at_least: bounds::of_trials(&quantiles),
        objective: objective
            .iter()
            .flat_map(|objective| objective.expectations.iter().enumerate())
            .map(|(index, expectation)| {
                let measured: Vec<MetricValue> = judged
                    .iter()
                    .flatten()
                    .filter_map(|judged| judged.measured[index])
                    .collect();
                Expected {
                    metric: expectation.metric_text().to_owned(),
                    median: median(&measured),
                }
            })
            .collect(),
    })
}

/// The median; `None` of nothing.
fn median(measured: &[MetricValue]) -> Option<MetricValue> {
    let values: Vec<(String, u32, f64)> = measured
        .iter()
        .map(|measured| (String::new(), 0, measured.number()))
        .collect();
    let (first, median) = (measured.first()?, summarise(&values)?.estimate.median);
    let quantiles = measured.iter().map(|measured| match measured {
        MetricValue::LatencyAtLeastNs(ns) => Quantile::AtLeast(*ns as u64),
        other => Quantile::Exact(other.number() as u64),
    });
    Some(match (first, is_median_a_bound(quantiles.collect())) {
        (MetricValue::LatencyNs(_), true) => MetricValue::LatencyAtLeastNs(median),
        (MetricValue::LatencyAtLeastNs(_), false) => MetricValue::LatencyNs(median),
        (other, _) => other.with(median),
    })
}
