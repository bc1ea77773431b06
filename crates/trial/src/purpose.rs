//! What a trial is for, where its study asks for rates by itself.

use serde::{Deserialize, Serialize};

/// What a trial of a search for a capacity, or of a sweep, is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// A closed loop, for a first guess of what the system can do.
    Pilot,
    /// Looking for the highest rate that keeps an objective.
    Search,
    /// Making sure of a rate.
    Confirm,
    /// One planned step of a sweep.
    Step,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pilot, Self::Search, Self::Confirm, Self::Step];

    /// The level of the factor [`PROBE`](crate::PROBE).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pilot => "pilot",
            Self::Search => "search",
            Self::Confirm => "confirm",
            Self::Step => "step",
        }
    }
}
