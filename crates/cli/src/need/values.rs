//! Metrics and objectives of a need file.

use std::ops::Range;

use dbdyno_files::values::Text;
use dbdyno_files::{Mistake, Mistakes, Placed};
use dbdyno_report::advice::{Objective, Worth};
use dbdyno_vocabulary::{Expectation, Metric, MetricValue, Subject};

/// A metric by its name.
pub fn metric(text: &Placed<Text>) -> Result<Metric, Mistake> {
    let metric = Metric::parse(&text.value.0)
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
pub fn objective(text: &Placed<Text>) -> Result<Objective, Mistake> {
    let Placed { span, value } = text;
    let expectation = Expectation::parse(&value.0)
        .map_err(|error| Mistake::new(span.clone(), error.message, error.help))?;
    let metric = expectation.metric();
    no_load_latency(metric, span)?;
    if expectation.is_lower_bound() != metric.is_higher_better() {
        let (more, wanted) = if metric.is_higher_better() {
            ("better", '>')
        } else {
            ("worse", '<')
        };
        return Err(Mistake::new(
            span.clone(),
            format!("more of {} is {more}", metric.name()),
            format!("its objective must use {wanted}"),
        ));
    }
    match limit(expectation.limit()) {
        Ok(limit) => Ok(Objective { metric, limit }),
        Err(message) => Err(Mistake::new(
            span.clone(),
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

/// What a value is worth: its ratio to a reference, or to what is enough.
pub fn enough_or_reference(
    metric: Metric,
    reference: Option<&Placed<Text>>,
    enough: Option<&Placed<Text>>,
) -> Result<Worth, Vec<Mistake>> {
    let read = |text: &Placed<Text>| -> Result<f64, Mistake> {
        let help = format!("write a value of {}, with its unit", metric.name());
        let value = text
            .clone()
            .convert(&help, |text| match amount(metric, &text.0) {
                Ok(0.0) => Err("a ratio to zero does not exist".to_owned()),
                other => other,
            })?;
        Ok(value.value)
    };
    let mut mistakes = Mistakes::default();
    if let (Some(reference), Some(_)) = (reference, enough) {
        mistakes.add(Mistake::new(
            reference.span.clone(),
            "`enough` already serves as the reference",
            "remove one of them",
        ));
    }
    let reference = reference.map(|text| mistakes.keep(read(text)));
    let enough = enough.map(|text| mistakes.keep(read(text)));
    let worth = match (reference, enough) {
        (_, Some(enough)) => enough.map(Worth::Enough),
        (Some(reference), None) => reference.map(|reference| Worth::Ratio(Some(reference))),
        (None, None) => Some(Worth::Ratio(None)),
    };
    mistakes.or(worth)
}
