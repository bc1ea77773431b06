//! The little language of `--expect`, of objectives (`slo`) and of needs (`keep`):
//!
//! ```text
//! expectation = metric comparison value
//! metric      = ("p50" | "p99" | "p99.9" ... | "mean" | "max" | "min") ["(" operation ")"]
//!             | ("throughput" | "errors" | "not-found") ["(" operation ")"]
//!             | "client-cpu" | "server-cpu" | "server-memory" | "disk" | "space-amplification" | "write-amplification"
//! comparison  = "<" | "<=" | ">" | ">="
//! operation   = "read" | "update" | "insert" | "scan" | "read-modify-write" | "delete" | "load" | "all"
//! ```
//!
//! Times are compared with a time (`5ms`), throughput with operations per second (`10k`, `1.5M`), errors and not-found
//! with a share (`0.1%`) or a number of operations, memory and disk with a size (`2GB`). Without an operation, all of them
//! are meant. With a rate, latency is response time: it counts from the intended start.

use std::ops::Range;

use crate::{Metric, QuantityError, Rate, Share, Size, Time, Unit, number, parse_number};

/// One parsed expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// As it was written.
    pub text: String,
    metric: Metric,
    comparison: Comparison,
    limit: MetricValue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Less,
    AtMost,
    More,
    AtLeast,
}

/// A value of a metric, with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricValue {
    /// A latency in nanoseconds.
    LatencyNs(f64),
    /// A latency of at least this many nanoseconds: it falls on operations that failed after that time.
    LatencyAtLeastNs(f64),
    /// CPU time in nanoseconds.
    CpuNs(f64),
    /// Operations per second.
    Rate(f64),
    /// A share of all operations, 0 to 1.
    Share(f64),
    /// A number of operations.
    Count(f64),
    /// Bytes.
    Bytes(f64),
    /// A ratio.
    Ratio(f64),
    /// Money, in the currency of the prices.
    Money(f64),
}

/// Why an expectation cannot be understood, with the place in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationError {
    /// The whole expectation.
    pub text: String,
    /// The wrong bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

const EXAMPLES: &str = "examples: 'p99(read)<5ms', 'throughput>=10k', 'errors<0.1%'";

impl Expectation {
    /// Parses one expectation.
    ///
    /// # Errors
    /// [`ExpectationError`], with the place and the remedy.
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
                "the comparison is missing".to_owned(),
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
        let metric = Metric::parse(left).map_err(|error| fail(error.span, error.message, &error.help))?;
        if metric == Metric::Cost {
            return Err(fail(
                0..left.len(),
                "`cost` follows from prices, which no trial has".to_owned(),
                "write `budget` in a need file (docs/advise.md), or expect server-cpu or throughput",
            ));
        }
        let after = &right[operator_length..];
        let value = after.trim();
        let value_at = text.len() - after.trim_start().len();
        if value.is_empty() {
            return Err(fail(
                at..text.len(),
                "the value after the comparison is missing".to_owned(),
                EXAMPLES,
            ));
        }
        let limit = MetricValue::parse(metric, value)
            .map_err(|(message, help)| fail(value_at..value_at + value.len(), message, help))?;
        Ok(Self {
            text: text.to_owned(),
            metric,
            comparison,
            limit,
        })
    }

    /// Whether it would hold for this number, in the unit of its own limit.
    #[must_use]
    pub fn holds_for(&self, number: f64) -> bool {
        let wanted = self.limit.number();
        match self.comparison {
            Comparison::Less => number < wanted,
            Comparison::AtMost => number <= wanted,
            Comparison::More => number > wanted,
            Comparison::AtLeast => number >= wanted,
        }
    }

    /// The metric before the comparison.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// The text before the comparison, e.g. `p99(read)`.
    #[must_use]
    pub fn metric_text(&self) -> &str {
        self.text.split(['<', '>']).next().unwrap_or_default().trim()
    }

    /// The value after the comparison.
    #[must_use]
    pub const fn limit(&self) -> MetricValue {
        self.limit
    }

    /// The fewest operations that show the metric: a percentile is more than the largest value only when a whole
    /// operation lies beyond it, and nothing is read off fewer than ten. `None` for other metrics.
    #[must_use]
    pub fn fewest_operations(&self) -> Option<u64> {
        const LEAST: f64 = 10.0;
        match self.metric {
            Metric::Percentile(percentile, _) if percentile < 100.0 => {
                // A hair less than what 99.9 leaves of 100 in binary.
                Some((100.0 / (100.0 - percentile) - 1e-6).ceil().max(LEAST) as u64)
            }
            _ => None,
        }
    }

    /// Whether it asks for a large number, not a small one.
    #[must_use]
    pub const fn is_lower_bound(&self) -> bool {
        matches!(self.comparison, Comparison::More | Comparison::AtLeast)
    }
}

