//! Before a study runs: which systems will not be ranked against each other, and what makes them equal.

use dbdyno_report::number;
use dbdyno_study::Study;
use dbdyno_study::file::known_guarantees::{Change, differing};

/// The warning before the study starts; `None` where its systems are equal as far as is known.
pub fn warning(study: &Study) -> Option<String> {
    let found = differing(study)?;
    let levels = found.levels.iter();
    let levels: Vec<String> = levels
        .map(|(level, systems)| format!("`{level}` for {}", number::list(systems)))
        .collect();
    let equal = found.equal.map_or_else(String::new, |(level, changes)| {
        let change = |change: &Change| format!("`{}` instead of `{}`", change.to, change.from);
        let changes: Vec<String> = changes.iter().map(change).collect();
        format!(
            " To compare all of them at `{level}`, use {}.",
            number::list(&changes)
        )
    });
    Some(format!(
        "durability is {}, and systems of different durability are not ranked against each other.{equal}",
        number::list(&levels)
    ))
}
