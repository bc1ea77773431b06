//! Whether the systems of a study can be measured in turns, and whether their servers fit into the memory together.

use dbdyno_driver::Target;
use dbdyno_record::study::Kind;

use crate::address;
use crate::file::definition::{Order, Restart, Study, System};

/// The share of the memory that is available that the servers of a study may take together.
const MOST_MEMORY: f64 = 0.8;

/// How trials take turns where the study file does not say: interleaved, where systems are compared that can run at the same
/// time. A comparison can divide them into batches, a search cannot.
#[must_use]
pub(crate) fn usual_order(study: &Study, available: Option<u64>) -> Order {
    let can = study.kind == Kind::Comparison || fit(study, memory_for_servers(available));
    match can && refusal(&study.systems).is_none() {
        true => Order::Interleaved,
        false => Order::Blocks,
    }
}

/// What the lab's servers may take of the memory together, bytes, where that divides the systems of an interleaved comparison into
/// batches; `None`: all of them run at the same time. Servers that are kept for a whole study cannot make room for others.
pub(crate) fn memory_of_batches(study: &Study, available: Option<u64>) -> Option<u64> {
    let divides = study.order == Order::Interleaved
        && study.kind == Kind::Comparison
        && study.restart == Restart::Block;
    memory_for_servers(available).filter(|limit| divides && !fit(study, Some(*limit)))
}

fn memory_for_servers(available: Option<u64>) -> Option<u64> {
    available.map(|available| (available as f64 * MOST_MEMORY) as u64)
}

/// Whether the lab's servers of a study fit into the memory at the same time; where that is not known, they do.
fn fit(study: &Study, limit: Option<u64>) -> bool {
    limit.is_none_or(|limit| study.memory_of_servers() <= limit)
}

/// Why systems cannot be measured in turns, in words; `None` where they can.
#[must_use]
pub(crate) fn refusal(systems: &[System]) -> Option<String> {
    if systems.len() < 2 {
        return Some("there is one system only".to_owned());
    }
    systems.iter().enumerate().find_map(|(index, system)| {
        let other = systems[index + 1..]
            .iter()
            .find(|other| share_a_place(&system.target, &other.target))?;
        Some(format!(
            "{} and {} would use one table at the same time",
            system.name, other.name
        ))
    })
}

/// Whether two systems keep their data in one place. Servers of the lab and temporary stores have places of their own.
fn share_a_place(a: &Target, b: &Target) -> bool {
    a.scheme == b.scheme && a.scheme != address::SCHEME && !a.place.is_empty() && a.place == b.place
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn study(keys: &str) -> Study {
        let text = format!("name = \"x\"\nworkloads = [\"a\", \"c\"]\nrecords = 100\n{keys}");
        crate::file::parse(&text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}"))
    }

    #[test]
    fn systems_of_a_cell_take_turns_where_they_can() {
        let order = |keys: &str| study(keys).order;
        assert_eq!(order("systems = [\"redb\", \"fjall\"]"), Order::Interleaved);
        assert_eq!(order("systems = [\"redb\"]\naa = true"), Order::Interleaved);
        assert_eq!(order("systems = [\"redb\"]"), Order::Blocks);
        assert_eq!(order("systems = [\"redb:/x/y\"]\naa = true"), Order::Blocks);
        assert_eq!(
            order("systems = [\"redb\", \"fjall\"]\norder = \"blocks\""),
            Order::Blocks
        );
        let wrong = "name = \"x\"\nsystems = [\"redis://host\"]\naa = true\norder = \"interleaved\"\nworkloads = [\"a\"]";
        let mistake = crate::file::parse(wrong, Path::new(".")).unwrap_err();
        assert!(
            mistake.message.contains("would use one table at the same time"),
            "{mistake:?}"
        );
    }
}