impl MetricValue {
    /// Reads a value of this metric, with the unit that it takes.
    ///
    /// # Errors
    /// What is wrong, and what to write instead.
    pub fn parse(metric: Metric, text: &str) -> Result<Self, (String, &'static str)> {
        match metric.unit() {
            Unit::PerSecond => Rate::parse(text).map(|rate| Self::Rate(rate.get())).map_err(|_| {
                (
                    format!("`{text}` is not a rate"),
                    "throughput is operations per second: 500, 10k, 1.5M (or 10k/s)",
                )
            }),
            Unit::Nanoseconds => match Time::parse(text) {
                Ok(time) if metric.is_latency() => Ok(Self::LatencyNs(time.get().as_nanos() as f64)),
                Ok(time) => Ok(Self::CpuNs(time.get().as_nanos() as f64)),
                // Minutes and hours are no latencies.
                Err(QuantityError::NoUnit { text }) => Err((
                    format!("`{text}` has no unit of time; write {text}ms or {text}us"),
                    "a time has a unit: ns, us, ms or s",
                )),
                Err(error) => Err((error.to_string(), "a time has a unit: ns, us, ms or s, e.g. 5ms")),
            },
            Unit::Share => {
                let value = if text.ends_with('%') {
                    Share::parse(text).map(|share| Self::Share(share.get()))
                } else {
                    parse_number(text).map(Self::Count)
                };
                value.map_err(|_| {
                    (
                        format!("`{text}` is neither a share nor a count"),
                        "write a share of all operations with % (0.1%), or a number of operations (0, 10, 1k)",
                    )
                })
            }
            Unit::Bytes => Size::parse(text)
                .map(|size| Self::Bytes(size.get() as f64))
                .map_err(|error| (error.to_string(), "write a size, e.g. 512MiB or 2GB")),
            Unit::Money => parse_number(text)
                .map(Self::Money)
                .map_err(|error| (error.to_string(), "write an amount of money, e.g. 0.25")),
            Unit::Ratio => parse_number(text)
                .map(Self::Ratio)
                .map_err(|error| (error.to_string(), "write a number, e.g. 1.5")),
        }
    }

    /// Another number with this one's unit.
    #[must_use]
    pub const fn with(self, number: f64) -> Self {
        match self {
            Self::LatencyNs(_) => Self::LatencyNs(number),
            Self::LatencyAtLeastNs(_) => Self::LatencyAtLeastNs(number),
            Self::CpuNs(_) => Self::CpuNs(number),
            Self::Rate(_) => Self::Rate(number),
            Self::Share(_) => Self::Share(number),
            Self::Count(_) => Self::Count(number),
            Self::Bytes(_) => Self::Bytes(number),
            Self::Ratio(_) => Self::Ratio(number),
            Self::Money(_) => Self::Money(number),
        }
    }

    /// The number without its unit.
    #[must_use]
    pub const fn number(self) -> f64 {
        match self {
            Self::LatencyNs(number)
            | Self::LatencyAtLeastNs(number)
            | Self::CpuNs(number)
            | Self::Rate(number)
            | Self::Share(number)
            | Self::Count(number)
            | Self::Bytes(number)
            | Self::Ratio(number)
            | Self::Money(number) => number,
        }
    }

    /// The value for people.
    #[must_use]
    pub fn format(self) -> String {
        match self {
            Self::LatencyNs(nanoseconds) | Self::CpuNs(nanoseconds) => number::duration_ns(nanoseconds),
            Self::LatencyAtLeastNs(nanoseconds) => number::at_least(&number::duration_ns(nanoseconds)),
            Self::Rate(per_second) => number::rate(per_second),
            Self::Share(part) => number::share(part),
            Self::Count(count) => format!("{count:.0}"),
            Self::Bytes(bytes) => number::bytes(bytes),
            Self::Ratio(ratio) => number::ratio(ratio),
            Self::Money(amount) => number::money(amount),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expectation_shows_its_parts() {
        let expectation = Expectation::parse(" p99( read ) <= 5ms").unwrap();
        assert_eq!(expectation.metric_text(), "p99( read )");
        assert_eq!(expectation.metric(), Metric::parse("p99(read)").unwrap());
        assert_eq!(expectation.limit(), MetricValue::LatencyNs(5e6));
        assert!(!expectation.is_lower_bound() && expectation.holds_for(5e6) && !expectation.holds_for(5.1e6));
    }

    #[test]
    fn every_metric_has_values_in_its_unit() {
        for (text, limit) in [
            ("p99<1.5ms", MetricValue::LatencyNs(1.5e6)),
            ("p99 < 5 ms", MetricValue::LatencyNs(5e6)),
            ("mean(load)<1m", MetricValue::LatencyNs(6e10)),
            ("throughput>0.1k/s", MetricValue::Rate(100.0)),
            ("errors<.5%", MetricValue::Share(0.005)),
            ("errors<150%", MetricValue::Share(1.5)),
            ("not-found<=1k", MetricValue::Count(1000.0)),
            ("server-cpu<20us", MetricValue::CpuNs(2e4)),
            ("disk<2GB", MetricValue::Bytes(2e9)),
            ("write-amplification<1.5", MetricValue::Ratio(1.5)),
        ] {
            assert_eq!(Expectation::parse(text).unwrap().limit(), limit, "{text}");
        }
    }

    #[test]
    fn mistakes_point_at_their_place() {
        for (text, place, message) in [
            ("p99(read)=5ms", "p99(read)=5ms", "comparison is missing"),
            ("p99(red)<5ms", "red", "not an operation"),
            ("p99<5", "5", "write 5ms or 5us"),
            ("p99< fast", "fast", "not a time"),
            ("p99<", "<", "value after the comparison is missing"),
            ("throughput>5ms", "5ms", "not a rate"),
            ("errors<0.1ms", "0.1ms", "neither a share nor a count"),
            ("disk<5s", "5s", "not a size"),
        ] {
            let error = Expectation::parse(text).unwrap_err();
            assert_eq!(&text[error.span.clone()], place, "{text}");
            assert!(error.message.contains(message), "{text}: {error:?}");
        }
    }
}
