//! How the operations of an open loop are spaced.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How the intended starts of a paced run are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// Evenly: operation N at `N / rate`.
    #[default]
    Constant,
    /// As independent users arrive: the gaps are exponential with mean `1 / rate`.
    Poisson,
}

impl Arrivals {
    /// The name in files and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Poisson => "poisson",
        }
    }
}

impl fmt::Display for Arrivals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A text that names no kind of arrivals.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a kind of arrivals; use constant or poisson")]
pub struct UnknownArrivals(pub String);

impl FromStr for Arrivals {
    type Err = UnknownArrivals;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "constant" => Ok(Self::Constant),
            "poisson" => Ok(Self::Poisson),
            _ => Err(UnknownArrivals(text.to_owned())),
        }
    }
}
