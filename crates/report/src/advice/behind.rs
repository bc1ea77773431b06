//! Who is clearly behind the systems that may be best.

use dbdyno_decide::{Ranked, Recommendation};

use super::Statement;
use super::compose::{Pieces, names, statement};
use crate::number;

/// The ranked systems that are hardly the best, with how far they are behind the first one; the runner-up has a sentence of its own. `None`
/// without any.
pub fn sentence(pieces: &Pieces<'_>) -> Option<Statement> {
    let ranked = &pieces.decision.ranked;
    let first = ranked.first()?.candidate;
    let may_be_best: &[usize] = match &pieces.decision.verdict {
        Recommendation::Recommend(one) => std::slice::from_ref(one),
        Recommendation::Shortlist(some) | Recommendation::Undecided(some) => some,
        Recommendation::NobodyLeft | Recommendation::NobodyMeasured => return None,
    };
    let behind: Vec<&Ranked> = ranked
        .iter()
        .skip(2)
        .filter(|one| !may_be_best.contains(&one.candidate))
        .collect();
    let times: Vec<f64> = behind.iter().filter_map(|one| Some(one.behind?.ratio)).collect();
    let least = times.iter().copied().reduce(f64::min)?;
    let most = times.iter().copied().reduce(f64::max)?;
    let who: Vec<usize> = behind.iter().map(|one| one.candidate).collect();
    let (least, most) = (number::ratio_digits(least), number::ratio_digits(most));
    let times = match least == most {
        true => format!("{least}x"),
        false => format!("{least}x to {most}x"),
    };
    Some(statement(
        format!(
            "{} {} behind: {} is {times} as good on the weighted goals.",
            names(pieces, &who),
            number::agreeing(&who.len(), "is", "are"),
            pieces.name(first),
        ),
        pieces.goals_of(&who),
    ))
}
