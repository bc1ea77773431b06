//! Checks that decide how a command ends, for continuous integration: each with what was measured.
//!
//! A command fails if and only if one of its checks failed or could not be made. What is undecided fails nothing and passes nothing.

mod audit;
mod comparison;
mod junit;

use std::time::Duration;

pub use junit::junit;

/// One check of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What was checked: a system under a workload, or an audited system.
    pub subject: String,
    /// The question: an expectation, a metric, a feature.
    pub name: String,
    /// The answer.
    pub outcome: Outcome,
    /// The same in a word, e.g. `slower`.
    pub word: String,
    /// What was measured and why this is the answer.
    pub message: String,
    /// How long was measured, where it is known; all checks of a subject have the same.
    pub time: Option<Duration>,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not hold.
    Failed,
    /// Neither was shown, or there was nothing to check.
    Undecided,
    /// There is no valid result to check.
    Error,
}
