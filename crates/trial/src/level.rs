//! One level of a factor: a value with a total order, and one writing.

use std::cmp::Ordering;
use std::fmt;

use dbdyno_vocabulary::natural::NaturalKey;
use serde::{Serialize, Serializer};

use crate::factor::{CLIENTS, COMMON, Factor, PILOT, RATE, UNLIMITED};
use crate::{Consistency, Durability};

/// One level of a factor. Levels of one factor sort by what they mean, however they are written.
#[derive(Clone, Debug)]
pub enum Level {
    /// How many: records, operations, clients.
    Count(u64),
    /// A share of the whole, 1 for all of it.
    Share(f64),
    /// Operations per second.
    Rate(f64),
    /// No rate: a closed loop.
    Unlimited,
    /// One rate for all systems, which pilots find.
    Common,
    /// What an acknowledged write has to survive.
    Durability(Durability),
    /// How many replicas take part.
    Consistency(Consistency),
    /// A name, or a level that a person wrote of a system.
    Word(String),
}

/// Words that have an order of their own; words that begin with a number stand before the first one, all others behind the last.
const KNOWN: [&str; 12] = [
    "none", "off", "no", "false", "buffered", "one", "on", "yes", "true", "synced", "quorum", "all",
];

impl Level {
    /// The level of this factor that is written so. A text that is no value of the factor is a word.
    #[must_use]
    pub fn read(factor: &str, text: &str) -> Self {
        let is_count = [Factor::Records.name(), Factor::Operations.name(), CLIENTS].contains(&factor);
        let known = match factor {
            _ if is_count => text.parse().ok().map(Self::Count),
            RATE if text == UNLIMITED => Some(Self::Unlimited),
            RATE if text == COMMON => Some(Self::Common),
            RATE => text
                .parse()
                .ok()
                .filter(|rate: &f64| rate.is_finite())
                .map(Self::Rate),
            PILOT => text
                .strip_suffix('%')
                .and_then(|percent| percent.parse::<u32>().ok())
                .map(|percent| Self::Share(f64::from(percent) / 100.0)),
            "durability" => text.parse().ok().map(Self::Durability),
            "consistency" => text.parse().ok().map(Self::Consistency),
            _ => None,
        };
        known.unwrap_or_else(|| Self::Word(text.to_owned()))
    }

    /// The place of its kind among the kinds of levels.
    const fn kind(&self) -> u8 {
        match self {
            Self::Count(_) => 0,
            Self::Share(_) => 1,
            Self::Rate(_) => 2,
            Self::Unlimited => 3,
            Self::Common => 4,
            Self::Durability(_) => 5,
            Self::Consistency(_) => 6,
            Self::Word(_) => 7,
        }
    }
}

/// The place of a word among the known ones, and its own among those of one place.
fn place_of_word(word: &str) -> (usize, NaturalKey) {
    let key = NaturalKey::new(word);
    let known = KNOWN.iter().position(|known| *known == word);
    let other = if key.is_number() { 0 } else { KNOWN.len() };
    (known.unwrap_or(other), key)
}

impl Ord for Level {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Count(one), Self::Count(other)) => one.cmp(other),
            (Self::Share(one), Self::Share(other)) | (Self::Rate(one), Self::Rate(other)) => {
                one.total_cmp(other)
            }
            (Self::Durability(one), Self::Durability(other)) => one.cmp(other),
            (Self::Consistency(one), Self::Consistency(other)) => one.cmp(other),
            (Self::Word(one), Self::Word(other)) if one == other => Ordering::Equal,
            (Self::Word(one), Self::Word(other)) => place_of_word(one).cmp(&place_of_word(other)),
            _ => self.kind().cmp(&other.kind()),
        }
    }
}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Level {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Level {}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(formatter),
            Self::Share(share) => formatter.pad(&format!("{:.0}%", share * 100.0)),
            Self::Rate(per_second) => per_second.fmt(formatter),
            Self::Unlimited => formatter.pad(UNLIMITED),
            Self::Common => formatter.pad(COMMON),
            Self::Durability(level) => formatter.pad(level.name()),
            Self::Consistency(level) => formatter.pad(level.name()),
            Self::Word(word) => formatter.pad(word),
        }
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_sort_by_value_and_read_as_they_are_written() {
        for (factor, expected) in [
            ("clients", &["1", "4", "16"][..]),
            ("records", &["500", "50000", "1000000"]),
            ("rate", &["0.5", "500", "20000", "unlimited", "common"]),
            ("pilot", &["5%", "50%"]),
            ("durability", &["none", "buffered", "synced"]),
            ("consistency", &["one", "quorum", "all"]),
            (
                "system.cache",
                &["1", "3", "10", "64MiB", "1GiB", "none", "lz4", "zstd"],
            ),
            ("system.encryption", &["off", "on"]),
            ("system.scans", &["no", "yes"]),
        ] {
            let mut levels: Vec<Level> = expected
                .iter()
                .rev()
                .map(|text| Level::read(factor, text))
                .collect();
            levels.sort();
            let written: Vec<String> = levels.iter().map(ToString::to_string).collect();
            assert_eq!(written, expected, "{factor}");
        }
    }

    #[test]
    fn two_writings_are_two_words_and_one_number() {
        assert_ne!(Level::Word("1k".to_owned()), Level::Word("1000".to_owned()));
        assert_eq!(Level::read(RATE, "1e3"), Level::Rate(1000.0));
        assert_eq!(Level::read(CLIENTS, "many"), Level::Word("many".to_owned()));
    }
}
