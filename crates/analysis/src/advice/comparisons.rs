//! What a folder's trials say of a goal when its systems are compared within blocks, as the report of the folder compares them.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::TrialStatus;
use dbdyno_stats::Comparison;
use dbdyno_stats::pooled::{CellValues, Noise, Pair, Question, analyse};
use dbdyno_trial::FactorLevels;
use dbdyno_vocabulary::twin_original;

use super::Goal;
use super::fault::fault;
use super::gather::{Source, does_work};
use super::metric::{better, measure};

/// The values of the systems of a cell, by block.
type Systems<'a> = BTreeMap<&'a str, BTreeMap<u32, f64>>;

/// The levels of a cell's factors, and whether its work is the goal's.
type Key = (FactorLevels, bool);

/// The comparisons of one goal in one folder.
pub struct Compared {
    /// Two systems of a cell with their comparison.
    pub pairs: Vec<(String, String, Comparison)>,
    /// How much equal systems may differ; `None` where nothing shares a block.
    pub noise: Option<Noise>,
    /// Systems that were measured twice.
    pub twice: BTreeSet<String>,
}

/// Compares the systems of a folder in a goal. All work at such a load shows the noise, not the goal's alone. `margin` is the smallest difference that matters.
pub fn compared(goal: &Goal, source: &Source<'_>, margin: f64) -> Compared {
    let cells = cells(goal, source);
    let (mut pairs, mut twins) = (Vec::new(), Vec::new());
    let (mut names_of_pairs, mut twice) = (Vec::new(), BTreeSet::new());
    for (cell, ((_, is_of_goal), systems)) in cells.iter().enumerate() {
        let names: Vec<&str> = systems.keys().copied().collect();
        let place = |name: &str| names.iter().position(|own| *own == name);
        let of_copy = |system: usize| twin_original(names[system]).and_then(place);
        for a in 0..names.len() {
            if let Some(b) = of_copy(a) {
                twins.push(Pair { cell, a, b });
                twice.insert(names[b].to_owned());
                continue;
            }
            for b in (a + 1..names.len()).filter(|b| of_copy(*b).is_none()) {
                pairs.push(Pair { cell, a, b });
                names_of_pairs.push((names[a].to_owned(), names[b].to_owned(), *is_of_goal));
            }
        }
    }
    let values = |systems: Systems<'_>| CellValues {
        systems: systems.into_values().collect(),
    };
    let analysis = analyse(&Question {
        cells: &cells.into_values().map(values).collect::<Vec<_>>(),
        pairs: &pairs,
        twins: &twins,
        better: better(goal.metric),
        margin,
    });
    let pairs = names_of_pairs.into_iter().zip(analysis.comparisons);
    let of_goal = pairs.filter(|((.., is_of_goal), _)| *is_of_goal);
    Compared {
        pairs: of_goal
            .map(|((a, b, _), comparison)| (a, b, comparison))
            .collect(),
        noise: analysis.noise,
        twice,
    }
}

/// The valid trials with a rate, or those without one, as the goal has them, by the levels of their factors.
fn cells<'a>(goal: &Goal, source: &Source<'a>) -> BTreeMap<Key, Systems<'a>> {
    let mut cells: BTreeMap<Key, Systems<'a>> = BTreeMap::new();
    let completed = || {
        let trials = source.results.trials.iter();
        trials.filter(|trial| trial.status == TrialStatus::Completed && fault(trial).is_none())
    };
    let mut of_goal = completed().filter(|trial| does_work(trial, &goal.work));
    let Some(is_paced) = of_goal.next().map(|trial| trial.spec.rate().is_some()) else {
        return cells;
    };
    for trial in completed().filter(|trial| trial.spec.rate().is_some() == is_paced) {
        let mut others = trial.spec.factors();
        others.remove("system");
        let systems = cells.entry((others, does_work(trial, &goal.work))).or_default();
        let values = systems.entry(trial.system.name.as_str()).or_default();
        let value = measure(goal.metric, trial).filter(|value| *value > 0.0);
        values.extend(value.map(|value| (trial.block, value)));
    }
    cells
}
