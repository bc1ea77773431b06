//! The little language of `--expect` and of objectives (`slo`):
//!
//! ```text
//! expectation = metric comparison value
//! metric      = ("p50" | "p99" | "p99.9" ... | "mean" | "max" | "min") ["(" operation ")"]
//!             | ("throughput" | "errors" | "not-found") ["(" operation ")"]
//! comparison  = "<" | "<=" | ">" | ">="
//! operation   = "read" | "update" | "insert" | "scan" | "read-modify-write" | "delete" | "load" | "all"
//! ```
//!
//! Latencies are compared with `ns`, `us`, `ms` or `s`; throughput with a number of operations per second (`10k`,
//! `1.5M`); errors and not-found with a share (`0.1%`) or a number of operations. Without an operation, all of them
//! are meant. With a rate, latency is response time: it counts from the intended start. Percentiles and `max` are over
//! everything that was asked: failed operations rank behind every answer, and an upper limit does not hold for a
//! percentile that falls on them.

use std::ops::Range;

use dbdyno_vocabulary::suggest;

use crate::{LoadRecord, OperationRecord, Quantile, TrialRecord, attempted};

/// One parsed expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// As it was written.
    pub text: String,
    metric: Metric,
    of: Subject,
    comparison: Comparison,
    value: Measured,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Metric {
    Percentile(f64),
    Mean,
    Max,
    Min,
    Throughput,
    Errors,
    NotFound,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Subject {
    All,
    Load,
    Kind(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Less,
    AtMost,
    More,
    AtLeast,
}

/// A figure that an expectation speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// Nanoseconds.
    LatencyNs(f64),
    /// At least so many nanoseconds: it falls on operations that failed after that time.
    LatencyAtLeastNs(f64),
    /// Operations per second.
    Rate(f64),
    /// A share of all operations, 0 to 1.
    Share(f64),
    /// A number of operations.
    Count(f64),
}

/// The operations that can be named; `OperationKind` of the workload has the same names, which a test of the study crate checks.
pub const OPERATIONS: [&str; 6] = ["read", "update", "insert", "scan", "read-modify-write", "delete"];

/// The name of the load phase's inserts, beside [`OPERATIONS`].
pub const LOAD: &str = "load";

/// Why an expectation cannot be understood, with the place in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationError {
    /// The whole expectation.
    pub text: String,
    /// The bytes that are wrong.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What mends it.
    pub help: String,
}

/// Whether an expectation holds, and what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Whether it holds. Something that was not measured does not hold.
    pub met: bool,
    /// What was measured; `None` when nothing was.
    pub measured: Option<Measured>,
}

const METRICS: &str =
    "a metric is p50, p99, p99.9 (any percentile), mean, max, min, throughput, errors or not-found";
const EXAMPLES: &str = "examples: 'p99(read)<5ms', 'throughput>=10k', 'errors<0.1%'";

impl Expectation {
    /// Parses one expectation.
    ///
    /// # Errors
    /// With the place and the remedy.
    pub fn parse(text: &str) -> Result<Self, ExpectationError> {
        let fail = |span: Range<usize>, message: String, help: &str| ExpectationError {
            text: text.to_owned(),
            span,
            message,
            help: help.to_owned(),
        };
        let at = text.find(['<', '>']).ok_or_else(|| {
            fail(
                0..text.len(),
                "there is no comparison".to_owned(),
                &format!("write a metric, then <, <=, > or >=, then a value; {EXAMPLES}"),
            )
        })?;
        let (left, right) = text.split_at(at);
        let (comparison, operator_length) = match right.as_bytes() {
            [b'<', b'=', ..] => (Comparison::AtMost, 2),
            [b'>', b'=', ..] => (Comparison::AtLeast, 2),
            [b'<', ..] => (Comparison::Less, 1),
            _ => (Comparison::More, 1),
        };
        let (metric, of) = parse_metric(left).map_err(|(span, message, help)| fail(span, message, &help))?;
        let value_start = at + operator_length;
        let value_text = text[value_start..].trim();
        let value_at = value_start + (text[value_start..].len() - text[value_start..].trim_start().len());
        let value_span = value_at..value_at + value_text.len();
        if value_text.is_empty() {
            return Err(fail(
                at..text.len(),
                "there is no value after the comparison".to_owned(),
                EXAMPLES,
            ));
        }
        let value =
            parse_value(metric, value_text).map_err(|(message, help)| fail(value_span, message, help))?;
        Ok(Self {
            text: text.to_owned(),
            metric,
            of,
            comparison,
            value,
        })
    }

    /// Holds this expectation against a trial. None about the measured phase holds when clients were given up in it.
    #[must_use]
    pub fn judge(&self, trial: &TrialRecord) -> Judgement {
        let measured = self.measure(trial);
        Judgement {
            met: !self.given_up(trial)
                && measured.is_some_and(|measured| {
                    let bound = matches!(measured, Measured::LatencyAtLeastNs(_));
                    (self.is_lower_bound() || !bound) && self.holds_for(measured.number())
                }),
            measured,
        }
    }

