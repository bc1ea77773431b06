//! Judged facts about a trial.
//!
//! A finding is data: each kind has a struct with its figures in one of the files of this folder, where its words stand beside them
//! ([`Facts`]), and a line in `kind.rs`. On disk it has its code, its severity, its figures, and the words for readers that do not know the
//! kind.

mod client;
mod facts;
mod generators;
mod imported;
mod kind;
mod machine;
mod on_disk;
mod outcomes;
mod phase;
mod setting;
mod severity;
mod steady;
mod study;
mod turns;

use std::borrow::Cow;
use std::fmt;

use dbdyno_vocabulary::Statement;
use serde::{Deserialize, Serialize};

pub use client::MoreThreads;
pub use facts::Facts;
pub use kind::*;
pub use machine::is_of_host;
pub use phase::NothingMeasuredBecause;
pub use severity::Severity;

/// One judged fact, with its evidence and its remedy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "on_disk::OnDisk", into = "on_disk::OnDisk")]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The kind of finding, with its figures.
    pub kind: FindingKind,
}

impl Finding {
    /// A finding that makes the trial invalid.
    pub fn invalid(facts: impl Into<FindingKind>) -> Self {
        Self::new(Severity::Invalid, facts)
    }

    /// A finding that readers of the numbers must know.
    pub fn warning(facts: impl Into<FindingKind>) -> Self {
        Self::new(Severity::Warning, facts)
    }

    /// A finding that is worth knowing.
    pub fn note(facts: impl Into<FindingKind>) -> Self {
        Self::new(Severity::Note, facts)
    }

    /// A finding of this severity.
    pub fn new(severity: Severity, facts: impl Into<FindingKind>) -> Self {
        Self {
            severity,
            kind: facts.into(),
        }
    }

    /// A finding without typed figures.
    #[must_use]
    pub fn in_words(
        severity: Severity,
        code: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(
            severity,
            WordsOnly {
                code: code.into(),
                message: message.into(),
                remedy: remedy.into(),
            },
        )
    }

    /// Its stable name, e.g. `rate-not-sustained`.
    #[must_use]
    pub fn code(&self) -> &str {
        self.kind.code()
    }

    /// Whether it is of this kind. The code decides, so findings that another version wrote are recognised, too.
    #[must_use]
    pub fn is<F: Facts>(&self) -> bool {
        self.code() == F::CODE
    }

    /// The observation, as a sentence that can be joined with those of other trials.
    #[must_use]
    pub fn statement(&self) -> Statement {
        self.kind.statement()
    }

    /// The observation, with the figures.
    #[must_use]
    pub fn message(&self) -> String {
        self.statement().to_string()
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> Cow<'_, str> {
        self.kind.remedy()
    }
}

/// The observation, with the figures.
impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statement().fmt(formatter)
    }
}

#[cfg(test)]
mod tests;
