//! How a trial ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum TrialStatus {
    /// It ran to its limit.
    Completed,
    /// It ran to its limit, but the machine did something else meanwhile: it is kept, a repetition counts in its place.
    Disturbed,
    /// It was stopped; what was measured until then is kept.
    Interrupted,
    /// It could not run.
    Failed {
        /// Why.
        reason: String,
        /// Whether the load generators failed, and the system is not to blame.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        of_generators: bool,
    },
}

/// [`TrialStatus`] without the reason of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialState {
    /// [`TrialStatus::Completed`].
    Completed,
    /// [`TrialStatus::Disturbed`].
    Disturbed,
    /// [`TrialStatus::Interrupted`].
    Interrupted,
    /// [`TrialStatus::Failed`].
    Failed,
}

impl TrialStatus {
    /// A failure of the system, or of what leads to it.
    #[must_use]
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed {
            reason: reason.into(),
            of_generators: false,
        }
    }

    /// The status without its reason.
    #[must_use]
    pub fn state(&self) -> TrialState {
        match self {
            Self::Completed => TrialState::Completed,
            Self::Disturbed => TrialState::Disturbed,
            Self::Interrupted => TrialState::Interrupted,
            Self::Failed { .. } => TrialState::Failed,
        }
    }
}

/// The word that it has in every output.
impl fmt::Display for TrialState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Completed => "completed",
            Self::Disturbed => "disturbed",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        })
    }
}
