//! Which guarantees the systems of a study are known to give before it runs, by the rule that ranks them after it: systems of
//! different durability are not ranked against each other.

use std::collections::BTreeMap;

use dbdyno_driver::{Durability, Target, options};
use dbdyno_vocabulary::twin_original;

use crate::address;
use crate::file::definition::Study;

/// Systems that will not be ranked against each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The systems at each level of durability.
    pub levels: BTreeMap<Durability, Vec<String>>,
    /// The level at which all of them are equal, with what changes for it; `None`: there is none.
    pub equal: Option<(Durability, Vec<Change>)>,
}

/// The address of a system, and one at which it gives another level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its address, without a password.
    pub from: String,
    /// The address to use instead.
    pub to: String,
}

/// The systems whose durability is known to differ; `None` where it is equal, not known, or asked for by the study.
#[must_use]
pub fn differing(study: &Study) -> Option<Differing> {
    if study.durabilities.iter().any(Option::is_some) {
        return None;
    }
    let systems = study
        .systems
        .iter()
        .filter(|system| twin_original(&system.name).is_none());
    let known: Vec<(&str, &Target, Durability)> = systems
        .filter_map(|system| Some((system.name.as_str(), &system.target, durability(&system.target)?)))
        .collect();
    let mut levels: BTreeMap<Durability, Vec<String>> = BTreeMap::new();
    for (name, _, level) in &known {
        levels.entry(*level).or_default().push((*name).to_owned());
    }
    if levels.len() < 2 {
        return None;
    }
    let at = |level: Durability| {
        let changes = known.iter().filter(|(_, _, own)| *own != level);
        let changes = changes.map(|(_, target, _)| {
            Some(Change {
                from: target.to_string(),
                to: with(target, level)?.to_string(),
            })
        });
        changes
            .collect::<Option<Vec<_>>>()
            .map(|changes| (level, changes))
    };
    // The fewest changes; of equally few, the strongest level.
    let equal = Durability::ALL
        .into_iter()
        .rev()
        .filter_map(at)
        .min_by_key(|(_, changes)| changes.len());
    Some(Differing { levels, equal })
}

/// The durability that a system gives; `None` where its running server alone knows.
fn durability(target: &Target) -> Option<Durability> {
    if target.durability.is_some() {
        return target.durability;
    }
    let info = address::driver_info(target)?;
    let Some(system) = address::read(target) else {
        return if info.remote {
            None
        } else {
            options::durability(info, target).ok()
        };
    };
    let system = system.ok()?;
    let (option, levels) = system.recipe.info().durability_by?;
    let (default, _) = levels.first()?;
    let value = system
        .request
        .options
        .get(option)
        .map_or(*default, String::as_str);
    levels
        .iter()
        .find(|(known, _)| *known == value)
        .map(|(_, level)| *level)
}

/// The address at which a system gives this level; `None` where none does.
fn with(target: &Target, level: Durability) -> Option<Target> {
    let mut changed = target.clone();
    let by_servers = match address::read(target) {
        Some(system) => system.ok()?.recipe.info().durability_by,
        None => None,
    };
    match by_servers {
        Some((option, levels)) => {
            let (value, _) = levels.iter().find(|(_, own)| *own == level)?;
            changed.durability = None;
            changed.options.insert(option.to_owned(), (*value).to_owned());
        }
        None => {
            let offered = address::driver_info(target)?.capabilities.durabilities;
            changed.durability = Some(offered.contains(&level).then_some(level)?);
        }
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(systems: &str) -> Option<Differing> {
        let text = format!("name = \"x\"\nworkloads = [\"a\"]\n{systems}\n");
        let study = crate::file::check::parse(&text, std::path::Path::new(".")).unwrap();
        differing(&study)
    }

    #[test]
    fn servers_and_stores_that_promise_less_are_named_with_what_makes_them_equal() {
        for (systems, level, from, to) in [
            (
                "[\"lab:redis\", \"lab:postgres\"]",
                Durability::Synced,
                "lab:redis",
                "lab:redis?appendfsync=always",
            ),
            (
                "[\"redb\", \"lab:redis?nodes=3\"]",
                Durability::Buffered,
                "lab:redis?nodes=3",
                "lab:redis?appendfsync=no&nodes=3",
            ),
            (
                "[\"redb?durability=synced\", \"sqlite\"]",
                Durability::Synced,
                "sqlite",
                "sqlite?durability=synced",
            ),
        ] {
            let (equal, changes) = found(&format!("systems = {systems}")).unwrap().equal.unwrap();
            let change = Change {
                from: from.to_owned(),
                to: to.to_owned(),
            };
            assert_eq!((equal, changes), (level, vec![change]), "{systems}");
        }
    }

    #[test]
    fn what_makes_them_equal_does() {
        for equal in [
            "[\"lab:redis?appendfsync=always\", \"lab:postgres\"]",
            "[\"redb\", \"lab:redis?appendfsync=no&nodes=3\"]",
            "[\"redb\", \"sqlite\"]",
            "[\"redis://h\", \"redb\"]",
        ] {
            assert_eq!(found(&format!("systems = {equal}")), None, "{equal}");
        }
        let asked = "systems = [\"redb\", \"lab:redis\"]\ndurability = \"buffered\"";
        assert_eq!(found(asked), None, "the study asks for one level");
    }
}
