//! How many copies take part, with one meaning for every replicated database.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How many of a record's replicas acknowledge a write before it counts as done, and are asked before a read is
/// answered. Together with [`Durability`](crate::Durability), which says what a write survives on each of them, this is
/// the guarantee that a number was measured under. With a single replica the levels cost different work and mean the
/// same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consistency {
    /// One replica acknowledges and one answers: a read may be stale where writes and reads go to different ones.
    One,
    /// A majority, so that every read sees every write acknowledged before it, and no acknowledged write is lost with
    /// a minority of the replicas.
    Quorum,
    /// All of them acknowledge: one that is down stops the writes.
    All,
}

impl Consistency {
    /// The level of a system that keeps one copy: its reads see what those of a quorum see.
    pub const OF_ONE_COPY: Self = Self::Quorum;

    /// Every level, fewest replicas first.
    pub const ALL: [Self; 3] = [Self::One, Self::Quorum, Self::All];

    /// The name in options, files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Quorum => "quorum",
            Self::All => "all",
        }
    }
}

impl fmt::Display for Consistency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Consistency {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|level| level.name() == text)
            .ok_or_else(|| format!("consistency `{text}` is unknown; it is one of one, quorum, all"))
    }
}
