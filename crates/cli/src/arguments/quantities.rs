//! How flags read numbers: `1M`, `20k`, `90s`.

use std::time::Duration;

use dbdyno_study::file::effort;
use dbdyno_vocabulary::{Count, QuantityError, Rate, Time, parse_up_to};
use dbdyno_workload::MOST_CLIENTS;

/// A number of things, at least one.
pub fn count(text: &str) -> Result<u64, QuantityError> {
    Count::parse_positive(text).map(Count::get)
}

/// A number of clients, or of threads for them.
pub fn clients(text: &str) -> Result<u32, QuantityError> {
    parse_up_to(MOST_CLIENTS, text)
}

/// How often something is measured.
pub fn trials(text: &str) -> Result<u32, QuantityError> {
    parse_up_to(effort::MOST_TRIALS, text)
}

/// How many clients another tool had, maybe on several machines.
pub fn clients_elsewhere(text: &str) -> Result<u32, QuantityError> {
    parse_up_to(u32::MAX, text)
}

/// Operations per second.
pub fn rate(text: &str) -> Result<f64, String> {
    match Rate::parse(text).map(Rate::get) {
        Ok(0.0) => Err("a rate of 0 never sends anything".to_owned()),
        Ok(rate) => Ok(rate),
        Err(error) => Err(error.to_string()),
    }
}

/// A length of time, zero allowed.
pub fn duration(text: &str) -> Result<Duration, QuantityError> {
    Time::parse(text).map(Time::get)
}

/// How long to warm up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// So long.
    Time(Duration),
    /// Until the throughput is steady.
    UntilRest,
}

/// A length of time, zero allowed, or `auto`.
pub fn warmup(text: &str) -> Result<WarmUp, String> {
    if text == effort::AUTO {
        return Ok(WarmUp::UntilRest);
    }
    duration(text)
        .map(WarmUp::Time)
        .map_err(|error| format!("{error}; or `{}`", effort::AUTO))
}

/// A length of time above zero.
pub fn positive_duration(text: &str) -> Result<Duration, String> {
    let duration = duration(text).map_err(|error| error.to_string())?;
    if duration.is_zero() {
        return Err("it must be longer than zero".to_owned());
    }
    Ok(duration)
}
