//! The values that keys of a need file take: metrics, objectives, shares, rates.

use dbdyno_record::pilot::COMMON;
use dbdyno_report::advice::{Metric, Objective, RateChoice, Unit, Worth};
use dbdyno_stats::Better;
use dbdyno_study::toml_reader::{Mistake, Placed};
use dbdyno_vocabulary::{Rate, Share, Size, Time, parse_number, suggest};

/// A metric by its name.
pub fn metric(text: &Placed<String>) -> Result<Metric, Mistake> {
    Metric::parse(&text.value).map_err(|message| {
        let names = Metric::names();
        let near = suggest::before_list(&text.value, names.iter().copied());
        Mistake::new(
            text.span.clone(),
            message,
            format!(
                "{near}a metric is any percentile such as p99 or p99.9, or {}",
                names.join(", ")
            ),
        )
    })
}

/// An objective such as `p99(read) < 10ms`.
pub fn objective(text: Placed<String>) -> Result<Objective, Mistake> {
    let Placed { span, value } = text;
    let help = "write a metric, then < or >, then a limit, e.g. \"p99(read) < 10ms\" or \"throughput > 20k\"";
    let Some(at) = value.find(['<', '>']) else {
        return Err(Mistake::new(span, "there is no comparison", help));
    };
    let (name, rest) = value.split_at(at);
    let metric = metric(&Placed {
        span: span.clone(),
        value: name.trim().to_owned(),
    })?;
    let wanted = match metric.better() {
        Better::Higher => '>',
        Better::Lower => '<',
    };
    if !rest.starts_with(wanted) {
        return Err(Mistake::new(
            span,
            format!(
                "more of {} is {}",
                metric.name(),
                if wanted == '>' { "better" } else { "worse" }
            ),
            format!("an objective of it is written with {wanted}"),
        ));
    }
    let limit = rest.trim_start_matches(['<', '>', '=']).trim();
    match amount(metric, limit) {
        Ok(limit) => Ok(Objective { metric, limit }),
        Err(message) => Err(Mistake::new(span, message, help)),
    }
}

/// A value of a metric, with the unit that it takes.
fn amount(metric: Metric, text: &str) -> Result<f64, String> {
    if text.is_empty() {
        return Err("there is no limit after the comparison".to_owned());
    }
    match metric.unit() {
        Unit::PerSecond => Rate::parse(text).map(Rate::get),
        Unit::Nanoseconds => Time::parse(text).map(|time| time.get().as_nanos() as f64),
        Unit::Share => return share(text),
        Unit::Bytes => Size::parse(text).map(|size| size.get() as f64),
        Unit::Ratio => parse_number(text),
    }
    .map_err(|error| error.to_string())
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
            Ok(0.0) => Err("there is no ratio to nothing".to_owned()),
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
            "`enough` is the reference, where it is given",
            "leave one of them out",
        )),
    }
}
