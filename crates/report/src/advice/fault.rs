//! Whose fault an invalid trial is: the system's or the measurement's.

use dbdyno_record::{Severity, TrialRecord, codes};

use crate::model::validity::client_at_limit;

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
    codes::LOAD_INCOMPLETE,
    codes::ERRORS,
    codes::ONLY_ERRORS,
    codes::CLIENTS_STUCK,
    codes::RATE_NOT_SUSTAINED,
    codes::VERIFICATION_FAILED,
    codes::NOT_FOUND,
];
/// Whose fault it is that a trial is invalid; `None` when it is valid.
pub fn fault(trial: &TrialRecord) -> Option<Fault> {
    let has = |codes: &[&str], least: Severity| {
        let mut findings = trial.findings.iter();
        findings.any(|finding| finding.severity >= least && codes.contains(&finding.code.as_str()))
    };
    let invalid = trial.invalid_because();
    if invalid.is_empty() {
        return None;
    }
    let is_of_client = has(&[codes::RATE_NOT_SUSTAINED], Severity::Invalid) && client_at_limit(trial);
    if !is_of_client && invalid.iter().all(|reason| OF_SYSTEM.contains(&reason.code)) {
        Some(Fault::System)
    } else {
        Some(Fault::Measurement)
    }
}
