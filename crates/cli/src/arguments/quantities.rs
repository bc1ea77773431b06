//! How flags read numbers: `1M`, `20k`, `90s`.

use std::time::Duration;

use dbdyno_study::effort;
use dbdyno_workload::{MOST_CLIENTS, quantity};

/// A number of things, at least one.
pub fn count(text: &str) -> Result<u64, String> {
    let count = quantity::parse_count(text).map_err(|error| error.to_string())?;
    if count == 0 {
        return Err("it must be at least 1".to_owned());
    }
    Ok(count)
}

/// A number of clients, or of threads for them.
pub fn clients(text: &str) -> Result<u32, String> {
    at_most(text, MOST_CLIENTS)
}

/// How often something is measured.
pub fn trials(text: &str) -> Result<u32, String> {
    at_most(text, effort::MOST_TRIALS)
}

/// How many clients another tool had, maybe on several machines.
pub fn clients_elsewhere(text: &str) -> Result<u32, String> {
    at_most(text, u32::MAX)
}

fn at_most(text: &str, most: u32) -> Result<u32, String> {
    match u32::try_from(count(text)?) {
        Ok(count) if count <= most => Ok(count),
        _ => Err(format!("{text} is too many; the most is {most}")),
    }
}

/// Operations per second.
pub fn rate(text: &str) -> Result<f64, String> {
    let rate = count(text.strip_suffix("/s").unwrap_or(text))?;
    Ok(rate as f64)
}

/// A length of time, zero allowed.
pub fn duration(text: &str) -> Result<Duration, String> {
    quantity::parse_duration(text).map_err(|error| error.to_string())
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
    let duration = duration(text)?;
    if duration.is_zero() {
        return Err("it must be longer than zero".to_owned());
    }
    Ok(duration)
}
