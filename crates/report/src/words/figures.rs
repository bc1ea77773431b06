//! Figures that `analysis` found, written for people with their units.

use dbdyno_analysis::{CellSystem, CurvePoint, Metric, OperationSummary, RisingLoadStep};

use crate::number::{self, Quantity};

/// How the values of a metric are written.
pub trait MetricFigures {
    /// Which words its ratios take.
    fn quantity(self) -> Quantity;

    /// A value with its unit.
    fn format(self, value: f64) -> String;

    /// A value with its unit, `>= 10 s` where only a lower bound is known.
    fn bounded(self, value: f64, at_least: bool) -> String;
}

impl MetricFigures for Metric {
    fn quantity(self) -> Quantity {
        match self {
            Self::Throughput | Self::LoadThroughput => Quantity::Speed,
            Self::LatencyP99 | Self::LatencyP50 => Quantity::Level,
        }
    }

    fn format(self, value: f64) -> String {
        match self {
            Self::Throughput | Self::LoadThroughput => number::rate(value),
            Self::LatencyP99 | Self::LatencyP50 => number::duration_ns(value),
        }
    }

    fn bounded(self, value: f64, at_least: bool) -> String {
        number::bounded(self.format(value), at_least)
    }
}

/// How medians over trials are written, `>= 10 s` where only a lower bound is known.
pub trait Medians {
    /// A median over trials.
    fn text(&self, metric: Metric, value: f64) -> String;
}

impl Medians for OperationSummary {
    fn text(&self, metric: Metric, value: f64) -> String {
        metric.bounded(value, self.at_least.contains(&metric))
    }
}

impl Medians for CellSystem {
    fn text(&self, metric: Metric, value: f64) -> String {
        match self.operations.first() {
            Some(all) => all.text(metric, value),
            None => metric.format(value),
        }
    }
}

/// The median over trials of their median or of their 99th percentile at a step; `None` for other metrics.
pub fn latency_of_step<O>(step: &RisingLoadStep<O>, metric: Metric) -> Option<String> {
    let median = step.latency(metric)?.estimate.median;
    Some(metric.bounded(median, step.at_least.contains(&metric)))
}

/// The latency at a point, `>= 10 s` where only a lower bound is known, or a dash.
pub fn of_point(point: &CurvePoint) -> String {
    number::latency(point.latency_ns, point.at_least)
}
