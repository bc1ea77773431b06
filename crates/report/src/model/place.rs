//! Where an answer holds, in words for a first look: the work and what distinguishes it from the study's other tests.

use dbdyno_record::TrialRecord;
use dbdyno_trial::{FactorLevels, Level, RATE};

use super::sentences::FULL_SPEED;
use super::{CommonRate, kind};
use crate::number;
use crate::words::load;

/// `Update heavy (A), 16 clients, at full speed`. The factors are those that vary in the study.
pub fn place(first: &TrialRecord, factors: &FactorLevels, common_rate: Option<&CommonRate>) -> String {
    let mut place = kind::phrase(&first.workload);
    for (name, level) in factors.iter().filter(|(name, _)| *name != RATE) {
        place.push_str(", ");
        place.push_str(&of_level(name, level));
    }
    if let Some(rate) = common_rate {
        place.push_str(&format!(", at the {}", load::common_rate(rate)));
    } else if let Some(rate) = first.spec.rate() {
        place.push_str(&format!(", at {}", number::rate(rate)));
    } else if factors.get(RATE) == Some(&Level::Unlimited) {
        place.push_str(&format!(", at {FULL_SPEED}"));
    }
    place
}

/// `16 clients`, `10.0k records`, `cache 1GB`.
fn of_level(name: &str, level: &Level) -> String {
    match (name, level) {
        ("clients", Level::Count(clients)) => number::plural(*clients as usize, "client", "clients"),
        ("records", Level::Count(records)) => format!("{} records", number::quantity(*records as f64)),
        _ => format!("{name} {level}"),
    }
}
