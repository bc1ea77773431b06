//! How much equal systems may differ, where a system was measured twice: no smaller advantage is one.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::{TrialRecord, TrialStatus};
use dbdyno_stats::pooled::{CellValues, Noise, Pair, Question, analyse};

use super::compose::statement;
use super::fault::fault;
use super::gather::{Source, does_work, original};
use super::metric::{better, measure};
use super::{Goal, Need, Statement};
use crate::number;

/// The values of the systems of a cell, by block.
type Systems<'a> = BTreeMap<&'a str, BTreeMap<u32, f64>>;

/// The noise of a goal in one folder, with the systems that were measured twice; `None` without one.
fn of_folder(goal: &Goal, source: &Source<'_>, margin: f64) -> Option<(Noise, BTreeSet<String>)> {
    let mut cells: BTreeMap<Vec<(&str, &str)>, Systems<'_>> = BTreeMap::new();
    let wanted = |trial: &&TrialRecord| {
        trial.status == TrialStatus::Completed && fault(trial).is_none() && does_work(trial, &goal.work)
    };
    for trial in source.results.trials.iter().filter(wanted) {
        let others = trial.factors.iter().filter(|(name, _)| *name != "system");
        let others = others.map(|(name, level)| (name.as_str(), level.as_str()));
        let values = cells.entry(others.collect()).or_default();
        let values = values.entry(trial.system.name.as_str()).or_default();
        values.extend(
            measure(goal.metric, trial)
                .filter(|value| *value > 0.0)
                .map(|value| (trial.block, value)),
        );
    }
    let (mut pairs, mut twins, mut twice) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (cell, systems) in cells.values().enumerate() {
        let names: Vec<&str> = systems.keys().copied().collect();
        let of_copy =
            |name: &&str| original(name).and_then(|own| names.iter().position(|other| *other == own));
        for (a, name) in names.iter().enumerate() {
            if let Some(b) = of_copy(name) {
                twins.push(Pair { cell, a, b });
                twice.insert(names[b].to_owned());
            } else {
                let others = (a + 1..names.len()).filter(|b| of_copy(&names[*b]).is_none());
                pairs.extend(others.map(|b| Pair { cell, a, b }));
            }
        }
    }
    let cells: Vec<CellValues> = cells
        .into_values()
        .map(|systems| CellValues {
            systems: systems.into_values().collect(),
        })
        .collect();
    let analysis = analyse(&Question {
        cells: &cells,
        pairs: &pairs,
        twins: &twins,
        better: better(goal.metric),
        margin,
    });
    let noise = analysis.noise.filter(|noise| noise.agreement.is_some())?;
    Some((noise, twice))
}

/// What systems that were measured twice say, goal by goal; `ahead` is how many times as good the first is as the next one.
pub fn cautions(need: &Need, sources: &[Source<'_>], ahead: Option<f64>) -> Vec<Statement> {
    let tell = |goal: &Goal| {
        let folders = sources
            .iter()
            .filter_map(|source| of_folder(goal, source, need.margin));
        let (noise, twice) = folders.max_by(|(a, _), (b, _)| a.bound.total_cmp(&b.bound))?;
        let verdict = match ahead {
            Some(ahead) if noise.bound >= ahead => {
                ": the leader's advantage is no larger, so it may be noise"
            }
            _ if noise.bound > 1.0 + need.margin => {
                ": more than the margin, so differences of this size are noise"
            }
            _ => "",
        };
        let twice = twice.into_iter().collect::<Vec<_>>();
        let says = if noise.widened() > 1.0 {
            "differed by more than its trials explain"
        } else {
            number::agreeing(&twice.len(), "agrees", "agree")
        };
        Some(statement(
            format!(
                "{}: two equal systems would differ by up to {} ({}, measured twice, {says}){verdict}.",
                goal.name,
                number::share(noise.bound - 1.0),
                number::list(&twice),
            ),
            Vec::new(),
        ))
    };
    need.goals.iter().filter_map(tell).collect()
}
