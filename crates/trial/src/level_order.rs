//! The order of levels: as the study's file lists them, and those that it does not list by what they mean.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{FactorLevels, Level, SYSTEM_FACTOR};

/// The levels of each factor, as a study's file lists them, and the factors in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LevelOrder(Vec<Listed>);

/// One factor with its levels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
struct Listed {
    factor: String,
    levels: Vec<Level>,
}

/// A factor with its levels in a file: which text means what depends on the factor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    factor: String,
    levels: Vec<String>,
}

impl From<Written> for Listed {
    fn from(written: Written) -> Self {
        let levels = written.levels.iter();
        Self {
            levels: levels.map(|text| Level::read(&written.factor, text)).collect(),
            factor: written.factor,
        }
    }
}

/// The place of a level among those of its factor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LevelPlace {
    /// In the list of the file; the last one if it is not listed.
    listed: usize,
    level: Level,
}

/// How a system differs from its baseline: one level first, then several at once, each in the order of the factors.
pub type Variation<'a> = (usize, Vec<(usize, &'a str, LevelPlace)>);

impl LevelOrder {
    /// Adds levels of a factor, those that are new.
    pub fn list(&mut self, factor: &str, levels: impl IntoIterator<Item = Level>) {
        let place = self.factor(factor).unwrap_or_else(|| {
            self.0.push(Listed {
                factor: factor.to_owned(),
                levels: Vec::new(),
            });
            self.0.len() - 1
        });
        let own = &mut self.0[place].levels;
        for level in levels {
            if !own.contains(&level) {
                own.push(level);
            }
        }
    }

    fn factor(&self, factor: &str) -> Option<usize> {
        self.0.iter().position(|listed| listed.factor == factor)
    }

    /// The place of a level of a factor.
    #[must_use]
    pub fn place(&self, factor: &str, level: &Level) -> LevelPlace {
        let own = self.factor(factor).map(|place| &self.0[place].levels);
        let listed = own.and_then(|levels| levels.iter().position(|own| own == level));
        LevelPlace {
            listed: listed.unwrap_or(usize::MAX),
            level: level.clone(),
        }
    }

    /// The places of the levels of several factors.
    #[must_use]
    pub fn places(&self, levels: &FactorLevels) -> Vec<LevelPlace> {
        let levels = levels.iter();
        levels.map(|(factor, level)| self.place(factor, level)).collect()
    }

    /// What distinguishes a system from its baseline, by their own factors.
    #[must_use]
    pub fn variation<'a>(
        &self,
        own: &'a BTreeMap<String, String>,
        base: &BTreeMap<String, String>,
    ) -> Variation<'a> {
        let differing = own
            .iter()
            .filter(|(factor, level)| base.get(*factor) != Some(*level));
        let mut places: Vec<(usize, &str, LevelPlace)> = differing
            .map(|(factor, level)| {
                let name = format!("{SYSTEM_FACTOR}{factor}");
                let place = self.place(&name, &Level::Word(level.clone()));
                (self.factor(&name).unwrap_or(usize::MAX), factor.as_str(), place)
            })
            .collect();
        places.sort();
        (places.len(), places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the file of a study lists.
    fn listed() -> LevelOrder {
        let mut order = LevelOrder::default();
        for (factor, levels) in [
            (
                "system.security",
                &["none", "auth", "tls", "mtls", "hardened"][..],
            ),
            ("system.at_rest", &["off", "volume", "engine"]),
            ("clients", &["1", "16"]),
            ("clients", &["1", "4"]),
            ("rate", &["20000", "unlimited", "500"]),
        ] {
            order.list(factor, levels.iter().map(|text| Level::read(factor, text)));
        }
        order
    }

    fn sorted(order: &LevelOrder, factor: &str, levels: &[&str]) -> Vec<String> {
        let mut levels: Vec<Level> = levels.iter().map(|text| Level::read(factor, text)).collect();
        levels.sort();
        levels.sort_by_key(|level| order.place(factor, level));
        levels.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn levels_have_the_order_of_the_list() {
        for (factor, levels) in [
            ("system.security", &["none", "auth", "tls", "mtls"][..]),
            ("clients", &["1", "16", "4"]),
            ("rate", &["20000", "unlimited", "500"]),
        ] {
            assert_eq!(sorted(&listed(), factor, levels), levels, "{factor}");
        }
        assert_eq!(
            sorted(&listed(), "clients", &["4", "2", "1"]),
            ["1", "4", "2"],
            "one that is not listed comes last"
        );
        assert_eq!(
            sorted(&listed(), "system.nodes", &["10", "3", "off"]),
            ["3", "10", "off"]
        );
    }

    #[test]
    fn it_is_read_back_as_it_was_written() {
        let text = serde_json::to_string(&listed()).unwrap();
        assert!(
            text.contains(r#"{"factor":"rate","levels":["20000","unlimited","500"]}"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<LevelOrder>(&text).unwrap(), listed());
    }

    #[test]
    fn several_levels_at_once_come_after_single_ones() {
        let of = |security: &str, at_rest: &str| -> BTreeMap<String, String> {
            [("security", security), ("at_rest", at_rest)]
                .map(|(factor, level)| (factor.to_owned(), level.to_owned()))
                .into()
        };
        let expected = [
            of("none", "off"),
            of("auth", "off"),
            of("tls", "off"),
            of("hardened", "off"),
            of("none", "volume"),
            of("none", "engine"),
            of("hardened", "engine"),
        ];
        let mut systems = expected.to_vec();
        systems.sort();
        let order = listed();
        systems.sort_by(|one, other| {
            let variation = |own| order.variation(own, &expected[0]);
            variation(one).cmp(&variation(other))
        });
        assert_eq!(systems, expected);
    }
}
