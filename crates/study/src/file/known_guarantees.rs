//! Which guarantees the systems of a study are known to give before it runs, by the rule that ranks them after it: systems of
//! different durability, consistency or order of scans are not ranked against each other.

use std::collections::BTreeMap;

use dbdyno_driver::{AskedServers, Consistency, Durability, Foreseen, ScanOrder, Target};
use dbdyno_vocabulary::twin_original;
use dbdyno_workload::OperationKind;

use crate::address;
use crate::file::definition::{Study, System};
use crate::file::workloads::resolve_for;

/// Systems that will not be ranked against each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differing {
    /// The systems at each level of durability; empty where all have one.
    pub durability: BTreeMap<Durability, Vec<String>>,
    /// The systems at each level of consistency; empty where all have one.
    pub consistency: BTreeMap<Consistency, Vec<String>>,
    /// What makes the guarantees of all of them equal; `None`: nothing does, or they are.
    pub equal: Option<Equal>,
    /// The workloads that scan, where the systems scan in different orders.
    pub scans: Option<Scans>,
}

/// Guarantees that all systems can give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equal {
    /// Their durability.
    pub durability: Durability,
    /// Their consistency.
    pub consistency: Consistency,
    /// What changes for it.
    pub changes: Vec<Change>,
}

/// The address of a system, and one at which it gives other guarantees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its address, without a password.
    pub from: String,
    /// The address to use instead.
    pub to: String,
}

/// Scans that are different work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scans {
    /// The systems by the name of their order.
    pub orders: BTreeMap<&'static str, Vec<String>>,
    /// The names of the workloads that scan.
    pub workloads: Vec<String>,
    /// What makes all of them scan in the order of keys; empty: nothing does.
    pub changes: Vec<Change>,
}

/// The systems whose guarantees are known to differ; `None` where they are equal, not known, or asked for by the study.
#[must_use]
pub fn differing(study: &Study) -> Option<Differing> {
    let systems = study.systems.iter();
    let systems: Vec<&System> = systems
        .filter(|system| twin_original(&system.name).is_none())
        .collect();
    let known: Vec<Known<'_>> = systems
        .iter()
        .map(|system| Known {
            system,
            given: foreseen(&system.target),
        })
        .collect();
    let asks_durability = study.durabilities.iter().any(Option::is_some);
    let asks_consistency = study.consistencies.iter().any(Option::is_some);
    let mut found = Differing {
        scans: scans(study, &systems),
        ..Differing::default()
    };
    if !asks_durability {
        found.durability = levels(&known, |given| given.durability);
    }
    if !asks_consistency {
        found.consistency = levels(&known, |given| given.consistency);
    }
    if !found.durability.is_empty() || !found.consistency.is_empty() {
        found.equal = equal(&known);
    }
    (found != Differing::default()).then_some(found)
}

/// A system with what is known of it.
struct Known<'a> {
    system: &'a System,
    given: Foreseen,
}

