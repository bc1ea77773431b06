//! The verdict on a claim in one or two words, on printed numbers and on new runs.

use std::fmt;

use serde::{Serialize, Serializer};

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// All of it was shown.
    Holds,
    /// All was shown that new runs cover of it.
    HoldsWhereTested,
    /// The opposite of some of it was shown.
    Fails,
    /// Not all of it was shown, and where it was not, both sides are close.
    Close,
    /// Neither was shown.
    Undecided,
    /// It asks for what may not be compared.
    NotComparable,
    /// It has no predicate that could be judged.
    NotJudged,
    /// The paper printed nothing that it could be judged on.
    NotPrinted,
    /// New runs do not test it.
    NotTested,
}

impl ClaimVerdict {
    /// Its words, in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::HoldsWhereTested => "holds where tested",
            Self::Fails => "fails",
            Self::Close => "close",
            Self::Undecided => "undecided",
            Self::NotComparable => "not comparable",
            Self::NotJudged => "not judged",
            Self::NotPrinted => "not printed",
            Self::NotTested => "not tested",
        }
    }
}

impl fmt::Display for ClaimVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl Serialize for ClaimVerdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
