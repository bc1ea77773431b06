//! A test's one name: the work, and what distinguishes it from the study's other tests.

use dbdyno_record::TrialRecord;
use dbdyno_trial::{FactorLevels, Level, RATE};

use super::{CommonRate, kind};
use crate::number;
use crate::words::load::Load;

/// `A: update heavy, 16 clients, full speed`. The factors are those that vary in the study.
pub fn place(first: &TrialRecord, factors: &FactorLevels, common_rate: Option<&CommonRate>) -> String {
    let work = work(first, factors);
    let load = match (common_rate, first.spec.rate()) {
        (Some(common), _) => Some(common.per_second.map_or(Load::Same, Load::Rate)),
        (None, Some(rate)) => Some(Load::Rate(rate)),
        (None, None) => full_speed(factors),
    };
    match load {
        Some(load) => format!("{work}, {}", load.words()),
        None => work,
    }
}

/// The load without a rate. A study that varies no rate has nothing to tell apart.
pub fn full_speed(factors: &FactorLevels) -> Option<Load> {
    (factors.get(RATE) == Some(&Level::Unlimited)).then_some(Load::FullSpeed)
}

/// A name without its load, for a test that raises it: `A: update heavy, 16 clients`.
pub fn work(first: &TrialRecord, factors: &FactorLevels) -> String {
    with_levels(kind::label(&first.workload), factors)
}

/// A workload with the levels of its test, but for the load: `A: update heavy, 16 clients`.
pub fn with_levels(mut work: String, factors: &FactorLevels) -> String {
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
