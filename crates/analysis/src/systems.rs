//! The systems of a study: their settings as read back, and which is whose A/A twin.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::{ProtectionRecord, SystemRecord, TrialRecord};
use dbdyno_trial::LevelOrder;
use dbdyno_vocabulary::natural::NaturalKey;
use dbdyno_vocabulary::twin_original;

use super::{System, baseline};

/// The systems by name, twins at the end. What the study varies stands below its baseline, in the order of its levels.
pub fn systems(trials: &[TrialRecord], order: &LevelOrder) -> Vec<System> {
    let mut by_name: BTreeMap<&str, Vec<&SystemRecord>> = BTreeMap::new();
    for trial in trials {
        by_name.entry(&trial.system.name).or_default().push(&trial.system);
    }
    let names: BTreeSet<&str> = by_name.keys().copied().collect();
    let bases: BTreeMap<&str, &str> = trials
        .iter()
        .filter_map(|trial| Some((trial.system.name.as_str(), baseline::of_trial(trial)?)))
        .collect();
    let mut systems: Vec<System> = by_name
        .into_iter()
        .map(|(name, records)| System {
            base: bases.get(name).map(|base| (*base).to_owned()),
            ..describe(name, &records, twin_of(name, &names))
        })
        .collect();
    let factors: BTreeMap<&str, &BTreeMap<String, String>> = trials
        .iter()
        .map(|trial| (trial.system.name.as_str(), &trial.spec.system.factors))
        .collect();
    let none = BTreeMap::new();
    let factors_of = |name: &str| factors.get(name).copied().unwrap_or(&none);
    systems.sort_by_cached_key(|system| {
        let base = system.base.as_ref().unwrap_or(&system.name);
        let variation = order.variation(factors_of(&system.name), factors_of(base));
        (
            system.twin_of.is_some(),
            NaturalKey::new(base),
            variation,
            NaturalKey::new(&system.name),
        )
    });
    systems
}

fn describe(name: &str, records: &[&SystemRecord], twin_of: Option<String>) -> System {
    let best = records
        .iter()
        .find(|record| !record.product.is_empty())
        .unwrap_or(&records[0]);
    let mut settings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for record in records {
        let observed = record.protection.iter().flat_map(ProtectionRecord::facts);
        let observed = observed.map(|(label, value)| (label.to_owned(), value));
        let own = record.settings.clone().into_iter().chain(observed);
        for (key, value) in own {
            let values = settings.entry(key).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    System {
        name: name.to_owned(),
        color: 0,
        driver: best.driver.clone(),
        product: format!("{} {}", best.product, best.version).trim().to_owned(),
        topology: best.topology.clone(),
        nodes: best.node_count(),
        durability: best.durability,
        durability_means: best.durability_means.clone(),
        consistency: best.consistency,
        consistency_means: best.consistency_means.clone(),
        at_rest: best
            .at_rest
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
        limits: best
            .resources
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
        scan_order: best.scan_order,
        settings,
        twin_of,
        base: None,
    }
}

fn twin_of(name: &str, names: &BTreeSet<&str>) -> Option<String> {
    twin_original(name)
        .filter(|original| names.contains(original))
        .map(str::to_owned)
}
