//! What makes a comparison unfair: different promises, different work, doubtful trials.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::{Fact, SystemRecord, TrialRecord, TrialStatus};
use dbdyno_trial::Consistency;
use dbdyno_vocabulary::{Text, named, text};

use super::{Cell, Flag, FlagCode};
use crate::number;

fn flag(code: FlagCode, refuses: bool, text: impl Into<Text>) -> Flag {
    let text = text.into();
    Flag { code, refuses, text }
}

/// Whether the cell's workload scans.
fn scans(trials: &[&TrialRecord]) -> bool {
    trials.iter().any(|trial| {
        trial
            .workload
            .properties
            .get("scanproportion")
            .and_then(|text| text.parse::<f64>().ok())
            .is_some_and(|proportion| proportion > 0.0)
            || trial
                .measure
                .as_ref()
                .is_some_and(|measure| measure.operations.contains_key("scan"))
    })
}

/// The consistency at which a read sees every acknowledged write.
const SEES_EVERY_WRITE: Fact<Consistency> = Fact::Known(Consistency::OF_ONE_COPY);

/// A system's consistency. Reads of a system that keeps one copy see what those of a quorum see.
pub fn consistency(system: &SystemRecord) -> Fact<Consistency> {
    match system.consistency {
        Fact::Absent => SEES_EVERY_WRITE,
        level => level,
    }
}

/// What a system promises in this cell, in words: only systems that promise the same are compared.
pub fn promise_of(system: &str, trials: &[&TrialRecord]) -> String {
    let own = || trials.iter().filter(|trial| trial.system.name == system);
    let levels: BTreeSet<&str> = own()
        .filter(|trial| trial.status == TrialStatus::Completed || !trial.system.durability.is_absent())
        .map(|trial| trial.system.durability.name())
        .collect();
    let mut promise = format!(
        "durability {}",
        number::list(&levels.into_iter().collect::<Vec<_>>())
    );
    if trials
        .iter()
        .any(|trial| consistency(&trial.system) != SEES_EVERY_WRITE)
    {
        let levels: BTreeSet<&str> = own().map(|trial| consistency(&trial.system).name()).collect();
        promise.push_str(&format!(
            ", consistency {}",
            number::list(&levels.into_iter().collect::<Vec<_>>())
        ));
    }
    if scans(trials) {
        let orders: BTreeSet<&str> = own().map(|trial| trial.system.scan_order.name()).collect();
        promise.push_str(&format!(
            ", scans in {} order",
            number::list(&orders.into_iter().collect::<Vec<_>>())
        ));
    }
    promise
}

/// Whether the trials of a system state everything that [`promise_of`] lists.
pub fn states_promise(system: &str, trials: &[&TrialRecord]) -> bool {
    let scans = scans(trials);
    let own = trials.iter().map(|trial| &trial.system);
    own.filter(|own| own.name == system)
        .all(|own| states_guarantees(own) && !(scans && own.scan_order == Fact::NotStated))
}

/// Whether durability and consistency are known, or there is no choice of them.
fn states_guarantees(system: &SystemRecord) -> bool {
    system.durability != Fact::NotStated && system.consistency != Fact::NotStated
}

/// Whether systems of one block had different seeds, hence other operations.
pub fn seeds_differ(trials: &[&TrialRecord]) -> bool {
    let mut by_block: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for trial in trials {
        by_block.entry(trial.block).or_default().insert(trial.seed);
    }
    by_block.values().any(|seeds| seeds.len() > 1)
}

/// System names by the value of something.
fn by_value(
    trials: &[&TrialRecord],
    of: impl Fn(&SystemRecord) -> &'static str,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for trial in trials {
        let value = of(&trial.system);
        if !value.is_empty() {
            found
                .entry(value.to_owned())
                .or_default()
                .insert(trial.system.name.clone());
        }
    }
    found
}

fn listed(values: &BTreeMap<String, BTreeSet<String>>) -> Text {
    let parts = values
        .iter()
        .map(|(value, systems)| text![value, " for ", Text::names(systems)]);
    Text::joined(parts, "; ")
}

