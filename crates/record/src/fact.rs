//! Facts of a system that have few possible values: known, not stated, or absent.

use std::fmt;
use std::str::FromStr;

use dbdyno_trial::{Arrivals, Consistency, Durability, ScanOrder};
use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::NOT_STATED;

/// A value with a name in files.
pub trait FactValue: Copy + FromStr {
    /// The name.
    fn name(self) -> &'static str;
}

macro_rules! levels {
    ($($level:ty),*) => {$(
        impl FactValue for $level {
            fn name(self) -> &'static str {
                <$level>::name(self)
            }
        }
    )*};
}

levels!(Arrivals, Consistency, Durability, ScanOrder);

/// One fact. In files it is a word: that of the value, `not stated`, or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fact<T> {
    /// This.
    Known(T),
    /// The source of an imported result does not state it.
    NotStated,
    /// There is none, or the system was never reached.
    #[default]
    Absent,
}

impl<T: FactValue> Fact<T> {
    /// The word in files and reports; empty when it is absent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Known(level) => level.name(),
            Self::NotStated => NOT_STATED,
            Self::Absent => "",
        }
    }
}

impl<T> Fact<T> {
    /// Whether there is none.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value, where it is known.
    #[must_use]
    pub fn known(self) -> Option<T> {
        match self {
            Self::Known(level) => Some(level),
            Self::NotStated | Self::Absent => None,
        }
    }
}

/// A fact of a log: what it does not state is not known.
impl<T> From<Option<T>> for Fact<T> {
    fn from(stated: Option<T>) -> Self {
        stated.map_or(Self::NotStated, Self::Known)
    }
}

impl<T: FactValue> fmt::Display for Fact<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl<T: FactValue> FromStr for Fact<T> {
    type Err = T::Err;

    fn from_str(word: &str) -> Result<Self, T::Err> {
        match word {
            "" => Ok(Self::Absent),
            NOT_STATED => Ok(Self::NotStated),
            word => word.parse().map(Self::Known),
        }
    }
}

impl<T: FactValue> Serialize for Fact<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de, T: FactValue<Err: fmt::Display>> Deserialize<'de> for Fact<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        word.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_the_words_that_they_always_were() {
        for (fact, word) in [
            (Fact::Known(Durability::Synced), "\"synced\""),
            (Fact::NotStated, "\"not stated\""),
            (Fact::Absent, "\"\""),
        ] {
            assert_eq!(serde_json::to_string(&fact).unwrap(), word);
            assert_eq!(serde_json::from_str::<Fact<Durability>>(word).unwrap(), fact);
        }
        assert!(serde_json::from_str::<Fact<ScanOrder>>("\"sideways\"").is_err());
    }
}
