//! How far a protection goes, as observed.

use serde::{Deserialize, Serialize};

/// How far a protection goes. Levels are observed, never read from a manual. Those that can be compared are ordered:
/// `Unsupported`, `SupportedOff`, `Partial`, `Enforced`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProtectionLevel {
    /// It works, and what it must refuse is refused.
    Enforced,
    /// It works in part: some ways around it are open, or some of its negatives were accepted.
    Partial,
    /// The server has it, and it is off.
    SupportedOff,
    /// The server does not have it.
    Unsupported,
    /// The question makes no sense for this system, e.g. encryption between nodes of one node.
    NotApplicable,
    /// It could not be seen; the finding says why.
    Unknown,
}

impl ProtectionLevel {
    /// Every level, in the order of every output.
    pub const ALL: [Self; 6] = [
        Self::Enforced,
        Self::Partial,
        Self::SupportedOff,
        Self::Unsupported,
        Self::NotApplicable,
        Self::Unknown,
    ];

    /// The words in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Partial => "partial",
            Self::SupportedOff => "off",
            Self::Unsupported => "unsupported",
            Self::NotApplicable => "not applicable",
            Self::Unknown => "unknown",
        }
    }

    /// Its place among the levels that can be compared; `None` for `NotApplicable` and `Unknown`.
    #[must_use]
    pub const fn rank(self) -> Option<u8> {
        match self {
            Self::Unsupported => Some(0),
            Self::SupportedOff => Some(1),
            Self::Partial => Some(2),
            Self::Enforced => Some(3),
            Self::NotApplicable | Self::Unknown => None,
        }
    }
}

/// Why something could not be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownReason {
    /// No server answered, or it stopped answering.
    Unreachable,
    /// The answer was none that the probe knows.
    Unexpected,
    /// The login may not see it, or there is none.
    NoPrivilege,
    /// The files of the server were not given.
    NoFileAccess,
    /// The probe was not asked for: it is opt-in.
    NotRequested,
    /// The version of the server has another interface.
    Version,
    /// The audit was stopped before.
    Stopped,
}

impl UnknownReason {
    /// The words in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreachable => "not reachable",
            Self::Unexpected => "unexpected answer",
            Self::NoPrivilege => "no privilege",
            Self::NoFileAccess => "no access to files",
            Self::NotRequested => "not requested",
            Self::Version => "unknown version",
            Self::Stopped => "stopped",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_seen_ranks_nowhere() {
        use ProtectionLevel::{Enforced, NotApplicable, Partial, SupportedOff, Unknown, Unsupported};
        let ranks = [Unsupported, SupportedOff, Partial, Enforced].map(ProtectionLevel::rank);
        assert!(ranks.is_sorted() && ranks.iter().all(Option::is_some));
        assert_eq!([Unknown, NotApplicable].map(ProtectionLevel::rank), [None, None]);
    }
}
