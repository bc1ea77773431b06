//! Whether every system of a study can give the guarantees that the study asks for.

use std::ops::Range;

use dbdyno_driver::Target;

use crate::definition::Study;
use crate::system_keys::check_target;
use crate::toml_reader::Mistake;

/// Every system must have every level of durability that the study asks for.
pub(crate) fn check_durabilities(study: &Study, place: &Range<usize>) -> Result<(), Mistake> {
    for system in &study.systems {
        for level in study.durabilities.iter().copied().flatten() {
            if system.target.durability.is_none() {
                let target = Target {
                    durability: Some(level),
                    ..system.target.clone()
                };
                check_target(&target, place)?;
            }
        }
        if study.durabilities.len() > 1 && system.target.durability.is_some() {
            return Err(Mistake::new(
                place.clone(),
                format!(
                    "system `{}` has a durability of its own, and `durability` is a factor",
                    system.name
                ),
                "leave it out of the system, or make `durability` one level",
            ));
        }
    }
    Ok(())
}

/// Every system must have every level of consistency that the study asks for.
pub(crate) fn check_consistencies(study: &Study, place: &Range<usize>) -> Result<(), Mistake> {
    for system in &study.systems {
        for level in study.consistencies.iter().copied().flatten() {
            if system.target.consistency.is_none() {
                let target = Target {
                    consistency: Some(level),
                    ..system.target.clone()
                };
                check_target(&target, place)?;
            }
        }
        if study.consistencies.len() > 1 && system.target.consistency.is_some() {
            return Err(Mistake::new(
                place.clone(),
                format!(
                    "system `{}` has a consistency of its own, and `consistency` is a factor",
                    system.name
                ),
                "leave it out of the system, or make `consistency` one level",
            ));
        }
    }
    Ok(())
}
