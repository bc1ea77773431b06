//! Metrics as this crate knows them: a catalogue entry and its series. The formats of Prometheus and OpenTelemetry are made from it.

use dbdyno_record::live_buckets::LatencyBuckets;

/// How a metric behaves over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Says something by its labels; its value is 1.
    Info,
    /// Latencies.
    Histogram,
}

/// The unit of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A number of something.
    Count,
    Seconds,
    Bytes,
}

/// An entry of the catalogue.
#[derive(Debug)]
pub(crate) struct Metric {
    /// Its name without unit and suffix.
    pub name: &'static str,
    /// A sentence that describes it.
    pub help: &'static str,
    pub unit: Unit,
    pub kind: Kind,
    /// Names of its labels, in the order of every series' values.
    pub labels: &'static [&'static str],
}

/// One combination of label values.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// As many as the metric has labels.
    pub labels: Vec<String>,
    pub value: Value,
}

/// Counted or measured values.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Count(u64),
    Number(f64),
    Latencies(LatencyBuckets),
}

/// A metric with its series.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub metric: &'static Metric,
    pub series: Vec<Series>,
}

impl Metric {
    /// Its labels with the values of a series.
    pub fn labelled<'a>(&self, series: &'a Series) -> Vec<(&'static str, &'a str)> {
        let values = series.labels.iter().map(String::as_str);
        self.labels.iter().copied().zip(values).collect()
    }
}
