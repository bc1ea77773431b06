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
    if record.status == TrialStatus::Interrupted {
        reasons.push("the run was interrupted".to_owned());
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

#[cfg(test)]
mod tests {
    use dbdyno_record::{Finding, Severity};

    use super::*;

    fn with_finding(code: &str, severity: Severity) -> TrialRecord {
        let text = include_str!("../../../record/tests/fixtures/folder-v1/trials/b0-memory-a/record.json");
        let mut record: TrialRecord = serde_json::from_str(text).expect("the fixture is a record");
        let measured = record.measure.iter_mut();
        let operations = measured.flat_map(|measure| measure.operations.values_mut());
        operations.for_each(|operation| operation.errors.clear());
        record.findings = vec![Finding::in_words(severity, code, format!("{code} was seen"), "")];
        record
    }

    #[test]
    fn what_makes_a_trial_invalid_fails_its_first_check_and_spoils_its_expectations() {
        let judged = [Judged {
            text: "errors<1%".to_owned(),
            is_met: true,
            measured: "0%".to_owned(),
        }];
        let checks = |severity| of(&with_finding("table-not-kept", severity), &[], &judged);
        let outcomes = |checks: &[Check]| checks.iter().map(|check| check.outcome).collect::<Vec<_>>();
        let invalid = checks(Severity::Invalid);
        assert_eq!(outcomes(&invalid), [Outcome::Error, Outcome::Error]);
        assert_eq!(invalid[0].message, "table-not-kept was seen");
        assert_eq!(
            outcomes(&checks(Severity::Warning)),
            [Outcome::Passed, Outcome::Passed]
        );
    }

    #[test]
    fn every_code_of_this_severity_spoils_the_result() {
        for code in ["table-not-kept", "protection-differs", "a-code-of-next-year"] {
            assert_eq!(
                after::spoiled(&with_finding(code, Severity::Invalid)).len(),
                1,
                "{code}"
            );
            assert!(
                after::spoiled(&with_finding(code, Severity::Warning)).is_empty(),
                "{code}"
            );
        }
    }
}
