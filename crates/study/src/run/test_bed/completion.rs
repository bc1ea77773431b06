//! How planned trials end, and how an attempt at one does.

use dbdyno_engine::{EngineError, EngineErrorClass, Stop};
use dbdyno_record::{TrialRecord, TrialStatus};

use crate::run::trial::TrialResult;

/// The result of a planned trial.
pub(crate) struct Completion {
    /// Its attempts that the machine disturbed, and that were repeated.
    pub disturbed: Vec<String>,
    /// How the last one ended.
    pub end: End,
}

/// How the last attempt at a trial ended.
pub(crate) enum End {
    /// It counts.
    Counts(Box<TrialRecord>),
    /// It failed: the name it had then, and why.
    Failed(String, EngineErrorClass),
    /// The study was stopped by a user, or, with the reason in words, because too few load generators were there.
    Stopped(Option<String>),
}

impl End {
    /// How an attempt ended; its name where it was disturbed, or a load generator was gone, and it is repeated.
    pub(super) fn of(TrialResult { record, error }: TrialResult) -> Result<Self, String> {
        match record.status {
            TrialStatus::Completed => Ok(Self::Counts(Box::new(record))),
            TrialStatus::Disturbed => Err(record.trial),
            TrialStatus::Interrupted => Ok(Self::Stopped(error.map(|error| error.to_string()))),
            TrialStatus::Failed { .. } => {
                let class = error.map_or(EngineErrorClass::Internal, |error| error.class());
                match class {
                    // It may be back, or the others suffice: the system is not to blame.
                    EngineErrorClass::Generators => Err(record.trial),
                    _ => Ok(Self::Failed(record.trial, class)),
                }
            }
        }
    }
}

/// Without load generators the trial was never begun, and neither can the next one be: it is interrupted, and does not count among the
/// failures after which a trial is given up. Whoever stops the study while it waits for them has stopped it, and needs no other reason.
pub(super) fn interrupt_without_generators(result: &mut TrialResult, stop: &Stop) {
    if let Some(EngineError::NoGenerators(_)) = result.error {
        result.record.status = TrialStatus::Interrupted;
        if stop.is_requested() {
            result.error = None;
        }
    }
}
