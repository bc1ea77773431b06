//! What a study measured, and how: the facts in which studies of one question differ, published ones and these results alike.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::CellName;
use dbdyno_paper::{Extent, Paper};
use dbdyno_record::{TrialRecord, TrialStatus};
use serde::Serialize;

use crate::number;

/// What a study measured, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setup {
    /// Its databases with their versions, by the names of their drivers.
    pub versions: BTreeMap<String, BTreeSet<String>>,
    /// How it ran, in its own words: label and value, with the same labels in the same order for every study.
    pub protocol: Vec<(&'static str, String)>,
}

impl Setup {
    /// That of a published study.
    pub(super) fn of_paper(paper: &Paper) -> Self {
        let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for system in &paper.systems {
            let known = versions.entry(system.db.clone()).or_default();
            known.insert(system.version.to_string());
        }
        let extent = |extent: Extent| listed(paper.extents(extent).into_iter().map(u64::from));
        Self {
            versions,
            protocol: protocol([
                extent(Extent::Nodes),
                extent(Extent::Copies),
                paper.stated("durability"),
                paper.stated("threads"),
                paper.stated("runs"),
                paper.stated("record_counts"),
            ]),
        }
    }

    /// That of these trials; those that did not complete show nothing.
    pub(super) fn of_trials<'a>(trials: impl Iterator<Item = &'a TrialRecord>) -> Self {
        let trials: Vec<&TrialRecord> = trials
            .filter(|trial| trial.status == TrialStatus::Completed)
            .collect();
        let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut runs: BTreeMap<CellName, u64> = BTreeMap::new();
        for trial in &trials {
            let known = versions.entry(trial.system.driver.clone()).or_default();
            known.insert(trial.system.version.clone());
            *runs.entry(CellName::of(trial)).or_default() += 1;
        }
        let each = |of: fn(&TrialRecord) -> Option<u64>| {
            let found: BTreeSet<u64> = trials.iter().filter_map(|trial| of(trial)).collect();
            listed(found.into_iter())
        };
        let runs: BTreeSet<u64> = runs.into_values().collect();
        Self {
            versions,
            protocol: protocol([
                each(|trial| trial.system.node_count().map(|nodes| u64::from(nodes.max(1)))),
                each(|trial| Some(u64::from(trial.system.replicas.unwrap_or(1).max(1)))),
                durabilities(&trials),
                each(|trial| Some(u64::from(trial.spec.clients))),
                listed(runs.into_iter()),
                each(|trial| Some(trial.workload.records)),
            ]),
        }
    }
}

/// The levels of these trials.
fn durabilities(trials: &[&TrialRecord]) -> String {
    let names: BTreeSet<&str> = trials
        .iter()
        .map(|trial| trial.system.durability.name())
        .collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

fn protocol(values: [String; 6]) -> Vec<(&'static str, String)> {
    let labels = [
        "nodes",
        "copies",
        "durability",
        "client threads",
        "runs behind a number",
        "records",
    ];
    labels.into_iter().zip(values).collect()
}

fn listed(numbers: impl Iterator<Item = u64>) -> String {
    let numbers: Vec<String> = numbers.map(|one| number::quantity(one as f64)).collect();
    match numbers.is_empty() {
        true => "not stated".to_owned(),
        false => numbers.join(", "),
    }
}
