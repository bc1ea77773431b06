//! Whose fault an invalid trial is: the system's or the measurement's.

use dbdyno_record::finding::{
    ClientsStuck, Errors, LoadIncomplete, NotFound, OnlyErrors, RateNotSustained, VerificationFailed,
};
use dbdyno_record::{Facts, Finding, TrialRecord};

/// Whose fault an invalid trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The system failed: operations had no answer, data were missing, or the rate was not sustained.
    System,
    /// The measurement failed, and says nothing about the system.
    Measurement,
}

/// Findings that make a trial invalid because of what the system did.
const OF_SYSTEM: [&str; 7] = [
    LoadIncomplete::CODE,
    Errors::CODE,
    OnlyErrors::CODE,
    ClientsStuck::CODE,
    RateNotSustained::CODE,
    VerificationFailed::CODE,
    NotFound::CODE,
];

/// Whose fault it is that a trial is invalid; `None` when it is valid.
pub fn fault(trial: &TrialRecord) -> Option<Fault> {
    let invalid = trial.invalid_because();
    if invalid.is_empty() {
        return None;
    }
    let missed_rate = trial.invalidating().any(Finding::is::<RateNotSustained>);
    let is_of_client = missed_rate && trial.client_cpu_saturated();
    if !is_of_client && invalid.iter().all(|reason| OF_SYSTEM.contains(&reason.code)) {
        Some(Fault::System)
    } else {
        Some(Fault::Measurement)
    }
}