/// The flags of one cell; whether systems are ranked `across_promises`, because somebody asked for it.
pub fn of_cell(trials: &[&TrialRecord], across_promises: bool) -> Vec<Flag> {
    let mut flags = Vec::new();
    let refuses = !across_promises;
    let consequence = if across_promises {
        "and these systems are ranked against each other only because the study asks for it."
    } else {
        "so these systems are not ranked against each other."
    };
    let durabilities = by_value(trials, |system| system.durability.name());
    if durabilities.len() > 1 {
        let text = text![
            "Durability differs: ",
            listed(&durabilities),
            format!(". An acknowledged write does not survive the same failures, {consequence}")
        ];
        flags.push(flag(FlagCode::DurabilityDiffers, refuses, text));
    }
    let consistencies = by_value(trials, |system| consistency(system).name());
    if consistencies.len() > 1 {
        let text = text![
            "Consistency differs: ",
            listed(&consistencies),
            format!(
                ". An acknowledged write is on different numbers of replicas and a read sees different things, {consequence}"
            )
        ];
        flags.push(flag(FlagCode::ConsistencyDiffers, refuses, text));
    }
    let silent: BTreeSet<&str> = trials
        .iter()
        .map(|trial| &trial.system)
        .filter(|system| !states_guarantees(system))
        .map(|system| system.name.as_str())
        .collect();
    let systems: BTreeSet<&str> = trials.iter().map(|trial| trial.system.name.as_str()).collect();
    if !silent.is_empty() && systems.len() > 1 {
        let text = text![
            "The guarantees of ",
            Text::names(silent),
            format!(" are not stated, so it is unknown what an acknowledged write survives, {consequence}")
        ];
        flags.push(flag(FlagCode::PromiseNotStated, refuses, text));
    }
    let orders = by_value(trials, |system| system.scan_order.name());
    if scans(trials) && orders.len() > 1 {
        let text = text![
            "Scan order differs: ",
            listed(&orders),
            format!(". Their scans are different work, {consequence}")
        ];
        flags.push(flag(FlagCode::ScanOrderDiffers, refuses, text));
    }
    if seeds_differ(trials) {
        flags.push(flag(FlagCode::SeedsDiffer, true, "Seeds differ within a block: the systems did not receive the same operations, so there is no verdict."));
    }
    let invalid: BTreeSet<&str> = trials
        .iter()
        .filter(|trial| trial.invalidating().next().is_some())
        .map(|trial| trial.trial.as_str())
        .collect();
    if !invalid.is_empty() {
        flags.push(flag(
            FlagCode::InvalidTrials,
            false,
            format!(
                "{} of {} {} findings that change what {} numbers mean (see Findings).",
                invalid.len(),
                number::plural(trials.len(), "trial", "trials"),
                number::agreeing(&invalid.len(), "has", "have"),
                number::agreeing(&invalid.len(), "its", "their")
            ),
        ));
    }
    let late: BTreeSet<&str> = trials
        .iter()
        .filter(|trial| {
            trial
                .measure
                .as_ref()
                .and_then(|measure| measure.pacing.as_ref())
                .is_some_and(|pacing| !pacing.sustained)
        })
        .map(|trial| trial.system.name.as_str())
        .collect();
    if !late.is_empty() {
        flags.push(flag(
            FlagCode::RateNotSustained,
            false,
            text![
                Text::names(late),
                " did not sustain the requested rate: response times there grow with the length of the run."
            ],
        ));
    }
    flags
}

/// The flags of all cells, each reported once with the cells it concerns, and those of the study as a whole.
pub fn of_study(trials: &[TrialRecord], cells: &[Cell]) -> Vec<Flag> {
    let mut order: Vec<(Flag, Vec<&str>)> = Vec::new();
    for cell in cells {
        for flag in &cell.flags {
            match order.iter_mut().find(|(known, _)| known == flag) {
                Some((_, places)) => places.push(&cell.title),
                None => order.push((flag.clone(), vec![&cell.title])),
            }
        }
    }
    let mut flags: Vec<Flag> = order
        .into_iter()
        .map(|(mut flag, places)| {
            if places.len() < cells.len() {
                flag.text = text![number::list(&places), ": ", flag.text];
            } else if flag.code == FlagCode::InvalidTrials && cells.len() > 1 {
                flag.text = text!["In every workload ", flag.text];
            }
            flag
        })
        .collect();
    let versions: BTreeMap<String, BTreeSet<String>> = trials
        .iter()
        .filter(|trial| !trial.system.version.is_empty())
        .fold(BTreeMap::new(), |mut found, trial| {
            found
                .entry(trial.system.name.clone())
                .or_default()
                .insert(trial.system.version.clone());
            found
        });
    for (system, versions) in versions {
        if versions.len() > 1 {
            let versions: Vec<String> = versions.into_iter().collect();
            flags.push(flag(
                FlagCode::VersionChanged,
                false,
                text![
                    named(system),
                    format!(
                        " changed its version within the study: {}.",
                        number::list(&versions)
                    )
                ],
            ));
        }
    }
    flags.sort_by_key(|flag| !flag.refuses);
    flags
}
