//! The checks of a run for `--junit`: whether its result is valid, what the linter is certain of, and every expectation.

use std::time::Duration;

use dbdyno_lint::{Certainty, Finding};
use dbdyno_record::{TrialRecord, TrialStatus};
use dbdyno_report::checks::{Check, Outcome};

use super::after::{self, Judged};

/// The checks. Where the result is invalid, no expectation was checked: each is an error.
pub fn of(record: &TrialRecord, linted: &[Finding], judged: &[Judged]) -> Vec<Check> {
    let subject = dbdyno_report::cell_name(record);
    let time = measured_time(record);
    let mut reasons = after::spoiled(record);
    match &record.status {
        TrialStatus::Interrupted => reasons.push("the run was interrupted".to_owned()),
        TrialStatus::Failed { reason } => reasons.push(reason.clone()),
        _ => {}
    }
    let is_valid = reasons.is_empty();
    let valid = Check {
        time,
        ..valid(subject.clone(), &reasons)
    };
    let certain = linted
        .iter()
        .filter(|finding| finding.certainty == Certainty::Certain);
    let linted = certain.map(|finding| Check {
        subject: subject.clone(),
        name: format!("lint, {}", finding.rule),
        outcome: Outcome::Failed,
        word: finding.certainty.name().to_owned(),
        message: format!("{}; {}", finding.arithmetic, finding.explanation),
        time,
    });
    let expectations = judged.iter().map(|judged| {
        let check = Check {
            time,
            ..expected(judged, subject.clone())
        };
        if is_valid {
            return check;
        }
        Check {
            outcome: Outcome::Error,
            message: format!("{}, but the result is invalid", check.message),
            ..check
        }
    });
    std::iter::once(valid).chain(linted).chain(expectations).collect()
}

/// The question that comes before every expectation, with what speaks against it.
pub fn valid(subject: String, reasons: &[String]) -> Check {
    let (outcome, word) = if reasons.is_empty() {
        (Outcome::Passed, "valid")
    } else {
        (Outcome::Error, "invalid")
    };
    Check {
        subject,
        name: "the result is valid".to_owned(),
        outcome,
        word: word.to_owned(),
        message: reasons.join("; "),
        time: None,
    }
}

/// An expectation that was held against a valid result.
pub fn expected(judged: &Judged, subject: String) -> Check {
    let (outcome, word) = if judged.is_met {
        (Outcome::Passed, "met")
    } else {
        (Outcome::Failed, "not met")
    };
    Check {
        subject,
        name: judged.text.clone(),
        outcome,
        word: word.to_owned(),
        message: format!("measured: {}", judged.measured),
        time: None,
    }
}

/// How long the phase was that expectations are about.
pub fn measured_time(record: &TrialRecord) -> Option<Duration> {
    let measured = record.measure.as_ref().map(|measure| measure.duration_ns);
    let loaded = record.load.as_ref().map(|load| load.duration_ns);
    measured.or(loaded).map(Duration::from_nanos)
}
