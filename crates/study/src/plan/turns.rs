//! Which trials are measured in turns: those of one cell and block, system by system in slices.

use dbdyno_driver::Target;
use dbdyno_machine::AvailableMemory;
use dbdyno_record::plan::SYSTEM_FACTOR;
use dbdyno_trial::TrialSpec;

use crate::file::definition::{Order, Study, System};
use crate::run::labs;

/// What a node of the lab takes of memory at the most, with its usual heap: Cassandra's 850 MiB, and some for its files.
const NODE_BYTES: u64 = 1 << 30;
/// The share of the memory that is available that all nodes of a study may take together.
const MOST_MEMORY: f64 = 0.8;

/// How trials take turns where the study file does not say: interleaved, where systems are compared that can run at the same
/// time.
#[must_use]
pub(crate) fn usual_order(study: &Study) -> Order {
    match refusal(&study.systems).is_none() && fit(&study.systems, AvailableMemory::now().memory()) {
        true => Order::Interleaved,
        false => Order::Blocks,
    }
}

/// Whether the lab's servers of these systems fit into so much memory at the same time; where that is not known, they do.
fn fit(systems: &[System], available: Option<u64>) -> bool {
    let nodes: u64 = systems
        .iter()
        .map(|system| labs::most_nodes(std::iter::once(&system.target)) as u64)
        .sum();
    available.is_none_or(|available| (nodes * NODE_BYTES) as f64 <= available as f64 * MOST_MEMORY)
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
    a.scheme == b.scheme && a.scheme != labs::SCHEME && !a.place.is_empty() && a.place == b.place
}

/// The cells of a study, each with the trials of all systems that are compared in it.
#[must_use]
pub(crate) fn groups(cells: Vec<TrialSpec>) -> Vec<Vec<TrialSpec>> {
    let mut groups: Vec<Vec<TrialSpec>> = Vec::new();
    for cell in cells {
        match groups.iter_mut().find(|group| belong_together(&group[0], &cell)) {
            Some(group) => group.push(cell),
            None => groups.push(vec![cell]),
        }
    }
    groups
}

/// Whether two trials differ in their system alone, and are compared with each other.
pub(crate) fn belong_together(a: &TrialSpec, b: &TrialSpec) -> bool {
    let levels = |spec: &TrialSpec| {
        let mut factors = spec.factors();
        factors.retain(|name, _| name != "system" && !name.starts_with(SYSTEM_FACTOR));
        factors
    };
    a.system.base == b.system.base
        && a.records == b.records
        && a.common_rate == b.common_rate
        && levels(a) == levels(b)
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

    #[test]
    fn servers_run_at_the_same_time_where_they_fit() {
        let study = study("systems = [\"lab:cassandra?nodes=3\", \"lab:redis\", \"redb\"]");
        assert!(fit(&study.systems, Some(5 << 30)) && fit(&study.systems, None));
        assert!(
            !fit(&study.systems, Some(4 << 30)),
            "four nodes need a gibibyte each"
        );
    }

    #[test]
    fn a_group_is_a_cell_with_all_systems_that_are_compared_in_it() {
        let groups_of = |keys: &str| {
            let groups = groups(study(keys).cells());
            groups.iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(
            groups_of("systems = [\"redb\", \"fjall\"]\nclients = [1, 2]"),
            [2, 2, 2, 2]
        );
        assert_eq!(groups_of("systems = [\"redb\", \"fjall\"]\naa = true"), [3, 3]);
        assert_eq!(
            groups_of("systems = [\"redb\", \"fjall\"]\nrates = [\"unlimited\", \"common\"]"),
            [2, 2, 2, 2]
        );
    }
}
