//! What one system's operations cost in one cell.

use dbdyno_record::TrialRecord;
use serde::Serialize;

use super::pricing::{Pricing, Unpriced, operations_per_unit, per_million};
use super::used::{
    CpuOf, cpu_seconds_per_million, disk_bytes_per_record, whose, written_bytes_per_operation,
};
use crate::validity::counted;
use crate::{CellSystem, Estimate, Interval, Metric, Summary, summarise_trials};

/// A figure over trials, with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amount {
    /// The median, or what it becomes.
    pub value: f64,
    /// Its 95% interval; `None` with too few trials for one.
    pub interval: Option<Interval>,
}

/// What one system's operations cost in one cell.
#[derive(Clone, Debug, Serialize)]
pub struct SystemCost {
    /// The system.
    pub system: String,
    /// What it costs for an hour, in money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_hour: Option<Amount>,
    /// Operations for one unit of money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations_per_unit: Option<Amount>,
    /// Money for a million operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_million: Option<Amount>,
    /// Why there is no money here; `None` where there is, and where there are no prices at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpriced: Option<Unpriced>,
    /// Whether it is paid for by the node, used or idle.
    pub is_fixed: bool,
    /// CPU seconds for a million operations; `None` where nobody measured them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds_per_million: Option<Amount>,
    /// Whose CPU time that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_of: Option<CpuOf>,
    /// Bytes written to storage for an operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes_per_operation: Option<Amount>,
    /// Bytes on disk for a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_bytes_per_record: Option<Amount>,
    /// Operations for one unit of money, as comparisons rest on them.
    #[serde(skip)]
    pub compared: Option<Summary>,
}

impl Amount {
    /// Of an estimate.
    #[must_use]
    pub fn of(estimate: &Estimate) -> Self {
        Self {
            value: estimate.median,
            interval: estimate.interval,
        }
    }

    /// The same in another unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            interval: self.interval.map(|interval| scaled_interval(interval, factor)),
        }
    }

    /// Money for a million operations, of operations for one unit of money: what is most there is least here.
    #[must_use]
    pub fn per_million(self) -> Self {
        let turned = |interval: Interval| Interval {
            low: per_million(interval.high),
            high: per_million(interval.low),
            ..interval
        };
        Self {
            value: per_million(self.value),
            interval: self.interval.map(turned),
        }
    }
}

pub(super) fn scaled_interval(interval: Interval, factor: f64) -> Interval {
    Interval {
        low: interval.low * factor,
        high: interval.high * factor,
        ..interval
    }
}

/// A summary in another unit: every value, the median and its interval times the same factor.
fn scaled(summary: &Summary, factor: f64) -> Summary {
    let mut scaled = summary.clone();
    for value in &mut scaled.values {
        value.value *= factor;
    }
    scaled.estimate.median *= factor;
    let interval = scaled.estimate.interval;
    scaled.estimate.interval = interval.map(|interval| scaled_interval(interval, factor));
    scaled
}

/// What a system's operations cost in a cell; `trials` are the cell's that count, and `pricing` is `None` where there are no prices.
#[must_use]
pub fn system_cost(
    own: &CellSystem,
    trials: &[&TrialRecord],
    pricing: Option<Result<Pricing, Unpriced>>,
) -> SystemCost {
    let trials = counted(&own.name, trials);
    let amount = |of: &dyn Fn(&TrialRecord) -> Option<f64>| {
        let values = trials.iter().filter_map(|trial| Some((*trial, of(trial)?)));
        let summary = summarise_trials(&values.collect::<Vec<_>>())?;
        Some(Amount::of(&summary.estimate))
    };
    let mut cost = SystemCost {
        system: own.name.clone(),
        per_hour: None,
        operations_per_unit: None,
        per_million: None,
        unpriced: None,
        is_fixed: false,
        cpu_seconds_per_million: amount(&cpu_seconds_per_million),
        cpu_of: trials.iter().find_map(|trial| whose(trial)),
        written_bytes_per_operation: amount(&written_bytes_per_operation),
        disk_bytes_per_record: amount(&disk_bytes_per_record),
        compared: None,
    };
    match pricing {
        None => {}
        Some(Err(why)) => cost.unpriced = Some(why),
        Some(Ok(pricing)) => price(&mut cost, own, &trials, &pricing),
    }
    cost
}

/// Adds the money. Whole nodes cost the same whatever they do, so that throughput is all there is to measure: its estimate and what its
/// comparisons rest on are only put into another unit. Else every trial has a cost of its own.
fn price(cost: &mut SystemCost, own: &CellSystem, trials: &[&TrialRecord], pricing: &Pricing) {
    let shown;
    if let Some(per_hour) = pricing.fixed_per_hour() {
        let factor = operations_per_unit(1.0, per_hour);
        cost.is_fixed = true;
        cost.per_hour = Some(Amount {
            value: per_hour,
            interval: None,
        });
        shown = own.throughput.as_ref().map(|summary| scaled(summary, factor));
        let compared = own.compared(Metric::Throughput);
        cost.compared = compared.map(|summary| scaled(summary, factor));
    } else {
        let priced: Vec<_> = trials
            .iter()
            .map(|trial| (*trial, pricing.operations_per_unit(trial)))
            .collect();
        if let Some(why) = priced.iter().find_map(|(_, operations)| operations.err()) {
            cost.unpriced = Some(why);
            return;
        }
        let known = |of: &dyn Fn(&TrialRecord) -> Result<f64, Unpriced>| {
            let values = trials.iter().filter_map(|trial| Some((*trial, of(trial).ok()?)));
            summarise_trials(&values.collect::<Vec<_>>())
        };
        let hours = known(&|trial| pricing.per_hour(trial));
        cost.per_hour = hours.map(|summary| Amount::of(&summary.estimate));
        shown = known(&|trial| pricing.operations_per_unit(trial));
        cost.compared.clone_from(&shown);
    }
    let Some(shown) = shown.filter(|shown| shown.estimate.median > 0.0) else {
        cost.unpriced = Some(Unpriced::NoOperations);
        cost.compared = None;
        return;
    };
    let operations = Amount::of(&shown.estimate);
    cost.operations_per_unit = Some(operations);
    cost.per_million = Some(operations.per_million());
}
