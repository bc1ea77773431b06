//! Systems that never settled, which the simulations take at any level that was seen of them.

use dbdyno_decide::LevelRange;

use super::compose::{Pieces, names, statement};
use super::gather::Candidate;
use super::{Goal, Statement, goals};
use crate::number;

/// Within which shares of its measured values the steady one of a candidate lies.
pub fn level_range(candidate: &Candidate<'_>, goal: &Goal) -> LevelRange {
    goals::levels(candidate, &goal.work, goal.metric)
        .map_or(LevelRange::SETTLED, |(low, high)| LevelRange { low, high })
}

/// A sentence for each goal at which ranked systems never settled.
pub fn statements(pieces: &Pieces<'_>) -> Vec<Statement> {
    let goals = pieces.need.goals.iter().enumerate();
    goals
        .filter_map(|(index, goal)| of_goal(pieces, index, goal))
        .collect()
}

fn of_goal(pieces: &Pieces<'_>, index: usize, goal: &Goal) -> Option<Statement> {
    let levels = |candidate: usize| pieces.problem.candidates[candidate].levels[index];
    let ranked = pieces.decision.ranked.iter().map(|ranked| ranked.candidate);
    let mut restless: Vec<usize> = ranked
        .filter(|candidate| levels(*candidate) != LevelRange::SETTLED)
        .collect();
    restless.sort_unstable();
    let low = restless.iter().map(|one| levels(*one).low).reduce(f64::min)?;
    let high = restless.iter().map(|one| levels(*one).high).reduce(f64::max)?;
    Some(statement(
        format!(
            "While {} was measured, {} never settled: the simulations take any level that was seen, from {} to {} times the median.",
            goal.name,
            names(pieces, &restless),
            number::ratio_digits(low),
            number::ratio_digits(high)
        ),
        restless
            .iter()
            .filter_map(|candidate| pieces.of_goals[*candidate][index])
            .collect(),
    ))
}
