//! What an observer hears while a study runs. The study prints nothing; whoever listens decides what is shown.

use std::time::Duration;

use dbdyno_engine::Event;
use dbdyno_record::TrialRecord;

use crate::plan::Trial;

/// One thing that happened in a study.
#[derive(Debug)]
pub enum StudyEvent<'a> {
    /// A trial begins.
    TrialStarted {
        /// The trial.
        trial: &'a Trial,
        /// The trials with which it takes turns.
        beside: &'a [&'a Trial],
        /// Its place among all trials of the study, from 1.
        number: usize,
        /// All trials of the study, done ones included; with a target precision, those of the blocks so far.
        total: usize,
        /// About how long this and all later trials take.
        remaining: Duration,
        /// About how much longer repetitions of disturbed trials may make it.
        repeats: Duration,
    },
    /// An event of the engine in the trial.
    Engine(&'a Event),
    /// A trial ended, and its record is on disk.
    TrialEnded {
        /// Its record.
        record: &'a TrialRecord,
        /// Its place, from 1.
        number: usize,
        /// All trials of the study.
        total: usize,
    },
}

/// Hears of progress, from one thread.
pub trait StudyObserver {
    /// Something happened.
    fn event(&mut self, event: &StudyEvent<'_>);
}

/// An observer that does not listen.
impl StudyObserver for () {
    fn event(&mut self, _: &StudyEvent<'_>) {}
}
