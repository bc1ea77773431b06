//! The order of levels: as the study's own file lists them. Levels that no file lists have an order by what they mean, by value, or by
//! letter.

use std::collections::BTreeMap;

use dbdyno_files::StudyFile;
use dbdyno_record::pilot::UNLIMITED;
use dbdyno_record::plan::SYSTEM_FACTOR;

use crate::natural::NaturalKey;

/// Levels that have an order of their own where no file lists them; numbers stand beside the first one.
const KNOWN: [&str; 13] = [
    "none", "off", "no", "false", "buffered", "one", "on", "yes", "true", "synced", "quorum", "all",
    UNLIMITED,
];

/// The levels of each factor, as the study's file lists them.
#[derive(Debug, Default)]
pub struct LevelOrder(Vec<(String, Vec<String>)>);

/// The place of a level among those of its factor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LevelPlace {
    /// In the list of the file; the last one if it is not listed.
    listed: usize,
    /// Among the known words.
    known: usize,
    name: NaturalKey,
}

/// How a system differs from its baseline: one level first, then several at once, each in the order of the factors.
pub type Variation<'a> = (usize, Vec<(usize, &'a str, LevelPlace)>);

impl LevelOrder {
    /// The order of the study with this file. One that cannot be read, as of an older version, lists no levels.
    pub fn of_study(text: &str) -> Self {
        let mut order = Self::default();
        let Ok(file) = dbdyno_files::read::<StudyFile>(text) else {
            return order;
        };
        let mut options: Vec<_> = file.vary.iter().flat_map(|vary| &vary.value.options).collect();
        options.sort_by_key(|(option, _)| option.span.start);
        for (option, levels) in options {
            let levels = levels.0.iter().map(|level| level.value.0.clone());
            order.list(&of_system(&option.value), levels);
        }
        for table in &file.system.0 {
            for (factor, level) in table.value.factors.iter().flat_map(|own| &own.value.0) {
                order.list(&of_system(&factor.value), [level.value.clone()]);
            }
        }
        order.list(
            "records",
            file.records.0.iter().map(|level| level.value.0.to_string()),
        );
        order.list(
            "operations",
            file.operations.0.iter().map(|level| level.value.to_string()),
        );
        order.list(
            "clients",
            file.clients.0.iter().map(|level| level.value.0.to_string()),
        );
        order.list("rate", file.rates.0.iter().map(|level| level.value.to_string()));
        order.list(
            "durability",
            file.durability.0.iter().map(|level| level.value.0.clone()),
        );
        order.list(
            "consistency",
            file.consistency.0.iter().map(|level| level.value.0.clone()),
        );
        order
    }

    /// Adds levels of a factor, those that are new.
    fn list(&mut self, factor: &str, levels: impl IntoIterator<Item = String>) {
        let known = self.0.iter().position(|(name, _)| name == factor);
        let place = known.unwrap_or_else(|| {
            self.0.push((factor.to_owned(), Vec::new()));
            self.0.len() - 1
        });
        let own = &mut self.0[place].1;
        for level in levels {
            if !own.contains(&level) {
                own.push(level);
            }
        }
    }

    /// The place of a level of a factor.
    pub fn place(&self, factor: &str, level: &str) -> LevelPlace {
        let listed = self.0.iter().find(|(name, _)| name == factor);
        let listed = listed.and_then(|(_, levels)| levels.iter().position(|own| own == level));
        let name = NaturalKey::new(level);
        let known = KNOWN.iter().position(|word| *word == level);
        LevelPlace {
            listed: listed.unwrap_or(usize::MAX),
            known: known.unwrap_or(if name.is_number() { 0 } else { KNOWN.len() }),
            name,
        }
    }

    /// The places of the levels of several factors.
    pub fn places<'a>(&self, levels: impl IntoIterator<Item = (&'a String, &'a String)>) -> Vec<LevelPlace> {
        let levels = levels.into_iter();
        levels.map(|(factor, level)| self.place(factor, level)).collect()
    }

    /// What distinguishes a system from its baseline, by their own factors.
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
                let name = of_system(factor);
                let listed = self.0.iter().position(|(known, _)| *known == name);
                let place = self.place(&name, level);
                (listed.unwrap_or(usize::MAX), factor.as_str(), place)
            })
            .collect();
        places.sort();
        (places.len(), places)
    }
}

/// The name of a system's own factor among those of its trials.
pub fn of_system(factor: &str) -> String {
    format!("{SYSTEM_FACTOR}{factor}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = "name = \"s\"\nsystems = [\"lab:redis\"]\nworkloads = [\"a\"]\nclients = [1, 16, 4]\n\
                         rates = [\"20k\", \"unlimited\", 500]\nrecords = [\"1M\", \"50k\"]\n\
                         [vary]\nsecurity = [\"none\", \"auth\", \"tls\", \"mtls\", \"hardened\"]\n\
                         at_rest = [\"off\", \"volume\", \"engine\"]\ntogether = true\n";

    fn sorted<'a>(order: &LevelOrder, factor: &str, levels: &[&'a str]) -> Vec<&'a str> {
        let mut sorted = levels.to_vec();
        sorted.sort();
        sorted.sort_by_key(|level| order.place(factor, level));
        sorted
    }

    #[test]
    fn levels_have_the_order_of_the_file() {
        let order = LevelOrder::of_study(STUDY);
        let listed: [(&str, &[&str]); 5] = [
            ("system.security", &["none", "auth", "tls", "mtls", "hardened"]),
            ("system.at_rest", &["off", "volume", "engine"]),
            ("clients", &["1", "16", "4"]),
            ("rate", &["20000", "unlimited", "500"]),
            ("records", &["1000000", "50000"]),
        ];
        for (factor, levels) in listed {
            assert_eq!(sorted(&order, factor, levels), levels, "{factor}");
        }
        assert_eq!(
            sorted(&order, "clients", &["4", "2", "1"]),
            ["1", "4", "2"],
            "one that is not listed comes last"
        );
    }

    #[test]
    fn levels_that_no_file_lists_have_an_order() {
        for text in ["", "not TOML", "name = \"s\"\nunknown = 1\n", "name = \"s\"\n"] {
            let order = LevelOrder::of_study(text);
            for levels in [
                &["off", "on"][..],
                &["one", "quorum", "all"],
                &["1", "3", "10"],
                &["none", "buffered", "synced"],
                &["1000", "unlimited"],
                &["lz4", "zstd"],
            ] {
                assert_eq!(sorted(&order, "any", levels), levels, "{text}");
            }
        }
    }

    #[test]
    fn several_levels_at_once_come_after_single_ones() {
        let order = LevelOrder::of_study(STUDY);
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
        systems.sort_by(|one, other| {
            let variation = |own| order.variation(own, &expected[0]);
            variation(one).cmp(&variation(other))
        });
        assert_eq!(systems, expected);
    }

    #[test]
    fn systems_with_factors_list_their_levels() {
        let system = |name: &str, level: &str| {
            format!(
                "[[system]]\nname = \"{name}\"\naddress = \"memory\"\nfactors = {{ cache = \"{level}\" }}\n"
            )
        };
        let text = format!("name = \"s\"\n{}{}", system("b", "warm"), system("a", "cold"));
        let order = LevelOrder::of_study(&text);
        assert_eq!(
            sorted(&order, "system.cache", &["cold", "warm"]),
            ["warm", "cold"]
        );
    }
}
