//! How much a finding matters.

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
