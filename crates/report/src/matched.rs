//! Which tests of two folders are one, and what differs between them.

use std::collections::BTreeSet;

use dbdyno_analysis::{CellName, is_same_workload, is_usual};

use crate::conditions::{Difference, differences};
use crate::folders::CellFacts;

/// Whether two sides hold the same trials under the same conditions: no two measurements agree in every digit of every metric.
pub fn holds_the_same(before: &[CellFacts], after: &[CellFacts]) -> bool {
    let sorted = |cells: &[CellFacts]| -> Vec<CellFacts> {
        let common = |facts: &CellFacts| CellFacts {
            cell: facts.cell.common(),
            ..facts.clone()
        };
        let mut all: Vec<CellFacts> = cells.iter().map(common).collect();
        all.sort_by(|one, other| one.cell.cmp(&other.cell));
        all
    };
    sorted(before) == sorted(after)
}

/// Every cell before with its own after: of the same name, else of a name that means the same. Where no name is on both sides, a system
/// under a workload that each side has once is one all the same: its levels are what differs.
pub fn pairs<'a>(before: &'a [CellFacts], after: &'a [CellFacts]) -> Vec<(&'a CellFacts, &'a CellFacts)> {
    let partner = |old: &CellFacts| {
        let exact = after.iter().find(|new| new.cell == old.cell);
        let is_free = |new: &&CellFacts| before.iter().all(|other| other.cell != new.cell);
        exact.or_else(|| {
            let mut free = after.iter().filter(is_free);
            free.find(|new| new.cell.is_same(&old.cell))
        })
    };
    let of_name = before.iter().filter_map(|old| Some((old, partner(old)?)));
    let pairs: Vec<_> = of_name.collect();
    if !pairs.is_empty() {
        return pairs;
    }
    let likes = |cells: &'a [CellFacts], cell: &CellName| -> Vec<&'a CellFacts> {
        let is_like = |one: &&CellFacts| {
            one.cell.system == cell.system && is_same_workload(&one.cell.workload, &cell.workload)
        };
        cells.iter().filter(is_like).collect()
    };
    let alone = |old: &'a CellFacts| match (
        likes(before, &old.cell).as_slice(),
        likes(after, &old.cell).as_slice(),
    ) {
        ([_], [new]) => Some((old, *new)),
        _ => None,
    };
    before.iter().filter_map(alone).collect()
}

/// The differences of two cells: conditions, and levels of factors that no condition states.
pub fn differing(old: &CellFacts, new: &CellFacts) -> Vec<Difference> {
    let mut found = differences(&old.conditions, &new.conditions);
    let level = |cell: &CellName, factor: &str| -> BTreeSet<String> {
        let levels = cell.levels.iter().filter(|level| !is_usual(level));
        let levels = levels.filter(|(name, _)| name == factor);
        levels.map(|(_, level)| level.clone()).collect()
    };
    let factors: BTreeSet<&String> = [old, new]
        .iter()
        .flat_map(|side| side.cell.levels.iter().map(|(factor, _)| factor))
        .collect();
    for factor in factors {
        let (before, after) = (level(&old.cell, factor), level(&new.cell, factor));
        if before != after && found.iter().all(|difference| difference.condition != *factor) {
            found.push(Difference {
                condition: factor.clone(),
                before,
                after,
            });
        }
    }
    found
}
