//! A test's one name: the work, and what distinguishes it from the study's other tests.

use dbdyno_record::TrialRecord;
use dbdyno_trial::{FactorLevels, Level, RATE};

use super::{CommonRate, kind};
use crate::number;
use crate::words::load::FULL_SPEED;

/// `A: update heavy, 16 clients, full speed`. The factors are those that vary in the study.
pub fn place(first: &TrialRecord, factors: &FactorLevels, common_rate: Option<&CommonRate>) -> String {
    let mut place = work(first, factors);
    if let Some(common) = common_rate {
        let rate = common.per_second.map_or("one rate".to_owned(), number::rate);
        place.push_str(&format!(", at {rate}"));
    } else if let Some(rate) = first.spec.rate() {
        place.push_str(&format!(", at {}", number::rate(rate)));
    } else if factors.get(RATE) == Some(&Level::Unlimited) {
        place.push_str(&format!(", {FULL_SPEED}"));
    }
    place
}

/// A name without its load, for a test that raises it: `A: update heavy, 16 clients`.
pub fn work(first: &TrialRecord, factors: &FactorLevels) -> String {
    let mut work = kind::label(&first.workload);
    for (name, level) in factors.iter().filter(|(name, _)| *name != RATE) {
        work.push_str(", ");
        work.push_str(&of_level(name, level));
    }
    work
}

/// `16 clients`, `10.0k records`, `cache 1GB`.
pub fn of_level(name: &str, level: &Level) -> String {
    match (name, level) {
        ("clients", Level::Count(clients)) => number::plural(*clients as usize, "client", "clients"),
        ("records", Level::Count(records)) => format!("{} records", number::quantity(*records as f64)),
        _ => format!("{name} {level}"),
    }
}
