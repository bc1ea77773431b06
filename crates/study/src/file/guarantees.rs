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
    let mut mistakes = Mistakes::default();
    for system in systems {
        let asked = levels.iter().copied().flatten();
        let refused = asked
            .filter(|_| system.target.durability.is_none())
            .find_map(|level| {
                let target = Target {
                    durability: Some(level),
                    ..system.target.clone()
                };
                check_target(&target, place).err()
            });
        if let Some(refused) = refused {
            mistakes.add(refused);
        }
        if levels.len() > 1 && system.target.durability.is_some() {
            mistakes.add(Mistake::new(
                place.clone(),
                format!(
                    "system `{}` sets a durability, but `durability` is a factor",
                    system.name
                ),
                "remove it from the system, or give `durability` a single level",
            ));
        }
    }
    mistakes.or(Some(()))
}

/// Every system must have every level of consistency that the study asks for. Of each system, the first that it lacks is reported.
pub(crate) fn check_consistencies(
    systems: &[System],
    levels: &[Option<Consistency>],
    place: &Range<usize>,
) -> Result<(), Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    for system in systems {
        let asked = levels.iter().copied().flatten();
        let refused = asked
            .filter(|_| system.target.consistency.is_none())
            .find_map(|level| {
                let target = Target {
                    consistency: Some(level),
                    ..system.target.clone()
                };
                check_target(&target, place).err()
            });
        if let Some(refused) = refused {
            mistakes.add(refused);
        }
        if levels.len() > 1 && system.target.consistency.is_some() {
            mistakes.add(Mistake::new(
                place.clone(),
                format!(
                    "system `{}` sets a consistency, but `consistency` is a factor",
                    system.name
                ),
                "remove it from the system, or give `consistency` a single level",
            ));
        }
    }
    mistakes.or(Some(()))
}
