//! Where an answer holds, in words for a first look: the work and what distinguishes it from the study's other tests.

use std::collections::BTreeMap;

use dbdyno_record::TrialRecord;
use dbdyno_record::pilot::UNLIMITED;

use super::sentences::FULL_SPEED;
use super::{CommonRate, kind};
use crate::number;
use crate::words::load;

/// `Update heavy (A), 16 clients, at full speed`. The factors are those that vary in the study.
pub fn place(
    first: &TrialRecord,
    factors: &BTreeMap<String, String>,
    common_rate: Option<&CommonRate>,
) -> String {
    let mut place = kind::phrase(&first.workload);
    for (name, level) in factors.iter().filter(|(name, _)| *name != "rate") {
        place.push_str(", ");
        place.push_str(&of_level(name, level));
    }
    if let Some(rate) = common_rate {
        place.push_str(&format!(", at the {}", load::common_rate(rate)));
    } else if let Some(rate) = first.settings.rate {
        place.push_str(&format!(", at {}", number::rate(rate)));
    } else if factors.get("rate").is_some_and(|rate| rate == UNLIMITED) {
        place.push_str(&format!(", at {FULL_SPEED}"));
    }
    place
}

/// `16 clients`, `10.0k records`, `cache 1GB`.
fn of_level(name: &str, level: &str) -> String {
    match (name, level.parse::<usize>()) {
        ("clients", Ok(clients)) => number::plural(clients, "client", "clients"),
        ("records", Ok(records)) => format!("{} records", number::quantity(records as f64)),
        _ => format!("{name} {level}"),
    }
}
