//! The values that keys of a need file take: metrics, objectives, shares, rates.

use std::ops::Range;

use dbdyno_record::pilot::COMMON;
use dbdyno_report::advice::{Objective, RateChoice, Worth};
use dbdyno_study::toml_reader::{Mistake, Placed};
use dbdyno_vocabulary::{Expectation, Metric, MetricValue, Rate, Share, Subject, parse_number};

/// A metric by its name.
pub fn metric(text: &Placed<String>) -> Result<Metric, Mistake> {
    let metric = Metric::parse(&text.value)
        .map_err(|error| Mistake::new(text.span.clone(), error.message, error.help))?;
    no_load_latency(metric, &text.span)?;
    Ok(metric)
}

/// Every load is a closed loop, and latencies of closed loops rank nobody.
fn no_load_latency(metric: Metric, span: &Range<usize>) -> Result<(), Mistake> {
    if metric.is_latency() && metric.subject() == Subject::Load {
        return Err(Mistake::new(
            span.clone(),
            format!("`{}` cannot be ranked: a load is a closed loop", metric.name()),
            "name an operation of the measured phase, or ask for throughput(load)",
        ));
    }
    Ok(())
}

/// An objective such as `p99(read) < 10ms`.
pub fn objective(text: Placed<String>) -> Result<Objective, Mistake> {
    let Placed { span, value } = text;
    let expectation =
        Expectation::parse(&value).map_err(|error| Mistake::new(span.clone(), error.message, error.help))?;
    let metric = expectation.metric();
    no_load_latency(metric, &span)?;
    if expectation.is_lower_bound() != metric.is_higher_better() {
        let (more, wanted) = if metric.is_higher_better() {
            ("better", '>')
        } else {
            ("worse", '<')
        };
        return Err(Mistake::new(
            span,
            format!("more of {} is {more}", metric.name()),
            format!("its objective must use {wanted}"),
        ));
    }
    match limit(expectation.limit()) {
        Ok(limit) => Ok(Objective { metric, limit }),
        Err(message) => Err(Mistake::new(
            span,
            message,
            "write a percentage, e.g. \"errors < 0.1%\"",
        )),
    }
}

/// A limit as a number; trials of any length are held against it, so a number of operations is none.
fn limit(value: MetricValue) -> Result<f64, String> {
    match value {
        MetricValue::Count(count) => Err(format!("`{count}` is not a percentage")),
        other => Ok(other.number()),
    }
}

/// A value of a metric, with the unit that it takes.
fn amount(metric: Metric, text: &str) -> Result<f64, String> {
    MetricValue::parse(metric, text)
        .map_err(|(message, _)| message)
        .and_then(limit)
}

/// Above this at least.
pub fn positive(text: &str, above: f64) -> Result<f64, String> {
    match number(text) {
        Ok(number) if number > above => Ok(number),
        Ok(_) => Err(format!("{text} is not above {above}")),
        Err(message) => Err(message),
    }
}

/// A number of 0 or more.
pub fn number(text: &str) -> Result<f64, String> {
    parse_number(text).map_err(|error| error.to_string())
}

/// A percentage, as a share.
pub fn share(text: &str) -> Result<f64, String> {
    match Share::parse_within(text, 0.0..1.0) {
        Ok(share) => Ok(share.get()),
        Err(error) => Err(error.to_string()),
    }
}

/// A rate, or none.
pub fn rate(text: &str) -> Result<RateChoice, String> {
    if text == "unlimited" {
        return Ok(RateChoice::Unlimited);
    }
    if text == COMMON {
        return Ok(RateChoice::Common);
    }
    match Rate::parse(text).map(Rate::get) {
        Ok(0.0) => Err("a rate of 0 never sends anything".to_owned()),
        Ok(rate) => Ok(RateChoice::PerSecond(rate)),
        Err(error) => Err(error.to_string()),
    }
}

/// What a value is worth: its ratio to a reference, or to what is enough.
pub fn enough_or_reference(
    metric: Metric,
    reference: Option<Placed<String>>,
    enough: Option<Placed<String>>,
) -> Result<Worth, Mistake> {
    let read = |text: Placed<String>| -> Result<f64, Mistake> {
        let help = format!("write a value of {}, with its unit", metric.name());
        let value = text.convert(&help, |text| match amount(metric, &text) {
            Ok(0.0) => Err("a ratio to zero does not exist".to_owned()),
            other => other,
        })?;
        Ok(value.value)
    };
    match (reference, enough) {
        (None, None) => Ok(Worth::Ratio(None)),
        (Some(reference), None) => Ok(Worth::Ratio(Some(read(reference)?))),
        (None, Some(enough)) => Ok(Worth::Enough(read(enough)?)),
        (Some(reference), Some(_)) => Err(Mistake::new(
            reference.span,
            "`enough` already serves as the reference",
            "remove one of them",
        )),
    }
}
