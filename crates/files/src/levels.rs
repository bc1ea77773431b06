//! The order of levels: as a study file lists them.

use dbdyno_trial::{CLIENTS, Factor, Level, LevelOrder, RATE, SYSTEM_FACTOR};

use crate::StudyFile;
use crate::values::{Operations, Rate};

impl StudyFile {
    /// The levels of each factor in the order of the file.
    #[must_use]
    pub fn levels(&self) -> LevelOrder {
        let mut order = LevelOrder::default();
        let mut of_system = |factor: &str, levels: &mut dyn Iterator<Item = &String>| {
            let levels = levels.map(|level| Level::Word(level.clone()));
            order.list(&format!("{SYSTEM_FACTOR}{factor}"), levels);
        };
        let mut options: Vec<_> = self.vary.iter().flat_map(|vary| &vary.value.options).collect();
        options.sort_by_key(|(option, _)| option.span.start);
        for (option, levels) in options {
            of_system(&option.value, &mut levels.0.iter().map(|level| &level.value.0));
        }
        for table in &self.system.0 {
            for (factor, level) in table.value.factors.iter().flat_map(|own| &own.value.0) {
                of_system(&factor.value, &mut std::iter::once(&level.value));
            }
        }
        let records = self.records.0.iter();
        order.list(
            Factor::Records.name(),
            records.map(|level| Level::Count(level.value.0)),
        );
        let operations = self.operations.0.iter().filter_map(|level| match level.value {
            Operations::Count(count) => Some(Level::Count(count)),
            Operations::AsRecords => None,
        });
        order.list(Factor::Operations.name(), operations);
        let clients = self.clients.0.iter();
        order.list(CLIENTS, clients.map(|level| Level::Count(level.value.0.into())));
        let rates = self.rates.0.iter().map(|level| match level.value {
            Rate::PerSecond(rate) => Level::Rate(rate),
            Rate::Unlimited => Level::Unlimited,
            Rate::Common => Level::Common,
        });
        order.list(RATE, rates);
        for (factor, levels) in [
            (
                "durability",
                self.durability
                    .0
                    .iter()
                    .map(|level| &level.value.0)
                    .collect::<Vec<_>>(),
            ),
            (
                "consistency",
                self.consistency.0.iter().map(|level| &level.value.0).collect(),
            ),
        ] {
            order.list(factor, levels.into_iter().map(|level| Level::read(factor, level)));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str, factor: &str) -> Vec<String> {
        let file: StudyFile = crate::read(text).unwrap();
        let written = serde_json::to_value(file.levels()).unwrap();
        let all = written.as_array().unwrap().iter();
        let own = all.clone().find(|own| own["factor"] == factor);
        let levels = own.iter().flat_map(|own| own["levels"].as_array().unwrap());
        levels.map(|level| level.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn levels_have_the_order_of_the_file() {
        let study = "name = \"s\"\nsystems = [\"lab:redis\"]\nworkloads = [\"a\"]\nclients = [1, 16, 4]\n\
                     rates = [\"20k\", \"unlimited\", 500]\nrecords = [\"1M\", \"50k\"]\n\
                     durability = [\"synced\", \"none\"]\n\
                     [vary]\nsecurity = [\"none\", \"auth\"]\nat_rest = [\"off\", \"volume\"]\ntogether = true\n";
        for (factor, levels) in [
            ("system.security", &["none", "auth"][..]),
            ("system.at_rest", &["off", "volume"]),
            ("clients", &["1", "16", "4"]),
            ("rate", &["20000", "unlimited", "500"]),
            ("records", &["1000000", "50000"]),
            ("durability", &["synced", "none"]),
            ("consistency", &[]),
        ] {
            assert_eq!(listed(study, factor), levels, "{factor}");
        }
    }

    #[test]
    fn systems_with_factors_list_their_levels() {
        let system = |name: &str, level: &str| {
            format!(
                "[[system]]\nname = \"{name}\"\naddress = \"memory\"\nfactors = {{ cache = \"{level}\" }}\n"
            )
        };
        let text = format!("name = \"s\"\n{}{}", system("b", "warm"), system("a", "cold"));
        assert_eq!(listed(&text, "system.cache"), ["warm", "cold"]);
    }
}