/// The systems at each level, where there are several levels.
fn levels<L: Ord>(known: &[Known<'_>], of: impl Fn(&Foreseen) -> Option<L>) -> BTreeMap<L, Vec<String>> {
    let mut levels: BTreeMap<L, Vec<String>> = BTreeMap::new();
    for known in known {
        if let Some(level) = of(&known.given) {
            levels.entry(level).or_default().push(known.system.name.clone());
        }
    }
    if levels.len() < 2 {
        levels.clear();
    }
    levels
}

/// The guarantees that the fewest changes make equal; of equally few, the strongest.
fn equal(known: &[Known<'_>]) -> Option<Equal> {
    let strongest_first = Durability::ALL.into_iter().rev().flat_map(|durability| {
        let levels = Consistency::ALL.into_iter().rev();
        levels.map(move |consistency| (durability, consistency))
    });
    strongest_first
        .filter_map(|(durability, consistency)| {
            let mut changes = Vec::new();
            for known in known {
                changes.extend(change(known, durability, consistency)?);
            }
            Some(Equal {
                durability,
                consistency,
                changes,
            })
        })
        .min_by_key(|equal| equal.changes.len())
}

/// What makes a system give both; nothing where it does, `None` where it cannot. What is not known of it stays unknown.
fn change(known: &Known<'_>, durability: Durability, consistency: Consistency) -> Option<Option<Change>> {
    let target = &known.system.target;
    let wanted = Foreseen {
        durability: known.given.durability.map(|_| durability),
        consistency: known.given.consistency.map(|_| consistency),
    };
    if wanted == known.given {
        return Some(None);
    }
    let durable = with_durability(target, durability);
    let consistent = |target: &Target| Target {
        consistency: Some(consistency),
        ..target.clone()
    };
    let both = durable.as_ref().map(consistent);
    // Where a client cannot ask for replicas, the servers can be set to wait for them. Of two copies, a majority is all.
    let waiting = [Some(target), durable.as_ref()].into_iter().flatten();
    let waiting = waiting.filter_map(|target| with_waiting(target, consistency));
    let waiting: Vec<Target> = waiting
        .flat_map(|target| [target.clone(), consistent(&target)])
        .collect();
    let by_client = durable.into_iter().chain([consistent(target)]).chain(both);
    let mut candidates = by_client.chain(waiting);
    let changed = candidates.find(|changed| foreseen(changed) == wanted)?;
    Some(Some(Change {
        from: target.to_string(),
        to: changed.to_string(),
    }))
}

/// What a system is known to give: its driver says it of the servers that the address asks for.
#[must_use]
pub fn foreseen(target: &Target) -> Foreseen {
    let runner = address::driver_info(target).and_then(|info| dbdyno_registry::runner(info.name).ok());
    let Some(runner) = runner else {
        return Foreseen::default();
    };
    let Some(system) = address::read(target) else {
        return runner.foreseen(target, None);
    };
    let Ok(system) = system else {
        return Foreseen::default();
    };
    let by = system.recipe.info().durability_by;
    let durability = by.and_then(|(option, levels)| {
        let (default, _) = levels.first()?;
        let value = system.request.options.get(option);
        let value = value.map_or(*default, String::as_str);
        let level = levels.iter().find(|(known, _)| *known == value);
        level.map(|(_, level)| *level)
    });
    let servers = AskedServers {
        durability,
        options: system.request.options.clone(),
    };
    runner.foreseen(&address::for_checks(target, &system), Some(&servers))
}

/// The order in which a system is known to scan; `None` where it has no driver.
fn scan_order(target: &Target) -> Option<ScanOrder> {
    let info = address::driver_info(target)?;
    let runner = dbdyno_registry::runner(info.name).ok()?;
    let Some(Ok(system)) = address::read(target) else {
        return Some(runner.foreseen_scan_order(target, None));
    };
    let servers = AskedServers {
        durability: None,
        options: system.request.options.clone(),
    };
    Some(runner.foreseen_scan_order(&address::for_checks(target, &system), Some(&servers)))
}

/// The address at which a system is asked for this level; `None` where none does.
fn with_durability(target: &Target, level: Durability) -> Option<Target> {
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
        None => changed.durability = Some(level),
    }
    Some(changed)
}

/// The address at which the servers wait for as many copies; `None` where none does.
fn with_waiting(target: &Target, level: Consistency) -> Option<Target> {
    let system = address::read(target)?.ok()?;
    let (option, value) = system.recipe.waiting_for(&system.request, level)?;
    let mut changed = target.clone();
    changed.consistency = None;
    changed.options.insert(option.to_owned(), value);
    Some(changed)
}

/// The workloads that scan, where the systems scan in different orders.
fn scans(study: &Study, systems: &[&System]) -> Option<Scans> {
    let scanning = study.workloads.iter().filter(|choice| {
        let resolved = resolve_for(choice, choice.records, None);
        resolved.is_ok_and(|workload| workload.mix.proportion(OperationKind::Scan) > 0.0)
    });
    let workloads: Vec<String> = scanning.map(|choice| choice.name.clone()).collect();
    let mut orders: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for system in systems {
        let of_order =
            scan_order(&system.target).map(|order: ScanOrder| orders.entry(order.name()).or_default());
        if let Some(of_order) = of_order {
            of_order.push(system.name.clone());
        }
    }
    (!workloads.is_empty() && orders.len() > 1).then(|| Scans {
        orders,
        workloads,
        changes: by_key(systems).unwrap_or_default(),
    })
}

/// What makes all systems scan in the order of keys; `None` where one of them cannot.
fn by_key(systems: &[&System]) -> Option<Vec<Change>> {
    let others = systems
        .iter()
        .filter(|system| scan_order(&system.target) != Some(ScanOrder::Key));
    others
        .map(|system| {
            let asked = address::read(&system.target)?.ok()?;
            let (option, value) = asked.recipe.info().scans_by_key?;
            let mut changed = system.target.clone();
            changed.options.insert(option.to_owned(), value.to_owned());
            (scan_order(&changed) == Some(ScanOrder::Key)).then(|| Change {
                from: system.target.to_string(),
                to: changed.to_string(),
            })
        })
        .collect()
}

#[cfg(test)]
#[path = "known_guarantees_tests.rs"]
mod tests;
