//! The values that keys of a study file take: how they are written, and what is said of one that is not.

use std::time::Duration;

use dbdyno_driver::{Consistency, Durability};
use dbdyno_vocabulary::{self as vocabulary, Count, QuantityError, Share, Time, parse_up_to};
use dbdyno_workload::MOST_CLIENTS;

use crate::definition::{COMMON, Operations, Rate, UNLIMITED};
use crate::effort::MOST_TRIALS;
use crate::toml_reader::{Mistake, Placed};

pub(crate) const COUNT_HELP: &str = "write a whole number of at least 1, e.g. 50000, \"50k\" or \"1M\"";
pub(crate) const OPERATIONS_HELP: &str = "write whole numbers of at least 1, e.g. 50000 or \"1M\", or \"records\" for as many as there are records";
pub(crate) const RATE_HELP: &str = "write operations per second, e.g. 500 or \"20k\", \"unlimited\" for a closed loop, or \"common\" for one rate that pilots find";
pub(crate) const COMMON_RATE_HELP: &str =
    "write the share of the slowest system's closed-loop throughput, e.g. \"50%\" or 0.5, less than 100%";
pub(crate) const DURATION_HELP: &str = "write a time with its unit, e.g. \"500ms\", \"90s\" or \"5m\"";
pub(crate) const PRECISION_HELP: &str =
    "write half the width that the intervals may have, e.g. \"5%\" or 0.05, less than 100%";
pub(crate) const CONSISTENCY_HELP: &str = "the levels are \"one\", \"quorum\" and \"all\"";
pub(crate) const DURABILITY_HELP: &str = "the levels are \"none\", \"buffered\" and \"synced\"";

/// A number of records or operations.
pub(crate) fn count(text: &str) -> Result<u64, QuantityError> {
    Count::parse_positive(text).map(Count::get)
}

/// How many operations end a measured phase.
pub(crate) fn operations(text: &str) -> Result<Operations, QuantityError> {
    if text == "records" {
        return Ok(Operations::AsRecords);
    }
    count(text).map(Operations::Count)
}

/// A number of clients, or of threads for them.
pub(crate) fn number_of_clients(text: &str) -> Result<u32, QuantityError> {
    parse_up_to(MOST_CLIENTS, text)
}

pub(crate) const CLIENTS_HELP: &str = "write a whole number from 1 to 10000";
pub(crate) const TRIALS_HELP: &str = "a whole number from 1 to 10000";

/// How often each cell is measured.
pub(crate) fn number_of_trials(text: &str) -> Result<u32, QuantityError> {
    parse_up_to(MOST_TRIALS, text)
}

/// Operations per second, or a word for them.
pub(crate) fn rate(text: &str) -> Result<Rate, String> {
    match text {
        UNLIMITED => return Ok(Rate::Unlimited),
        COMMON => return Ok(Rate::Common),
        _ => {}
    }
    match vocabulary::Rate::parse(text).map(vocabulary::Rate::get) {
        Ok(0.0) => Err("a rate of 0 never sends anything".to_owned()),
        Ok(rate) => Ok(Rate::PerSecond(rate)),
        Err(error) => Err(error.to_string()),
    }
}

/// A share above 0 and below 1, in percent or as a number.
pub(crate) fn share(text: &str) -> Result<f64, QuantityError> {
    Share::parse_proper(text).map(Share::get)
}

/// A level of durability.
pub(crate) fn durability(text: &str) -> Result<Option<Durability>, String> {
    text.parse().map(Some)
}

/// A level of consistency.
pub(crate) fn consistency(text: &str) -> Result<Option<Consistency>, String> {
    text.parse().map(Some)
}

/// The length of a phase.
pub(crate) fn positive_duration(text: &str) -> Result<Duration, String> {
    match Time::parse(text).map(Time::get) {
        Ok(duration) if duration.is_zero() => Err("a phase of no time measures nothing".to_owned()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(error.to_string()),
    }
}

/// Optional number with a default.
pub(crate) fn number<T, E: std::fmt::Display>(
    text: Option<Placed<String>>,
    help: &str,
    default: T,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, Mistake> {
    match text {
        None => Ok(default),
        Some(text) => {
            let help = format!("write {help}");
            let written = text.value.clone();
            text.convert(&help, |text| {
                parse(&text).map_err(|error| format!("`{written}` cannot be read: {error}"))
            })
            .map(|placed| placed.value)
        }
    }
}

/// The levels of a factor, each at most once.
pub(crate) fn levels<T: PartialEq, E: std::fmt::Display>(
    texts: Vec<Placed<String>>,
    key: &str,
    help: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<Vec<T>, Mistake> {
    let mut levels = Vec::new();
    for text in texts {
        let (span, written) = (text.span.clone(), text.value.clone());
        let level = text.convert(help, |text| parse(&text))?;
        if levels.contains(&level.value) {
            return Err(Mistake::new(
                span,
                format!("`{key}` names {written} twice"),
                "every level is measured `trials` times already: raise that for more certainty",
            ));
        }
        levels.push(level.value);
    }
    Ok(levels)
}
