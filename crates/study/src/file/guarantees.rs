//! Whether every system of a study can give the guarantees that the study asks for.

use std::ops::Range;

use dbdyno_driver::{Consistency, Durability, Target};
use dbdyno_files::{List, Mistake, Mistakes, values};

use super::levels::{consistency, durability, levels};
use super::systems::check_target;
use crate::file::definition::System;

/// The levels of durability that a study asks for; `None` is each system's default.
pub(crate) fn durabilities(list: &List<values::Durability>) -> Result<Vec<Option<Durability>>, Mistake> {
    levels(list, "durability", |level| level.0.clone())?;
    if list.is_empty() {
        return Ok(vec![None]);
    }
    list.0.iter().map(|level| durability(level).map(Some)).collect()
}

/// The levels of consistency that a study asks for; `None` is each system's default.
pub(crate) fn consistencies(list: &List<values::Consistency>) -> Result<Vec<Option<Consistency>>, Mistake> {
    levels(list, "consistency", |level| level.0.clone())?;
    if list.is_empty() {
        return Ok(vec![None]);
    }
    list.0.iter().map(|level| consistency(level).map(Some)).collect()
}

/// Every system must have every level of durability that the study asks for. Of each system, the first that it lacks is reported.
pub(crate) fn check_durabilities(
    systems: &[System],
    levels: &[Option<Durability>],
    place: &Range<usize>,
) -> Result<(), Vec<Mistake>> {
    check(systems, levels, place, "durability", |target| {
        &mut target.durability
    })
}

/// Every system must have every level of consistency that the study asks for. Of each system, the first that it lacks is reported.
pub(crate) fn check_consistencies(
    systems: &[System],
    levels: &[Option<Consistency>],
    place: &Range<usize>,
) -> Result<(), Vec<Mistake>> {
    check(systems, levels, place, "consistency", |target| {
        &mut target.consistency
    })
}

fn check<L: Copy>(
    systems: &[System],
    levels: &[Option<L>],
    place: &Range<usize>,
    factor: &str,
    of: fn(&mut Target) -> &mut Option<L>,
) -> Result<(), Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    for system in systems {
        let mut target = system.target.clone();
        let is_set = of(&mut target).is_some();
        let mut asked = levels.iter().copied().flatten().filter(|_| !is_set);
        let refused = asked.find_map(|level| {
            *of(&mut target) = Some(level);
            check_target(&target, place).err()
        });
        if let Some(refused) = refused {
            mistakes.add(refused);
        }
        if levels.len() > 1 && is_set {
            mistakes.add(Mistake::new(
                place.clone(),
                format!(
                    "system `{}` sets a {factor}, but `{factor}` is a factor",
                    system.name
                ),
                format!("remove it from the system, or give `{factor}` a single level"),
            ));
        }
    }
    mistakes.or(Some(()))
}
