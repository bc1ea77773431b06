//! Before a study runs: which systems will not be ranked against each other, and what makes them equal.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_report::number;
use dbdyno_study::Study;
use dbdyno_study::file::known_guarantees::{Change, Differing, Scans, differing};

use super::outline;

/// The warning before the study starts; `None` where its systems are equal as far as is known.
pub fn warning(study: &Study) -> Option<String> {
    let found = differing(study)?;
    let mut sentences = guarantees(&found);
    sentences.extend(found.scans.as_ref().map(|scans| order_of_scans(study, scans)));
    Some(sentences.join(" "))
}

fn guarantees(found: &Differing) -> Vec<String> {
    let durability = (!found.durability.is_empty()).then(|| ("durability", listed(&found.durability)));
    let consistency = (!found.consistency.is_empty()).then(|| ("consistency", listed(&found.consistency)));
    let differing: Vec<(&str, String)> = durability.into_iter().chain(consistency).collect();
    let names: Vec<&str> = differing.iter().map(|(name, _)| *name).collect();
    let facts: Vec<String> = differing
        .iter()
        .map(|(name, levels)| format!("{name} is {levels}"))
        .collect();
    if facts.is_empty() {
        return Vec::new();
    }
    let mut sentences = vec![format!(
        "{}, and systems of different {} are not ranked against each other.",
        facts.join("; "),
        names.join(" or ")
    )];
    if let Some(equal) = &found.equal {
        let levels: Vec<String> = names
            .iter()
            .map(|name| match *name {
                "durability" => format!("`{}`", equal.durability),
                _ => format!("`{}`", equal.consistency),
            })
            .collect();
        sentences.push(format!(
            "To compare all of them at {}, use {}.",
            number::list(&levels),
            instead(&equal.changes)
        ));
    }
    sentences
}

/// That scans are different work, and what makes them equal.
fn order_of_scans(study: &Study, scans: &Scans) -> String {
    let names = outline::names(study);
    let cells = study.cells();
    let scanning = cells
        .iter()
        .filter(|cell| scans.workloads.contains(&cell.workload));
    let tests: BTreeSet<String> = scanning.map(|cell| names.test(cell)).collect();
    let tests: Vec<String> = tests.into_iter().collect();
    format!(
        "Scans return records in the order {}: {} not ranked between systems of different order{}.",
        listed(&scans.orders),
        match tests.as_slice() {
            [only] => format!("the test \"{only}\" is"),
            tests => format!(
                "the tests {} are",
                number::list(&tests.iter().map(|test| format!("\"{test}\"")).collect::<Vec<_>>())
            ),
        },
        match scans.changes.as_slice() {
            [] => ", and no option changes it".to_owned(),
            changes => format!(". To compare all of them, use {}", instead(changes)),
        }
    )
}

/// Addresses to use instead of others.
fn instead(changes: &[Change]) -> String {
    let changes = changes
        .iter()
        .map(|change| format!("`{}` instead of `{}`", change.to, change.from));
    number::list(&changes.collect::<Vec<_>>())
}

/// `` `none` for redis and `synced` for postgres ``.
fn listed<L: std::fmt::Display>(levels: &BTreeMap<L, Vec<String>>) -> String {
    let levels: Vec<String> = levels
        .iter()
        .map(|(level, systems)| format!("`{level}` for {}", number::list(systems)))
        .collect();
    number::list(&levels)
}
