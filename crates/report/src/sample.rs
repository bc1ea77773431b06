//! One metric of one cell as folders and histories compare it: by its name, with why it may not be judged in words.

use dbdyno_analysis::same_mode::ModeSample;
use dbdyno_analysis::{Metric, MetricValues, Pace, Unreliable};
use dbdyno_stats::Better;
use dbdyno_vocabulary::Text;
use serde::Serialize;

use crate::number;
use crate::words::names::Named;
use crate::words::validity;

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
    pub restless: Option<Text>,
    /// Why no verdict may rest on the values, when so many operations had no answer.
    pub failing: Option<Text>,
    /// Why no verdict may rest on the values, when trials are marked invalid.
    pub invalid: Option<Text>,
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

impl From<MetricValues> for MetricSample {
    fn from(measured: MetricValues) -> Self {
        let name = match &measured.operation {
            None => measured.metric.name().to_owned(),
            Some(kind) => format!("{} of {kind}", measured.metric.name()),
        };
        let words = |why: &Option<Unreliable>| why.as_ref().map(validity::told);
        let bound = measured.at_least.then(|| {
            Text::from(format!(
                "{name} lies among operations that had no answer, so it is a lower bound"
            ))
        });
        Self {
            unit: match measured.metric {
                Metric::Throughput | Metric::LoadThroughput => Unit::Rate,
                Metric::LatencyP99 | Metric::LatencyP50 => Unit::Nanoseconds,
            },
            better: measured.metric.better(),
            values: measured.values,
            at_least: measured.at_least,
            restless: words(&measured.restless),
            failing: words(&measured.failing).or(bound),
            invalid: words(&measured.invalid),
            pace: measured.pace,
            modes: measured.modes,
            name,
        }
    }
}
