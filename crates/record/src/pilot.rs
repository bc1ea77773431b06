//! Pilots of a common rate: closed loops that find how many operations per second every system of a study can sustain. They
//! are trials of their own in the result folder, and no estimate uses them.

use dbdyno_trial::TrialSpec;

pub use dbdyno_trial::{COMMON, PILOT, UNLIMITED};

/// The share when a study says none.
pub const DEFAULT_SHARE: f64 = 0.5;

/// Whether a pilot and a trial, or two of them, share a common rate: their factors besides the system's are equal.
#[must_use]
pub fn share_a_rate(one: &TrialSpec, other: &TrialSpec) -> bool {
    let shared = |spec: &TrialSpec| {
        let mut levels = spec.cell_levels();
        levels.remove(PILOT);
        levels
    };
    let are_common = one.common_rate && other.common_rate;
    are_common && one.workload == other.workload && shared(one) == shared(other)
}

#[cfg(test)]
mod tests {
    use dbdyno_trial::{Factor, SystemSpec};

    use super::*;

    #[test]
    fn systems_of_one_cell_share_a_rate() {
        let trial = |system: &str, workload: &str| TrialSpec {
            common_rate: true,
            factors: [Factor::Rate].into(),
            ..TrialSpec::new(SystemSpec::named(system), workload, 10)
        };
        let mut pilot = trial("fjall", "a");
        pilot.system.factors = [("cache".to_owned(), "big".to_owned())].into();
        pilot.pilot_share = Some(DEFAULT_SHARE);
        assert!(share_a_rate(&trial("redb", "a"), &pilot));
        assert!(!share_a_rate(&trial("redb", "c"), &pilot));
        let closed = TrialSpec {
            common_rate: false,
            ..trial("redb", "a")
        };
        assert!(!share_a_rate(&closed, &closed));
    }
}
