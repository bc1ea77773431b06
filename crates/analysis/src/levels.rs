//! The levels of a promise over the trials of a cell.

use std::cmp::Ordering;
use std::fmt;

use dbdyno_record::{Fact, FactValue};
use serde::{Serialize, Serializer};

/// Every level that trials read back, each once, by name. In words, and in JSON, `buffered or synced`; nothing where no trial
/// read a level back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels<T>(Vec<Fact<T>>);

impl<T: FactValue + PartialEq> Levels<T> {
    /// The levels that were read back.
    pub fn new(read_back: impl Iterator<Item = Fact<T>>) -> Self {
        let mut levels: Vec<Fact<T>> = read_back.filter(|level| !level.is_absent()).collect();
        levels.sort_by_key(|level| level.name());
        levels.dedup();
        Self(levels)
    }
}

impl<T> Levels<T> {
    /// Whether no trial read a level back.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: FactValue> fmt::Display for Levels<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|level| level.name()).collect();
        formatter.write_str(&names.join(" or "))
    }
}

impl<T: FactValue> Serialize for Levels<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// By name, as tables list them.
impl<T: FactValue + Eq> Ord for Levels<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        let names = |levels: &Self| levels.0.iter().map(|level| level.name()).collect::<Vec<_>>();
        names(self).cmp(&names(other))
    }
}

impl<T: FactValue + Eq> PartialOrd for Levels<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_trial::Durability;

    use super::*;

    #[test]
    fn levels_are_listed_once_and_by_name() {
        let levels = Levels::new(
            [
                Fact::Known(Durability::Synced),
                Fact::Absent,
                Fact::Known(Durability::Buffered),
                Fact::Known(Durability::Synced),
                Fact::NotStated,
            ]
            .into_iter(),
        );
        assert_eq!(levels.to_string(), "buffered or not stated or synced");
        assert_eq!(
            serde_json::to_string(&levels).unwrap(),
            "\"buffered or not stated or synced\""
        );
        assert!(Levels::<Durability>::new([Fact::Absent].into_iter()).is_empty());
    }
}
