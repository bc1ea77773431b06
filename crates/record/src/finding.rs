//! Judged facts about a trial.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The numbers need care.
    Warning,
    /// The numbers do not mean what they seem to.
    Invalid,
}

/// The word that it has in every output.
impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Invalid => "invalid",
        })
    }
}

/// One judged fact, with its evidence and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// A stable name, e.g. `rate-not-sustained`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was seen, with the figures.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}
