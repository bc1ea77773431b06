//! Levels of factors, and the guarantees that are among them.

use dbdyno_driver::{Consistency, Durability};
use dbdyno_files::{List, Mistake, Placed, Scalar, values};

/// The levels of a factor, each at most once.
pub(crate) fn levels<T, U: PartialEq + std::fmt::Display>(
    list: &List<T>,
    key: &str,
    level_of: impl Fn(&T) -> U,
) -> Result<Vec<U>, Mistake> {
    let mut levels = Vec::new();
    for written in &list.0 {
        let level = level_of(&written.value);
        if levels.contains(&level) {
            return Err(Mistake::new(
                written.span.clone(),
                format!("`{key}` names {level} twice"),
                "every level is already measured `trials` times; raise `trials` for more certainty",
            ));
        }
        levels.push(level);
    }
    Ok(levels)
}

/// The driver's level of this name.
pub(crate) fn durability(level: &Placed<values::Durability>) -> Result<Durability, Mistake> {
    let parsed = level.value.0.parse();
    parsed.map_err(|error: String| Mistake::new(level.span.clone(), error, values::Durability::HELP))
}

/// The driver's level of this name.
pub(crate) fn consistency(level: &Placed<values::Consistency>) -> Result<Consistency, Mistake> {
    let parsed = level.value.0.parse();
    parsed.map_err(|error: String| Mistake::new(level.span.clone(), error, values::Consistency::HELP))
}
