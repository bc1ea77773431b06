//! The value of a trial that comparisons rest on: the one place that says what it is.

use dbdyno_record::{Quantile, TrialRecord};

use super::core_modes::compared_throughput;
use super::rates::load_throughput;
use super::speed::follows_the_machine;
use super::{CellSystem, CoreModes, MachineSpeed, Metric, Summary};

/// A trial with the percentiles of its latencies, which take its histograms to find.
#[derive(Clone, Copy)]
pub struct MeasuredTrial<'a> {
    /// The trial.
    pub trial: &'a TrialRecord,
    /// Median latency of all its operations.
    pub p50: Option<Quantile>,
    /// Their 99th percentile.
    pub p99: Option<Quantile>,
}

impl<'a> MeasuredTrial<'a> {
    /// Finds the percentiles.
    pub fn new(trial: &'a TrialRecord) -> Self {
        let latency = trial.latency(None);
        Self {
            trial,
            p50: latency.percentile(50.0),
            p99: latency.percentile(99.0),
        }
    }
}

/// What a trial contributes to comparisons of a metric. Tables show medians as measured; this may differ from them.
pub fn value(
    metric: Metric,
    measured: &MeasuredTrial<'_>,
    speed: Option<&MachineSpeed>,
    modes: Option<&CoreModes>,
) -> Option<f64> {
    let latency = |percentile: Option<Quantile>| Some(percentile?.ns() as f64);
    let trial = measured.trial;
    match (metric, speed.filter(|_| follows_the_machine(trial))) {
        (Metric::Throughput, speed) => {
            let own = compared_throughput(modes, trial)?;
            speed.map_or(Some(own), |speed| speed.levelled(trial, own))
        }
        (Metric::LoadThroughput, _) => load_throughput(trial),
        (Metric::LatencyP99, _) => latency(measured.p99),
        (Metric::LatencyP50, _) => latency(measured.p50),
    }
}

impl CellSystem {
    /// What comparisons of one metric rest on.
    #[must_use]
    pub fn compared(&self, metric: Metric) -> Option<&Summary> {
        let known = self.compared.iter().find(|(own, _)| *own == metric);
        known.map(|(_, summary)| summary)
    }
}