    /// Whether it would hold for this number, in the unit of its own value.
    #[must_use]
    pub fn holds_for(&self, number: f64) -> bool {
        let wanted = self.value.number();
        match self.comparison {
            Comparison::Less => number < wanted,
            Comparison::AtMost => number <= wanted,
            Comparison::More => number > wanted,
            Comparison::AtLeast => number >= wanted,
        }
    }

    /// What stands before the comparison, e.g. `p99(read)`.
    #[must_use]
    pub fn metric_text(&self) -> &str {
        self.text.split(['<', '>']).next().unwrap_or_default().trim()
    }

    /// The value after the comparison.
    #[must_use]
    pub fn limit(&self) -> Measured {
        self.value
    }

    /// The operation it is about, `load` among them; `None`: all.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        match self.of {
            Subject::All => None,
            Subject::Load => Some(LOAD),
            Subject::Kind(kind) => Some(kind),
        }
    }

    /// The fewest operations from which the metric can be told: a percentile is more than the largest value only when a whole
    /// operation lies beyond it, and nothing is read off fewer than ten. `None` for other metrics.
    #[must_use]
    pub fn fewest_operations(&self) -> Option<u64> {
        const LEAST: f64 = 10.0;
        match self.metric {
            Metric::Percentile(percentile) if percentile < 100.0 => {
                // A hair less than what 99.9 leaves of 100 in binary.
                Some((100.0 / (100.0 - percentile) - 1e-6).ceil().max(LEAST) as u64)
            }
            _ => None,
        }
    }

    /// Whether it asks for a large number, not a small one.
    #[must_use]
    pub fn is_lower_bound(&self) -> bool {
        matches!(self.comparison, Comparison::More | Comparison::AtLeast)
    }

    fn given_up(&self, trial: &TrialRecord) -> bool {
        let measure = trial.measure.as_ref();
        self.of != Subject::Load && measure.is_some_and(|measure| measure.drain.stuck > 0)
    }

    fn measure(&self, trial: &TrialRecord) -> Option<Measured> {
        let (operations, duration_ns) = self.subject(trial)?;
        let sum =
            |of: fn(&OperationRecord) -> u64| operations.iter().map(|&record| of(record)).sum::<u64>() as f64;
        let attempts = sum(OperationRecord::attempts);
        let unfinished = operations.iter().any(|record| record.unfinished.is_some());
        if attempts == 0.0 && !unfinished {
            return None;
        }
        let share_or_count = |count: f64| match self.value {
            Measured::Share(_) => Measured::Share(count / attempts.max(1.0)),
            _ => Measured::Count(count),
        };
        let latency = || attempted(operations.iter().copied());
        Some(match self.metric {
            Metric::Throughput => Measured::Rate(sum(OperationRecord::ok_in_time) * 1e9 / duration_ns as f64),
            Metric::Errors => share_or_count(sum(OperationRecord::error_count)),
            Metric::NotFound => share_or_count(sum(|record| record.not_found)),
            Metric::Percentile(percentile) => latency().percentile(percentile)?.into(),
            Metric::Max => latency().percentile(100.0)?.into(),
            Metric::Mean => {
                let all = latency();
                let mean_ns = all.mean_ns()?;
                if all.failure_share() > 0.0 {
                    Measured::LatencyAtLeastNs(mean_ns)
                } else {
                    Measured::LatencyNs(mean_ns)
                }
            }
            Metric::Min => Measured::LatencyNs(latency().min_ns()? as f64),
        })
    }

    /// The operations this is about, and the length of their phase.
    fn subject<'t>(&self, trial: &'t TrialRecord) -> Option<(Vec<&'t OperationRecord>, u64)> {
        let measure = trial.measure.as_ref();
        match self.of {
            Subject::Load => {
                let LoadRecord { duration_ns, inserts } = trial.load.as_ref()?;
                Some((vec![inserts], *duration_ns))
            }
            Subject::All => {
                measure.map(|measure| (measure.operations.values().collect(), measure.duration_ns))
            }
            Subject::Kind(kind) => {
                let measure = measure?;
                Some((vec![measure.operations.get(kind)?], measure.duration_ns))
            }
        }
    }
}

type Misread = (Range<usize>, String, String);

