//! Levels of factors, and the guarantees that are among them.

use dbdyno_driver::{Consistency, Durability};
use dbdyno_files::{List, Mistake, Placed, Scalar, StudyFile, values};

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

/// The levels of `records`.
pub(crate) fn records(file: &StudyFile) -> Result<Vec<u64>, Mistake> {
    levels(&file.records, "records", |records| records.0)
}

/// The levels of `clients`.
pub(crate) fn clients(file: &StudyFile) -> Result<Vec<u32>, Mistake> {
    levels(&file.clients, "clients", |clients| clients.0)
}

/// The levels of `operations`.
pub(crate) fn operations(file: &StudyFile) -> Result<Vec<values::Operations>, Mistake> {
    levels(&file.operations, "operations", |operations| *operations)
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
