//! Checks as JUnit XML, which CI services show beside other tests.

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_vocabulary::visible;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Check, Outcome};

/// The checks of a command as JUnit XML; ends with a line feed. What is undecided is skipped, with the reason.
///
/// # Panics
/// Never: memory can always be written.
#[must_use]
pub fn junit(command: &str, checks: &[Check]) -> String {
    let mut suite = TestSuite::new(command);
    // All checks of a subject share its time.
    let timed = checks
        .iter()
        .filter_map(|check| Some((check.subject.as_str(), check.time?)));
    let times: BTreeMap<&str, Duration> = timed.collect();
    if !times.is_empty() {
        suite.set_time(times.values().sum());
    }
    suite.add_test_cases(checks.iter().map(test_case));
    let mut report = Report::new("dbdyno");
    report.add_test_suite(suite);
    report.to_string().expect("memory can be written")
}

fn test_case(check: &Check) -> TestCase {
    let mut status = match check.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Outcome::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Outcome::Undecided => TestCaseStatus::skipped(),
    };
    let message = visible::text(&check.message);
    status.set_message(&message).set_type(&check.word);
    let mut case = TestCase::new(visible::text(&check.name), status);
    case.set_classname(visible::text(&check.subject));
    if let Some(time) = check.time {
        case.set_time(time);
    }
    if check.outcome == Outcome::Passed && !message.is_empty() {
        case.set_system_out(&message);
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(outcome: Outcome, name: &str) -> Check {
        Check {
            subject: "redb, workload <a> & \"b\"".to_owned(),
            name: name.to_owned(),
            outcome,
            word: "slower".to_owned(),
            message: "12k/s \u{1b}[31mbefore\u{1b}[0m\nand < 10k/s after".to_owned(),
            time: Some(Duration::from_millis(2500)),
        }
    }

    #[test]
    fn every_outcome_has_its_element() {
        let text = junit(
            "dbdyno compare",
            &[
                check(Outcome::Passed, "p50(read)<5ms"),
                check(Outcome::Failed, "throughput"),
                check(Outcome::Undecided, "p99"),
                check(Outcome::Error, "comparable"),
            ],
        );
        insta::assert_snapshot!(text);
        let read = Report::deserialize_from_str(&text).unwrap();
        assert_eq!(
            (read.tests, read.failures, read.errors, read.skipped),
            (4, 1, 1, 1)
        );
        let case = &read.test_suites[0].test_cases[0];
        assert_eq!(case.name.as_str(), "p50(read)<5ms");
        assert_eq!(case.time, Some(Duration::from_millis(2500)));
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_suite_takes_the_time_of_each_subject_once() {
        let of = |subject: &str, time: Option<u64>| Check {
            subject: subject.to_owned(),
            time: time.map(Duration::from_millis),
            ..check(Outcome::Passed, "p99")
        };
        let times = |checks: &[Check]| {
            let read = Report::deserialize_from_str(&junit("dbdyno compare", checks)).unwrap();
            let suite = &read.test_suites[0];
            let cases: Vec<Option<Duration>> = suite.test_cases.iter().map(|case| case.time).collect();
            (suite.time, cases)
        };
        let [one, two] = [1500, 2250].map(|time| Some(Duration::from_millis(time)));
        assert_eq!(
            times(&[
                of("redb, workload a", Some(1500)),
                of("redb, workload a", Some(1500)),
                of("redb, workload b", Some(2250)),
                of("tests on one side only", None),
            ]),
            (Some(Duration::from_millis(3750)), vec![one, one, two, None])
        );
        assert_eq!(times(&[of("redis, audited", None)]), (None, vec![None]));
    }
}