fn parse_metric(text: &str) -> Result<(Metric, Subject), Misread> {
    let start = text.len() - text.trim_start().len();
    let trimmed = text.trim();
    let (name, subject) = match trimmed.split_once('(') {
        None => (trimmed, Subject::All),
        Some((name, rest)) => {
            let inner_at = start + name.len() + 1;
            let Some(operation) = rest.strip_suffix(')') else {
                return Err((
                    start..start + trimmed.len(),
                    "the bracket is not closed".to_owned(),
                    EXAMPLES.to_owned(),
                ));
            };
            let span = inner_at..inner_at + operation.len();
            (name.trim_end(), parse_subject(operation.trim(), span)?)
        }
    };
    let span = start..start + name.len().max(1);
    let metric = match name {
        "throughput" => Metric::Throughput,
        "errors" => Metric::Errors,
        "not-found" => Metric::NotFound,
        "mean" => Metric::Mean,
        "max" => Metric::Max,
        "min" => Metric::Min,
        "median" => Metric::Percentile(50.0),
        _ => match name.strip_prefix('p').map(str::parse::<f64>) {
            Some(Ok(percentile)) if percentile > 0.0 && percentile <= 100.0 => Metric::Percentile(percentile),
            Some(Ok(_)) => {
                return Err((
                    span,
                    format!("`{name}` is no percentile"),
                    "a percentile is above 0 and at most 100: p50, p99, p99.9".to_owned(),
                ));
            }
            _ => {
                return Err((
                    span,
                    format!("`{name}` is no metric"),
                    format!("{METRICS}; {EXAMPLES}"),
                ));
            }
        },
    };
    Ok((metric, subject))
}

fn parse_subject(name: &str, span: Range<usize>) -> Result<Subject, Misread> {
    match name {
        "all" => Ok(Subject::All),
        LOAD => Ok(Subject::Load),
        "rmw" | "readmodifywrite" => Ok(Subject::Kind("read-modify-write")),
        _ => OPERATIONS
            .into_iter()
            .find(|operation| *operation == name)
            .map(Subject::Kind)
            .ok_or_else(|| {
                let near = suggest::before_list(name, OPERATIONS);
                (
                    span,
                    format!("`{name}` is no operation"),
                    format!("{near}an operation is {}, load or all", OPERATIONS.join(", ")),
                )
            }),
    }
}

fn parse_value(metric: Metric, text: &str) -> Result<Measured, (String, &'static str)> {
    let unit_at = text
        .find(|character: char| !(character.is_ascii_digit() || character == '.' || character == '_'))
        .unwrap_or(text.len());
    let (digits, unit) = (text[..unit_at].replace('_', ""), text[unit_at..].trim());
    let number: f64 = digits.parse().map_err(|_| {
        (
            format!("`{text}` is no value"),
            "a value is a number and its unit, e.g. 5ms, 10k or 0.1%",
        )
    })?;
    match metric {
        Metric::Throughput => {
            let unit = unit.strip_suffix("/s").unwrap_or(unit);
            let scale = scale(unit).ok_or_else(|| {
                (
                    format!("`{text}` is no rate"),
                    "throughput is operations per second: 500, 10k, 1.5M (or 10k/s)",
                )
            })?;
            Ok(Measured::Rate(number * scale))
        }
        Metric::Errors | Metric::NotFound => match unit {
            "%" => Ok(Measured::Share(number / 100.0)),
            _ => scale(unit).map(|scale| Measured::Count(number * scale)).ok_or_else(|| {
                (
                    format!("`{text}` is neither a share nor a count"),
                    "write a share of all operations with % (0.1%), or a number of operations (0, 10, 1k)",
                )
            }),
        },
        _ => {
            let scale = match unit {
                "ns" => 1.0,
                "us" | "µs" => 1e3,
                "ms" => 1e6,
                "s" => 1e9,
                "" => {
                    return Err((
                        format!("`{text}` has no unit"),
                        "say the unit of a latency: ns, us, ms or s, e.g. 5ms",
                    ));
                }
                _ => {
                    return Err((
                        format!("`{unit}` is no unit of latency"),
                        "the units of latency are ns, us, ms and s",
                    ));
                }
            };
            Ok(Measured::LatencyNs(number * scale))
        }
    }
}

fn scale(unit: &str) -> Option<f64> {
    match unit {
        "" => Some(1.0),
        "k" | "K" => Some(1e3),
        "M" => Some(1e6),
        "G" => Some(1e9),
        _ => None,
    }
}

impl Measured {
    /// Another figure with this one's unit.
    #[must_use]
    pub fn with(self, number: f64) -> Self {
        match self {
            Self::LatencyNs(_) => Self::LatencyNs(number),
            Self::LatencyAtLeastNs(_) => Self::LatencyAtLeastNs(number),
            Self::Rate(_) => Self::Rate(number),
            Self::Share(_) => Self::Share(number),
            Self::Count(_) => Self::Count(number),
        }
    }

    /// The figure without its unit.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::LatencyNs(number)
            | Self::LatencyAtLeastNs(number)
            | Self::Rate(number)
            | Self::Share(number)
            | Self::Count(number) => number,
        }
    }
}

impl From<Quantile> for Measured {
    fn from(quantile: Quantile) -> Self {
        match quantile {
            Quantile::Exact(ns) => Self::LatencyNs(ns as f64),
            Quantile::AtLeast(ns) => Self::LatencyAtLeastNs(ns as f64),
        }
    }
}

#[cfg(test)]
#[path = "expectation_tests.rs"]
mod tests;
