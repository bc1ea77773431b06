//! The figures of a trial that expectations, objectives and needs are about, by name: `throughput`, `p99(read)`, `server-cpu`.

use std::ops::Range;

use crate::{OperationKind, number, suggest};

/// A figure of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// Successful operations per second.
    Throughput(Subject),
    /// A percentile of the latency: response time with a rate, service time without one. 100 is the maximum.
    Percentile(f64, Subject),
    /// Mean latency.
    Mean(Subject),
    /// Smallest latency.
    Min(Subject),
    /// Failed operations, as a share of all or as a number.
    Errors(Subject),
    /// Operations that found no record, as a share of all or as a number.
    NotFound(Subject),
    /// CPU time of the client for one successful operation; of an embedded store it is client and database together.
    ClientCpu,
    /// CPU time of the servers for one successful operation.
    ServerCpu,
    /// Memory of the servers.
    ServerMemory,
    /// Space that the servers' data take on disk.
    Disk,
    /// Bytes on disk over the bytes of the records.
    SpaceAmplification,
    /// Bytes written to storage over the bytes that operations wrote.
    WriteAmplification,
    /// Money for a million operations. It follows from prices, which no trial has: it is among no [`names`](Metric::names) of a trial's figures.
    Cost,
}

/// The operations that a metric covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All operations of the measured phase.
    All,
    /// The inserts of the load phase.
    Load,
    /// One kind of operation of the measured phase.
    Kind(OperationKind),
}

/// The unit of a metric's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Operations per second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
    /// A share, 0 to 1.
    Share,
    /// Bytes.
    Bytes,
    /// A ratio.
    Ratio,
    /// Money, in the currency of the prices.
    Money,
}

/// Why a text names no metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricError {
    /// The wrong bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// Makes a metric of some operations.
type OfOperations = fn(Subject) -> Metric;

/// Metrics that are about some operations, and about all of them without brackets.
const OF_OPERATIONS: [(&str, OfOperations); 7] = [
    ("throughput", Metric::Throughput),
    ("mean", Metric::Mean),
    ("median", |subject| Metric::Percentile(50.0, subject)),
    ("max", |subject| Metric::Percentile(100.0, subject)),
    ("min", Metric::Min),
    ("errors", Metric::Errors),
    ("not-found", Metric::NotFound),
];

/// Metrics of a whole trial.
const OF_TRIAL: [(&str, Metric); 6] = [
    ("client-cpu", Metric::ClientCpu),
    ("server-cpu", Metric::ServerCpu),
    ("server-memory", Metric::ServerMemory),
    ("disk", Metric::Disk),
    ("space-amplification", Metric::SpaceAmplification),
    ("write-amplification", Metric::WriteAmplification),
];

/// The name of the metric that follows from prices.
const COST: (&str, Metric) = ("cost", Metric::Cost);

