//! The tables of advice: requirements, ranking, goals.

use dbdyno_decide::Compliance;
use dbdyno_stats::Better;

use super::compose::{Pieces, statement};
use super::doubt::median;
use super::gather::of_work;
use super::goals::Unjudged;
use super::metric::better;
use super::unjudged;
use super::{Goal, GoalCell, GoalRow, RankRow, RequirementCell, RequirementRow, Worth, money, scope, why};
use crate::number;

/// Hard requirements against systems.
pub fn requirements(pieces: &Pieces<'_>) -> Vec<RequirementRow> {
    let requirements = pieces.need.requirements.iter().enumerate();
    let row = |(index, requirement): (usize, &super::Requirement)| RequirementRow {
        requirement: requirement.text.clone(),
        systems: (0..pieces.candidates.len())
            .map(|candidate| {
                let judged = &pieces.judged[candidate][index];
                RequirementCell {
                    system: pieces.name(candidate).to_owned(),
                    compliance: compliance_name(judged.compliance),
                    why: statement(
                        why::clause(&judged.why),
                        pieces.of_requirements[candidate][index].into_iter().collect(),
                    ),
                }
            })
            .collect(),
    };
    requirements.map(row).collect()
}

/// The name of a compliance in every output.
const fn compliance_name(compliance: Compliance) -> &'static str {
    match compliance {
        Compliance::Shown => "shown",
        Compliance::NotShown => "not shown",
        Compliance::Violated => "violated",
    }
}

/// The ranking, best first.
pub fn ranking(pieces: &Pieces<'_>) -> Vec<RankRow> {
    let row = |ranked: &dbdyno_decide::Ranked| RankRow {
        system: pieces.name(ranked.candidate).to_owned(),
        probability_non_dominated: ranked.probability_non_dominated,
        probability_first_as_stated: ranked.probability_first_as_stated,
        probability_first: ranked.probability_first,
        score: ranked.score,
        behind: ranked
            .behind
            .map(|behind| (behind.ratio, behind.low, behind.high)),
        tied: ranked.tied_with_first,
    };
    pieces.decision.ranked.iter().map(row).collect()
}

/// What counts, and what each system has of it, in the order of the need; `refused` when systems are not ranked.
pub fn goals(pieces: &Pieces<'_>, refused: bool) -> Vec<GoalRow> {
    // Indices among the goals that are judged.
    let mut judged = 0;
    let none_judged = pieces.goals.iter().all(|(_, why)| why.is_some());
    let rows = pieces.goals.iter().enumerate().map(|(index, (goal, why))| {
        let counted = (why.is_none() || none_judged).then_some(judged);
        judged += usize::from(counted.is_some());
        row(pieces, index, goal, why.as_ref(), counted, refused)
    });
    rows.collect()
}

/// The row of a goal: `index` is its place among all goals, `counted` among those that are judged.
fn row(
    pieces: &Pieces<'_>,
    index: usize,
    goal: &Goal,
    why: Option<&Unjudged>,
    counted: Option<usize>,
    refused: bool,
) -> GoalRow {
    let weights = pieces.problem.criteria.iter().map(|criterion| criterion.weight);
    let total: f64 = weights.sum();
    let trials: Vec<_> = pieces
        .candidates
        .iter()
        .flat_map(|one| of_work(one, &goal.work))
        .collect();
    GoalRow {
        goal: goal.name.clone(),
        measured: format!(
            "{}, {}",
            money::metric(goal, pieces.need),
            scope::work(&goal.work, &trials)
        ),
        weight: counted.map_or(0.0, |_| goal.weight / total),
        worth: worth(goal),
        unjudged: why.map(|why| unjudged::sentence(why, goal)),
        systems: (0..pieces.candidates.len())
            .map(|candidate| {
                cell(
                    pieces,
                    candidate,
                    (index, goal, why),
                    counted.filter(|_| !refused),
                )
            })
            .collect(),
    }
}

fn cell(
    pieces: &Pieces<'_>,
    candidate: usize,
    (index, goal, why): (usize, &Goal, Option<&Unjudged>),
    counted: Option<usize>,
) -> GoalCell {
    let levels = pieces.levels(candidate);
    let values = super::goals::counted(
        &pieces.candidates[candidate],
        &goal.work,
        goal.metric,
        levels.is_empty(),
    );
    let value = median(&values);
    let ranked = pieces.decision.ranked.iter();
    let mut ranked = ranked.filter(|ranked| ranked.candidate == candidate);
    let contribution = counted.and_then(|goal| {
        let part = ranked.next()?.contributions[goal];
        Some(part.weight * part.utility)
    });
    let without = || match levels.first() {
        Some(("nodes", count)) => format!("not measured with {count} nodes"),
        Some((_, level)) => format!("not measured at `{level}`"),
        None => why.map_or("not measured", unjudged::in_cell).to_owned(),
    };
    GoalCell {
        system: pieces.name(candidate).to_owned(),
        value,
        shown: value.map_or_else(without, |value| goal.metric.format(value)),
        trials: values.len(),
        sound_trials: values.iter().filter(|one| one.doubt.is_none()).count(),
        contribution,
        evidence: pieces.of_all_goals[candidate][index],
    }
}

fn worth(goal: &Goal) -> String {
    let value = |value: f64| goal.metric.format(value);
    match goal.worth {
        Worth::Ratio(None) => "its ratio to the best".to_owned(),
        Worth::Ratio(Some(reference)) => format!("its ratio to {}", value(reference)),
        Worth::Enough(reference) => format!("its ratio to {}, which is enough", value(reference)),
        Worth::Objective { limit, times } => {
            let side = match better(goal.metric) {
                Better::Higher => "at least",
                Better::Lower => "at most",
            };
            format!(
                "{side} {}: worth being {} as good",
                value(limit),
                number::ratio(times)
            )
        }
    }
}
