//! How a simulated database behaves: how long it takes, when it stands still, how it fails.

use std::time::Duration;

use dbdyno_workload::OperationKind;

use dbdyno_driver::{ErrorClass, Retry};

/// A time in which sessions stand still: work in it waits for its end, work that reaches into it is prolonged by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Begin, since the behaviour was set.
    pub at: Duration,
    /// Length.
    pub length: Duration,
    /// The session that stands still, by the order of their making from 0; `None`: all.
    pub session: Option<u32>,
}

/// Operations that fail.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Only operations of this kind; `None`: of every kind.
    pub kind: Option<OperationKind>,
    /// Every how many-th of those operations of a session fails (1: all of them).
    pub every: u64,
    /// The class of the failure.
    pub class: ErrorClass,
    /// Whether trying again may help.
    pub retry: Retry,
}

/// The behaviour of a simulated database. The default answers at once and never fails.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// Time every operation takes.
    pub service: Duration,
    /// Times in which nothing goes on.
    pub stalls: Vec<Stall>,
    /// Operations that fail.
    pub faults: Vec<Fault>,
    /// Every how many-th acknowledged insert is not stored (0: none).
    pub lose_every: u64,
    /// Every how many-th read gives wrong values (0: none).
    pub corrupt_every: u64,
    /// Time a connection takes.
    pub connect: Duration,
    /// Connections are refused with this class.
    pub refuse: Option<ErrorClass>,
    /// Manifests are not stored, with an error of this class.
    pub refuse_manifests: Option<ErrorClass>,
}

impl Behaviour {
    /// When work that begins at `begin_ns` (since the behaviour was set) on `session` is done.
    #[must_use]
    pub fn end_of_service_ns(&self, session: u32, begin_ns: u64) -> u64 {
        let mut stalls: Vec<(u64, u64)> = self
            .stalls
            .iter()
            .filter(|stall| stall.session.is_none_or(|index| index == session))
            .map(|stall| (nanoseconds(stall.at), nanoseconds(stall.at + stall.length)))
            .collect();
        stalls.sort_unstable();
        let mut end = begin_ns + nanoseconds(self.service);
        let mut work_from = begin_ns;
        for (from, to) in stalls {
            if work_from < to && end > from {
                let stood_still = to - from.max(work_from);
                end += stood_still;
                work_from = to;
            } else if work_from >= from && work_from < to {
                // Work without any length still waits for the end of the stall.
                end += to - work_from;
                work_from = to;
            }
        }
        end
    }
}

/// A duration in whole nanoseconds, at most 584 years.
fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_stall_prolongs_what_reaches_into_it() {
        let behaviour = Behaviour {
            service: Duration::from_millis(10),
            stalls: vec![Stall {
                at: Duration::from_millis(100),
                length: Duration::from_millis(50),
                session: Some(1),
            }],
            ..Behaviour::default()
        };
        assert_eq!(
            behaviour.end_of_service_ns(1, 90 * MS),
            100 * MS,
            "ends as it begins"
        );
        assert_eq!(
            behaviour.end_of_service_ns(1, 95 * MS),
            155 * MS,
            "half before, half after"
        );
        assert_eq!(
            behaviour.end_of_service_ns(1, 120 * MS),
            160 * MS,
            "begins inside"
        );
        assert_eq!(
            behaviour.end_of_service_ns(1, 150 * MS),
            160 * MS,
            "begins at its end"
        );
        assert_eq!(
            behaviour.end_of_service_ns(0, 120 * MS),
            130 * MS,
            "another session"
        );
        let instant = Behaviour {
            service: Duration::ZERO,
            ..behaviour
        };
        assert_eq!(instant.end_of_service_ns(1, 120 * MS), 150 * MS);
    }
}
