//! Pilots of a common rate: closed loops that find how many operations per second every system of a study can sustain. They
//! are trials of their own in the result folder, and no estimate uses them.

use std::collections::BTreeMap;

pub use dbdyno_trial::{COMMON, PILOT, UNLIMITED};

use crate::plan::SYSTEM_FACTOR;

/// The share when a study says none.
pub const DEFAULT_SHARE: f64 = 0.5;

/// Whether a trial with these factors is a pilot.
#[must_use]
pub fn is_pilot(factors: &BTreeMap<String, String>) -> bool {
    factors.contains_key(PILOT)
}

/// Whether a pilot and a trial, or two of them, share a common rate: their factors besides the system's are equal.
#[must_use]
pub fn share_a_rate(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> bool {
    let shared = |factors: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        let others = factors.iter().filter(|(name, _)| {
            !["system", PILOT].contains(&name.as_str()) && !name.starts_with(SYSTEM_FACTOR)
        });
        others
            .map(|(name, level)| (name.clone(), level.clone()))
            .collect()
    };
    one.get("rate").is_some_and(|rate| rate == COMMON) && shared(one) == shared(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_of_one_cell_share_a_rate() {
        let factors = |entries: &[(&str, &str)]| -> BTreeMap<String, String> {
            let owned = |(name, level): &(&str, &str)| ((*name).to_owned(), (*level).to_owned());
            entries.iter().map(owned).collect()
        };
        let trial = factors(&[("system", "redb"), ("workload", "a"), ("rate", COMMON)]);
        let pilot = factors(&[
            ("system", "fjall"),
            ("system.cache", "big"),
            ("workload", "a"),
            ("rate", COMMON),
            (PILOT, "50%"),
        ]);
        assert!(is_pilot(&pilot) && !is_pilot(&trial));
        assert!(share_a_rate(&trial, &pilot));
        let other = factors(&[("system", "redb"), ("workload", "c"), ("rate", COMMON)]);
        assert!(!share_a_rate(&other, &pilot));
        let closed = factors(&[("system", "redb"), ("workload", "a"), ("rate", "unlimited")]);
        assert!(!share_a_rate(&closed, &closed));
    }
}
