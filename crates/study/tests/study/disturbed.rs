//! A machine that is disturbed when a test wants it to be.

use dbdyno_machine::{CpuTime, HostSnapshot};
use dbdyno_study::conditions::Machine;

/// A machine on which something else takes place in the trials of these numbers, counted from 1 over all attempts.
pub struct DisturbedIn {
    trials: Vec<usize>,
    snapshots: usize,
    stolen: f64,
}

impl DisturbedIn {
    pub fn trials(trials: &[usize]) -> Self {
        Self {
            trials: trials.to_vec(),
            snapshots: 0,
            stolen: 0.0,
        }
    }
}

impl Machine for DisturbedIn {
    /// Two snapshots per trial, ten seconds of two processors apart.
    fn snapshot(&mut self) -> HostSnapshot {
        self.snapshots += 1;
        if self.snapshots.is_multiple_of(2) && self.trials.contains(&(self.snapshots / 2)) {
            self.stolen += 5.0;
        }
        HostSnapshot {
            at_seconds: Some(self.snapshots as f64 * 10.0),
            cpus: Some(CpuTime {
                total: self.snapshots as f64 * 20.0,
                used: 0.0,
                stolen: self.stolen,
            }),
            ..HostSnapshot::default()
        }
    }
}
