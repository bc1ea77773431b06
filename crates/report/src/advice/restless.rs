//! Systems whose trials all missed their steady speed: those that never settled, and those that were still compiling. The simulations take
//! them at any level that they may have.

use dbdyno_decide::LevelRange;

use super::compose::{Pieces, names, statement};
use super::gather::Candidate;
use super::{Goal, Metric, Statement, WorkChoice, goals};
use crate::number;

/// The shares of its measured values within which the steady one of a candidate lies; `None` where it is what was measured.
type Range = fn(&Candidate<'_>, &WorkChoice, Metric) -> Option<(f64, f64)>;

/// Within which shares of its measured values the steady one of a candidate lies.
pub fn level_range(candidate: &Candidate<'_>, goal: &Goal) -> LevelRange {
    let of = |range: Range| range(candidate, &goal.work, goal.metric).unwrap_or((1.0, 1.0));
    let (seen, cold) = (of(goals::levels), of(goals::compiling));
    LevelRange {
        low: seen.0 * cold.0,
        high: seen.1 * cold.1,
    }
}

/// A sentence for each goal at which ranked systems never settled, or were still compiling.
pub fn statements(pieces: &Pieces<'_>) -> Vec<Statement> {
    let mut statements = Vec::new();
    for (index, goal) in pieces.need.goals.iter().enumerate() {
        statements.extend(sentence(pieces, index, goals::levels, |who, from, to| {
            format!(
                "{}: {} never settled; the simulations take any level that was seen, from {from} to {to} times the median.",
                goal.name,
                names(pieces, who)
            )
        }));
        statements.extend(sentence(pieces, index, goals::compiling, |who, from, to| {
            format!(
                "{}: {} {} still compiling; the simulations take any value from {from} to {to} times the median.",
                goal.name,
                names(pieces, who),
                number::agreeing(&who.len(), "was", "were")
            )
        }));
    }
    statements
}

fn sentence(
    pieces: &Pieces<'_>,
    index: usize,
    range: Range,
    words: impl Fn(&[usize], &str, &str) -> String,
) -> Option<Statement> {
    let goal = &pieces.need.goals[index];
    let ranked = pieces.decision.ranked.iter().map(|ranked| ranked.candidate);
    let mut concerned: Vec<(usize, (f64, f64))> = ranked
        .filter_map(|one| Some((one, range(&pieces.candidates[one], &goal.work, goal.metric)?)))
        .collect();
    concerned.sort_unstable_by_key(|(one, _)| *one);
    let low = concerned.iter().map(|(_, (low, _))| *low).reduce(f64::min)?;
    let high = concerned.iter().map(|(_, (_, high))| *high).reduce(f64::max)?;
    let who: Vec<usize> = concerned.into_iter().map(|(one, _)| one).collect();
    let evidence = who.iter().filter_map(|one| pieces.of_goals[*one][index]);
    Some(statement(
        words(&who, &number::ratio_digits(low), &number::ratio_digits(high)),
        evidence.collect(),
    ))
}
