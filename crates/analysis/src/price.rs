//! What every level of the options that a study varies costs against its baseline: throughput, run time, latency, processor time.

use dbdyno_record::{ClientCost, TrialRecord};
use serde::Serialize;

use super::evidence::{relative, summarise_trials};
use super::validity::counted;
use super::{Cell, Interval, Metric, Summary, System, Word, baseline};

/// The prices of one baseline's levels in one cell.
#[derive(Clone, Debug, Serialize)]
pub struct Price {
    /// The baseline.
    pub base: String,
    /// The cell.
    pub at: String,
    /// What the baseline itself measured.
    pub baseline: Vec<(PriceQuantity, f64)>,
    /// The levels, in the order of the systems.
    pub levels: Vec<PriceLevel>,
}

/// One level.
#[derive(Clone, Debug, Serialize)]
pub struct PriceLevel {
    /// The system.
    pub system: String,
    /// What distinguishes it from the baseline, e.g. `security=tls`.
    pub level: String,
    /// What is known of it.
    pub figures: Vec<PriceFigure>,
}

/// One quantity of a level, relative to the baseline's.
#[derive(Clone, Debug, Serialize)]
pub struct PriceFigure {
    /// Of what.
    pub quantity: PriceQuantity,
    /// The level's by the baseline's.
    pub ratio: f64,
    /// Interval of the ratio; `None` with too few trials.
    pub interval: Option<Interval>,
    /// The verdict, corrected for all comparisons of the metric; `None` for quantities without verdicts.
    pub word: Option<Word>,
}

/// A quantity that a protection may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriceQuantity {
    /// Operations per second, in a closed loop.
    Throughput,
    /// 99th percentile of the latency, at one rate.
    LatencyP99,
    /// Median latency, at one rate.
    LatencyP50,
    /// Records loaded per second.
    LoadThroughput,
    /// Length of the measured phase, where operations end it.
    RunTime,
    /// Processor time of the servers for each operation.
    ServerCpu,
    /// Processor time of the client for each operation.
    ClientCpu,
}

impl PriceQuantity {
    /// All, in the order of columns.
    pub const ALL: [Self; 7] = [
        Self::Throughput,
        Self::RunTime,
        Self::LatencyP50,
        Self::LatencyP99,
        Self::LoadThroughput,
        Self::ServerCpu,
        Self::ClientCpu,
    ];

    /// The metric that it is; `None` for one that only prices have.
    #[must_use]
    pub const fn metric(self) -> Option<Metric> {
        match self {
            Self::Throughput => Some(Metric::Throughput),
            Self::LatencyP99 => Some(Metric::LatencyP99),
            Self::LatencyP50 => Some(Metric::LatencyP50),
            Self::LoadThroughput => Some(Metric::LoadThroughput),
            Self::RunTime | Self::ServerCpu | Self::ClientCpu => None,
        }
    }

    /// Of one trial, where no metric is it.
    fn of(self, trial: &TrialRecord) -> Option<f64> {
        let measure = trial.measure.as_ref()?;
        match self {
            Self::RunTime => trial
                .spec
                .limit
                .is_counted()
                .then_some(measure.run_time_ns() as f64),
            Self::ServerCpu => measure.cpu_ns_per_operation(measure.server.as_ref()?.cpu_seconds),
            // An imported result does not know what its client cost.
            Self::ClientCpu if measure.client != ClientCost::default() => {
                measure.cpu_ns_per_operation(measure.client.cpu_seconds)
            }
            _ => None,
        }
    }
}

/// The prices in every cell; none where the study varies nothing. `trials` are those that count, cell by cell.
pub fn prices(systems: &[System], cells: &[Cell], trials: &[Vec<&TrialRecord>]) -> Vec<Price> {
    let mut prices = Vec::new();
    for (base, levels) in baseline::by_base(systems) {
        for (cell, trials) in cells.iter().zip(trials) {
            let price = Price {
                base: base.to_owned(),
                at: cell.title.clone(),
                baseline: baseline(cell, trials, base),
                levels: levels
                    .iter()
                    .map(|level| of_level(cell, trials, level, base))
                    .collect(),
            };
            prices.extend((!price.baseline.is_empty()).then_some(price));
        }
    }
    prices
}

fn baseline(cell: &Cell, trials: &[&TrialRecord], base: &str) -> Vec<(PriceQuantity, f64)> {
    let Some(own) = cell.systems.iter().find(|system| system.name == base) else {
        return Vec::new();
    };
    let median = |quantity: PriceQuantity| match quantity.metric() {
        Some(metric) => own.metric(metric).map(|summary| summary.estimate.median),
        None => summary(trials, base, quantity).map(|summary| summary.estimate.median),
    };
    PriceQuantity::ALL
        .into_iter()
        .filter_map(|quantity| Some((quantity, median(quantity)?)))
        .collect()
}

fn of_level(cell: &Cell, trials: &[&TrialRecord], level: &str, base: &str) -> PriceLevel {
    let figure = |quantity: PriceQuantity| match quantity.metric() {
        Some(metric) => {
            let compared = cell.comparison(metric, level, base)?;
            (compared.word != Word::NotComparable).then_some(PriceFigure {
                quantity,
                ratio: compared.ratio,
                interval: compared.interval,
                word: Some(compared.word),
            })
        }
        None => {
            let (ratio, interval) = relative(
                &summary(trials, level, quantity)?,
                &summary(trials, base, quantity)?,
            )?;
            Some(PriceFigure {
                quantity,
                ratio,
                interval,
                word: None,
            })
        }
    };
    PriceLevel {
        system: level.to_owned(),
        level: baseline::label(level, base).to_owned(),
        figures: PriceQuantity::ALL.into_iter().filter_map(figure).collect(),
    }
}

fn summary(trials: &[&TrialRecord], system: &str, quantity: PriceQuantity) -> Option<Summary> {
    let counted = counted(system, trials).into_iter();
    let values: Vec<(&TrialRecord, f64)> = counted
        .filter_map(|trial| Some((trial, quantity.of(trial)?)))
        .collect();
    summarise_trials(&values)
}
