//! What survives what, with one meaning for every database.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What an acknowledged write survives. Ordered: a later level survives all that an earlier one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// Nothing: an acknowledged write may be lost when the process ends without a clean stop.
    None,
    /// A crash of the database process: the write is in the operating system's hands when it is acknowledged, and
    /// may be lost with the machine.
    Buffered,
    /// A crash of the machine: the write is synced to the device before it is acknowledged.
    Synced,
}

impl Durability {
    /// Every level, weakest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Buffered, Self::Synced];

    /// The name in options, files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Buffered => "buffered",
            Self::Synced => "synced",
        }
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Durability {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|level| level.name() == text)
            .ok_or_else(|| format!("durability `{text}` is unknown; it is one of none, buffered, synced"))
    }
}
