//! Which trials are measured in turns: those of one cell and block, system by system in slices.

use dbdyno_trial::TrialSpec;

use super::order;
use crate::address;
use crate::file::definition::{Study, System};

/// The systems of a block that run at the same time, as positions in the list of systems: all of them, or as many as fit. Each block
/// divides them anew at random, so that the systems of every pair meet in some blocks and miss each other in others: all pairs have the same noise, which
/// the study's estimate of it assumes.
pub(crate) fn batches(study: &Study, block: u32) -> Vec<Vec<usize>> {
    let Some(limit) = study.memory_of_batches else {
        return vec![(0..study.systems.len()).collect()];
    };
    let memory = |positions: &[usize]| -> u64 {
        let of = |position: &usize| address::memory_bytes(&study.systems[*position].target);
        positions.iter().map(of).sum()
    };
    // Systems that are compared stay together where they can.
    let mut whole = compared(&study.systems);
    let parts: Vec<Vec<usize>> = whole
        .extract_if(.., |systems| memory(systems) > limit)
        .flatten()
        .map(|position| vec![position])
        .collect();
    whole.extend(parts);
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for place in order::of_batches(study.seed, block, whole.len()) {
        let own = &whole[place];
        match batches
            .iter_mut()
            .find(|batch| memory(batch) + memory(own) <= limit)
        {
            Some(batch) => batch.extend(own),
            None => batches.push(own.clone()),
        }
    }
    batches
}

/// Systems that are compared with each other, as positions: all of them, or those that an option of servers distinguishes.
fn compared(systems: &[System]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (position, system) in systems.iter().enumerate() {
        match found.iter_mut().find(|own| systems[own[0]].base == system.base) {
            Some(own) => own.push(position),
            None => found.push(vec![position]),
        }
    }
    found
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
    a.system.base == b.system.base
        && a.records == b.records
        && a.common_rate == b.common_rate
        && a.cell() == b.cell()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::file::definition::Order;
    use crate::file::turns::{memory_of_batches, usual_order};

    fn study(keys: &str) -> Study {
        let text = format!("name = \"x\"\nworkloads = [\"a\", \"c\"]\nrecords = 100\n{keys}");
        crate::file::parse(&text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}"))
    }

    /// Three systems of 854, 406 and 662 MiB, an A/A twin of the first, and one without servers.
    const SERVERS: &str =
        "systems = [\"lab:cassandra\", \"lab:mongodb\", \"lab:hbase\", \"redb\"]\naa = true";

    #[test]
    fn servers_run_at_the_same_time_where_they_fit() {
        let study = study(SERVERS);
        assert_eq!(batches(&study, 0), [[0, 1, 2, 3, 4]]);
        assert_eq!(memory_of_batches(&study, None), None);
        // 2,776 MiB are 80% of 3,470 MiB.
        assert_eq!(memory_of_batches(&study, Some(3471 << 20)), None);
        assert_eq!(
            memory_of_batches(&study, Some(3469 << 20)).map(|limit| limit >> 20),
            Some(2775)
        );
    }

    #[test]
    fn servers_that_do_not_fit_run_in_batches_that_each_block_draws_anew() {
        let mut study = study(SERVERS);
        study.memory_of_batches = Some(1800 << 20);
        let mut together = [[0; 5]; 5];
        for block in 0..200 {
            let batches = batches(&study, block);
            let mut seen: Vec<usize> = batches.concat();
            seen.sort_unstable();
            assert_eq!(seen, [0, 1, 2, 3, 4], "every system once in each block");
            for batch in &batches {
                let taken: u64 = batch
                    .iter()
                    .map(|&position| address::memory_bytes(&study.systems[position].target))
                    .sum();
                assert!(taken <= 1800 << 20, "{batch:?} takes {} MiB", taken >> 20);
                for (&a, &b) in batch.iter().flat_map(|a| batch.iter().map(move |b| (a, b))) {
                    together[a][b] += 1;
                }
            }
        }
        for (a, b) in (0..5).flat_map(|a| (0..a).map(move |b| (a, b))) {
            assert!(
                (10..=190).contains(&together[a][b]),
                "{a} and {b} met {} times",
                together[a][b]
            );
        }
    }

    #[test]
    fn systems_that_are_compared_share_a_batch_where_they_fit() {
        let mut study = study(
            "systems = [\"lab:mongodb\", \"lab:cassandra\"]\nvary = { security = [\"none\", \"auth\", \"tls\"] }",
        );
        // Three times 406 MiB, and three times 854 MiB.
        study.memory_of_batches = Some(2600 << 20);
        let products = [[0, 1, 2], [3, 4, 5]];
        for block in 0..20 {
            let mut batches = batches(&study, block);
            batches.sort_unstable();
            assert_eq!(batches, products);
        }
        study.memory_of_batches = Some(2500 << 20);
        let divided = (0..20).map(|block| batches(&study, block));
        let mut all = divided.flatten();
        assert!(all.any(|batch| batch.contains(&3) && !batch.contains(&5)));
    }

    #[test]
    fn a_plan_with_batches_holds_every_trial_once_and_starts_servers_for_their_batch() {
        let mut study = study(SERVERS);
        study.memory_of_batches = Some(1800 << 20);
        let plan = crate::plan::Plan::of_blocks(&study, 3);
        assert_eq!(plan.trials.len(), 5 * 2 * 3);
        let names: std::collections::BTreeSet<_> =
            plan.trials.iter().map(|trial| &trial.planned.trial).collect();
        assert_eq!(names.len(), plan.trials.len());
        let starts = plan
            .trials
            .iter()
            .filter(|trial| trial.first_on_servers && trial.planned.spec.system.name != "redb");
        assert_eq!(starts.count(), 4 * 3);
        // One after the other: who has left a plot does not come back.
        assert!(plan.trials.is_sorted_by_key(|trial| trial.plot));
        for trial in &plan.trials {
            let of_batch = plan.trials.iter().filter(|other| other.plot == trial.plot);
            let systems: std::collections::BTreeSet<_> =
                of_batch.map(|other| &other.planned.spec.system.name).collect();
            let beside = plan
                .trials
                .iter()
                .filter(|other| other.group.is_some() && other.group == trial.group);
            assert!(beside.clone().all(|other| other.plot == trial.plot));
            assert_eq!(beside.count(), if systems.len() > 1 { systems.len() } else { 0 });
        }
        let shorter = crate::plan::Plan::of_blocks(&study, 2);
        assert_eq!(plan.trials[..shorter.trials.len()], shorter.trials);
    }

    #[test]
    fn searches_and_kept_servers_run_at_once_or_in_blocks() {
        let search = study(&format!("{SERVERS}\nkind = \"capacity\"\nslo = \"p99<10ms\""));
        assert_eq!(usual_order(&search, Some(3 << 30)), Order::Blocks);
        assert_eq!(usual_order(&search, Some(4 << 30)), Order::Interleaved);
        let kept = study(&format!("{SERVERS}\nrestart = \"study\""));
        assert_eq!(memory_of_batches(&kept, Some(1 << 30)), None);
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
