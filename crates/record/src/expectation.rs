//! The little language of `--expect`, for continuous integration:
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
//! are meant. With a rate, latency is response time: it counts from the intended start.

use std::fmt;
use std::ops::Range;

use dbdyno_record::{Latency, LoadRecord, OperationRecord, TrialRecord};
use dbdyno_report::number;
use dbdyno_workload::OperationKind;

/// One parsed expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// As it was written.
    pub text: String,
    metric: Metric,
    of: Subject,
    comparison: Comparison,
    value: Value,
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
    Kind(OperationKind),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Less,
    AtMost,
    More,
    AtLeast,
}

/// Nanoseconds, operations per second, a share (0 to 1) or a count.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    LatencyNs(f64),
    Rate(f64),
    Share(f64),
    Count(f64),
}

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
    /// The measured value in words, e.g. `7.31 ms`.
    pub measured: String,
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

    /// Holds this expectation against a trial.
    pub fn judge(&self, trial: &TrialRecord) -> Judgement {
        let Some(measured) = self.measure(trial) else {
            return Judgement {
                met: false,
                measured: "not measured".to_owned(),
            };
        };
        let (measured_number, wanted) = (measured.number(), self.value.number());
        let met = match self.comparison {
            Comparison::Less => measured_number < wanted,
            Comparison::AtMost => measured_number <= wanted,
            Comparison::More => measured_number > wanted,
            Comparison::AtLeast => measured_number >= wanted,
        };
        Judgement {
            met,
            measured: measured.to_string(),
        }
    }

    fn measure(&self, trial: &TrialRecord) -> Option<Value> {
        let (operations, duration_ns) = self.subject(trial)?;
        let sum =
            |of: fn(&OperationRecord) -> u64| operations.iter().map(|&record| of(record)).sum::<u64>() as f64;
        let attempts = sum(OperationRecord::attempts);
        if attempts == 0.0 {
            return None;
        }
        let share_or_count = |count: f64| match self.value {
            Value::Share(_) => Value::Share(count / attempts),
            _ => Value::Count(count),
        };
        let latency = || {
            let mut all = Latency::new();
            for record in &operations {
                all.merge(record.latency());
            }
            (all.count() > 0).then_some(all)
        };
        Some(match self.metric {
            Metric::Throughput => Value::Rate(sum(|record| record.ok) * 1e9 / duration_ns as f64),
            Metric::Errors => share_or_count(sum(OperationRecord::error_count)),
            Metric::NotFound => share_or_count(sum(|record| record.not_found)),
            Metric::Percentile(percentile) => Value::LatencyNs(latency()?.percentile_ns(percentile)? as f64),
            Metric::Mean => Value::LatencyNs(latency()?.mean_ns()?),
            Metric::Max => Value::LatencyNs(latency()?.0.max() as f64),
            Metric::Min => Value::LatencyNs(latency()?.0.min() as f64),
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
                Some((vec![measure.operations.get(kind.name())?], measure.duration_ns))
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
        "load" => Ok(Subject::Load),
        "rmw" | "readmodifywrite" => Ok(Subject::Kind(OperationKind::ReadModifyWrite)),
        _ => OperationKind::from_name(name).map(Subject::Kind).ok_or_else(|| {
            let names: Vec<&str> = OperationKind::ALL.iter().map(|kind| kind.name()).collect();
            let near = dbdyno_study::suggest::nearest(name, names.iter().copied())
                .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            (
                span,
                format!("`{name}` is no operation"),
                format!("{near}an operation is {}, load or all", names.join(", ")),
            )
        }),
    }
}

fn parse_value(metric: Metric, text: &str) -> Result<Value, (String, &'static str)> {
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
            Ok(Value::Rate(number * scale))
        }
        Metric::Errors | Metric::NotFound => match unit {
            "%" => Ok(Value::Share(number / 100.0)),
            _ => scale(unit).map(|scale| Value::Count(number * scale)).ok_or_else(|| {
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
            Ok(Value::LatencyNs(number * scale))
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

impl Value {
    fn number(self) -> f64 {
        match self {
            Self::LatencyNs(number) | Self::Rate(number) | Self::Share(number) | Self::Count(number) => {
                number
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LatencyNs(latency_ns) => formatter.write_str(&number::duration_ns(latency_ns)),
            Self::Rate(rate) => formatter.write_str(&number::rate(rate)),
            Self::Share(share) => formatter.write_str(&number::share(share)),
            Self::Count(count) => write!(formatter, "{count:.0}"),
        }
    }
}

#[cfg(test)]
#[path = "expectation_tests.rs"]
mod tests;