impl Metric {
    /// Every name without brackets, after two percentiles as examples.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        let of_operations = OF_OPERATIONS.iter().map(|(name, _)| *name);
        let of_trial = OF_TRIAL.iter().map(|(name, _)| *name);
        ["p99", "p99.9"]
            .into_iter()
            .chain(of_operations)
            .chain(of_trial)
            .collect()
    }

    /// The metric of this name, e.g. `throughput`, `p99(read)`, `server-cpu`.
    ///
    /// # Errors
    /// [`MetricError`], with the place and the remedy.
    pub fn parse(text: &str) -> Result<Self, MetricError> {
        let start = text.len() - text.trim_start().len();
        let trimmed = text.trim();
        let (name, subject) = match trimmed.split_once('(') {
            None => (trimmed, None),
            Some((name, rest)) => {
                let inner_at = start + name.len() + 1;
                let inner = rest.strip_suffix(')').ok_or_else(|| MetricError {
                    span: start..start + trimmed.len(),
                    message: format!("the bracket of `{trimmed}` is not closed"),
                    help: "write e.g. p99(read)".to_owned(),
                })?;
                let subject = Subject::parse(inner.trim(), inner_at..inner_at + inner.len())?;
                (name.trim_end(), Some(subject))
            }
        };
        let span = start..start + name.len().max(1);
        let of = subject.unwrap_or(Subject::All);
        if let Some((_, metric)) = OF_OPERATIONS.iter().find(|(known, _)| *known == name) {
            return Ok(metric(of));
        }
        if let Some((_, metric)) = OF_TRIAL.iter().chain([&COST]).find(|(known, _)| *known == name) {
            return match subject {
                None => Ok(*metric),
                Some(_) => Err(MetricError {
                    span: start..start + trimmed.len(),
                    message: format!("`{name}` is about the whole trial"),
                    help: format!("write `{name}` without brackets"),
                }),
            };
        }
        match name.strip_prefix('p').map(str::parse::<f64>) {
            Some(Ok(percentile)) if percentile > 0.0 && percentile <= 100.0 => {
                Ok(Self::Percentile(percentile, of))
            }
            Some(Ok(_)) => Err(MetricError {
                span,
                message: format!("`{name}` is not a percentile"),
                help: "a percentile is above 0 and at most 100: p50, p99, p99.9".to_owned(),
            }),
            _ => Err(MetricError {
                span,
                message: format!("`{name}` is not a metric"),
                help: format!(
                    "{}a metric is any percentile such as p99 or p99.9, or {}",
                    suggest::before_list(name, Self::names()),
                    Self::names()[2..].join(", ")
                ),
            }),
        }
    }

    /// Its name, as [`Metric::parse`] reads it.
    #[must_use]
    pub fn name(self) -> String {
        let of = |name: &str, subject: Subject| match subject.name() {
            "all" => name.to_owned(),
            subject => format!("{name}({subject})"),
        };
        match self {
            Self::Throughput(subject) => of("throughput", subject),
            Self::Percentile(100.0, subject) => of("max", subject),
            Self::Percentile(percentile, subject) => of(&number::percentile(percentile), subject),
            Self::Mean(subject) => of("mean", subject),
            Self::Min(subject) => of("min", subject),
            Self::Errors(subject) => of("errors", subject),
            Self::NotFound(subject) => of("not-found", subject),
            Self::ClientCpu => "client-cpu".to_owned(),
            Self::ServerCpu => "server-cpu".to_owned(),
            Self::ServerMemory => "server-memory".to_owned(),
            Self::Disk => "disk".to_owned(),
            Self::SpaceAmplification => "space-amplification".to_owned(),
            Self::WriteAmplification => "write-amplification".to_owned(),
            Self::Cost => COST.0.to_owned(),
        }
    }

    /// The unit of its values.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Self::Throughput(_) => Unit::PerSecond,
            Self::Percentile(..) | Self::Mean(_) | Self::Min(_) | Self::ClientCpu | Self::ServerCpu => {
                Unit::Nanoseconds
            }
            Self::Errors(_) | Self::NotFound(_) => Unit::Share,
            Self::ServerMemory | Self::Disk => Unit::Bytes,
            Self::SpaceAmplification | Self::WriteAmplification => Unit::Ratio,
            Self::Cost => Unit::Money,
        }
    }

    /// Whether more is better; for all others less is.
    #[must_use]
    pub const fn is_higher_better(self) -> bool {
        matches!(self, Self::Throughput(_))
    }

    /// Whether it is a latency, which is service time in a closed loop.
    #[must_use]
    pub const fn is_latency(self) -> bool {
        matches!(self, Self::Percentile(..) | Self::Mean(_) | Self::Min(_))
    }

    /// The operations it covers; all for a metric of the whole trial.
    #[must_use]
    pub const fn subject(self) -> Subject {
        match self {
            Self::Throughput(subject)
            | Self::Percentile(_, subject)
            | Self::Mean(subject)
            | Self::Min(subject)
            | Self::Errors(subject)
            | Self::NotFound(subject) => subject,
            _ => Subject::All,
        }
    }

    /// A value for people, with its unit.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self.unit() {
            Unit::PerSecond => number::rate(value),
            Unit::Nanoseconds => number::duration_ns(value),
            Unit::Share => number::share(value),
            Unit::Bytes => number::bytes(value),
            Unit::Ratio => number::ratio(value),
            Unit::Money => number::money(value),
        }
    }
}

impl Subject {
    /// Its name in brackets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Load => "load",
            Self::Kind(kind) => kind.name(),
        }
    }

    fn parse(name: &str, span: Range<usize>) -> Result<Self, MetricError> {
        let kind = match name {
            "all" => return Ok(Self::All),
            "load" => return Ok(Self::Load),
            "rmw" | "readmodifywrite" => Some(OperationKind::ReadModifyWrite),
            _ => OperationKind::from_name(name),
        };
        let names = OperationKind::ALL.map(OperationKind::name);
        kind.map(Self::Kind).ok_or_else(|| MetricError {
            span,
            message: format!("`{name}` is not an operation"),
            help: format!(
                "{}an operation is {}, load or all",
                suggest::before_list(name, names),
                names.join(", ")
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_read_back_from_its_name() {
        let texts = [
            "p99.9(read-modify-write)",
            "mean(scan)",
            "throughput(load)",
            "errors(update)",
            "p95",
            "cost",
        ];
        for text in Metric::names().into_iter().chain(texts) {
            let metric = Metric::parse(text).unwrap();
            assert_eq!(Metric::parse(&metric.name()), Ok(metric), "{text}");
        }
        let read = Subject::Kind(OperationKind::Read);
        assert_eq!(Metric::parse(" p99( read ) "), Ok(Metric::Percentile(99.0, read)));
        assert_eq!(
            Metric::parse("p99(all)"),
            Ok(Metric::Percentile(99.0, Subject::All))
        );
        assert_eq!(
            Metric::parse("mean(rmw)"),
            Ok(Metric::Mean(Subject::Kind(OperationKind::ReadModifyWrite)))
        );
    }

    #[test]
    fn mistakes_name_the_remedy() {
        for (text, message, help) in [
            ("p101", "not a percentile", "at most 100"),
            ("thruput", "not a metric", "did you mean `throughput`?"),
            ("p99(read", "not closed", "p99(read)"),
            ("p99(red)", "not an operation", "did you mean `read`?"),
            ("disk(read)", "whole trial", "without brackets"),
            ("", "not a metric", "a metric is"),
        ] {
            let error = Metric::parse(text).unwrap_err();
            assert!(error.message.contains(message), "{text}: {error:?}");
            assert!(error.help.contains(help), "{text}: {error:?}");
        }
    }
}
