//! The checks of a comparison: one for each metric of each test.

use super::{Check, Outcome};
use crate::compared::{ComparedCell, ComparedMetric, FolderComparison};
use crate::conditions::joined;
use crate::model::Word;
use crate::number;
use crate::test_name::TestName;

impl FolderComparison {
    /// What came after must not be slower than before, and must have been compared. Where `rejects_faster`, it must not be faster
    /// either; unless `accepts_unmatched`, both sides must have the same tests.
    #[must_use]
    pub fn checks(&self, rejects_faster: bool, accepts_unmatched: bool) -> Vec<Check> {
        let compared = self.cells.iter().flat_map(|cell| of_cell(cell, rejects_faster));
        let unmatched = self.unmatched.iter().map(|cell| Check {
            subject: "tests on one side only".to_owned(),
            name: format!("{}: only {}", name_of(&cell.test), cell.side()),
            outcome: if accepts_unmatched {
                Outcome::Undecided
            } else {
                Outcome::Error
            },
            word: "unmatched".to_owned(),
            message: "there is nothing to compare it with".to_owned(),
            time: None,
        });
        compared.chain(unmatched).collect()
    }
}

/// A test by the name that people call it, with all levels: services follow it from one comparison to the next, whatever else was
/// compared.
fn name_of(test: &TestName) -> String {
    test.text(&[]).flat()
}

impl ComparedCell {
    /// What its checks are of.
    #[must_use]
    pub fn subject(&self) -> String {
        name_of(&self.test)
    }
}

fn of_cell(cell: &ComparedCell, rejects_faster: bool) -> Vec<Check> {
    if cell.metrics.is_empty() {
        let why = if cell.differences.is_empty() {
            "both sides have no metric in common".to_owned()
        } else {
            joined(&cell.differences)
        };
        return vec![Check {
            subject: name_of(&cell.test),
            name: "comparable".to_owned(),
            outcome: Outcome::Error,
            word: "not comparable".to_owned(),
            message: why,
            time: None,
        }];
    }
    let of_metric = |metric: &ComparedMetric| {
        let (outcome, word) = outcome(metric, rejects_faster);
        Check {
            subject: name_of(&cell.test),
            name: metric.metric.clone(),
            outcome,
            word: word.to_owned(),
            message: message(metric),
            time: None,
        }
    };
    cell.metrics.iter().map(of_metric).collect()
}

fn outcome(metric: &ComparedMetric, rejects_faster: bool) -> (Outcome, &'static str) {
    if metric.rate_lost {
        return (Outcome::Failed, "rate no longer sustained");
    }
    if metric.answers_lost {
        return (Outcome::Failed, "new failures or invalid trials");
    }
    let outcome = match metric.found.word {
        Word::Slower => Outcome::Failed,
        Word::Faster if rejects_faster => Outcome::Failed,
        Word::Faster | Word::Equivalent => Outcome::Passed,
        // A bound may be wider than the margin: it rules out a large change, not the one that was asked about.
        Word::Bounded | Word::Undecided | Word::NotComparable => Outcome::Undecided,
    };
    (outcome, metric.found.word.name())
}

/// The verdict with both values, their ratio and its interval.
fn message(metric: &ComparedMetric) -> String {
    let [before, after, ratio] = metric.figures();
    let mut text = format!(
        "{}: {before} before, {after} after, {ratio}; {}",
        metric.found.word.name(),
        metric.found.why
    );
    if let Some(trials) = metric.trials_needed {
        let trials = number::plural(trials, "trial", "trials");
        text.push_str(&format!("; about {trials} on either side would decide"));
    }
    text
}
