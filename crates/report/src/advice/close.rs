//! Goals in which the first two systems are shown to be close: evidence that neither is much better there.

use dbdyno_stats::Word;
use dbdyno_vocabulary::number::Quantity;

use super::Statement;
use super::comparisons::compared;
use super::compose::{Pieces, statement};
use super::gather::Source;
use crate::model::close;

/// One sentence for each goal in which the first two are bounded.
pub fn statements(pieces: &Pieces<'_>, sources: &[Source<'_>]) -> Vec<Statement> {
    let [first, second, ..] = pieces.decision.ranked.as_slice() else {
        return Vec::new();
    };
    let two = [first.candidate, second.candidate];
    let names = two.map(|own| pieces.candidates[own].system.name.as_str());
    let goals = pieces.need.goals.iter().enumerate();
    let of_goal = |(index, goal): (usize, &super::Goal)| {
        let bounds = sources.iter().flat_map(|source| {
            let pairs = compared(goal, source, pieces.need.margin).pairs.into_iter();
            pairs.filter(|(a, b, _)| names == [a.as_str(), b.as_str()] || names == [b.as_str(), a.as_str()])
        });
        let compared: Vec<_> = bounds.map(|(.., comparison)| comparison).collect();
        let is_close = |verdict: Word| matches!(verdict, Word::Bounded | Word::Equivalent);
        let is_bounded = compared.iter().any(|own| own.word == Word::Bounded)
            && compared.iter().all(|own| is_close(own.word));
        let bound = compared
            .iter()
            .filter_map(dbdyno_stats::Comparison::bound)
            .fold(1.0, f64::max);
        let quantity = match goal.metric.is_higher_better() {
            true => Quantity::Speed,
            false => Quantity::Level,
        };
        is_bounded.then(|| {
            let evidence = two.iter().filter_map(|own| pieces.of_goals[*own][index]);
            statement(
                format!(
                    "{}: of {} and {}, {}.",
                    goal.name,
                    pieces.name(two[0]),
                    pieces.name(two[1]),
                    close::neither(bound, quantity)
                ),
                evidence.collect(),
            )
        })
    };
    goals.filter_map(of_goal).collect()
}
