//! A machine that is disturbed when a test wants it to be.

use dbdyno_record::environment::{Moment, ProcessorTime};
use dbdyno_study::conditions::Machine;

/// A machine on which something else takes place in the trials of these numbers, counted from 1 over all attempts.
pub struct DisturbedIn {
    trials: Vec<usize>,
    looks: usize,
    stolen: f64,
}

impl DisturbedIn {
    pub fn trials(trials: &[usize]) -> Self {
        Self {
            trials: trials.to_vec(),
            looks: 0,
            stolen: 0.0,
        }
    }
}

impl Machine for DisturbedIn {
    /// Two looks per trial, ten seconds of two processors apart.
    fn look(&mut self) -> Moment {
        self.looks += 1;
        if self.looks.is_multiple_of(2) && self.trials.contains(&(self.looks / 2)) {
            self.stolen += 5.0;
        }
        Moment {
            at_seconds: Some(self.looks as f64 * 10.0),
            processors: Some(ProcessorTime {
                total: self.looks as f64 * 20.0,
                used: 0.0,
                stolen: self.stolen,
            }),
            ..Moment::default()
        }
    }
}
