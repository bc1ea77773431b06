//! All comparisons of one metric of one study at once.
//!
//! A study runs in randomised complete blocks, so what a block shares cancels in the ratio within the block. What is left differs little
//! from pair to pair: one machine, one tool, one day. So the comparisons lend each other their noise, which takes fewer blocks than
//! if each one had to find out its own.
//!
//! 1. **Location.** The middle of the logarithms of the ratios within blocks: Huber's M-estimate, where a block far from the others
//!    counts as if it lay at a limit (`location.rs`). One wild block of six moves it little.
//! 2. **Scale.** The variance of each pair, moderated towards that of the study: less so the more the pairs differ, and the more
//!    a pair stands out (`moderation.rs`).
//! 3. **Verdicts.** Student's t gives an interval for each comparison by itself; Holm's method corrects the p values for their number.
//!    No random number takes part.
//! 4. **A/A.** Twins of one system are held against this noise; where they disagree, every interval is widened (`agreement.rs`).
//!
//! `docs/decisions/statistics.md` has what was tried beside it; `cargo xtask calibration` simulates it.

mod agreement;
mod certainty;
mod location;
mod moderation;
mod pairs;
mod trials;
mod trigamma;

use std::collections::BTreeMap;

pub use crate::FEWEST_BLOCKS;
pub use agreement::Agreement;
use certainty::Certainty;
pub(crate) use certainty::quantile;
pub(crate) use moderation::freedom_of_alike;
use moderation::{Spread, moderate};
use pairs::{Measured, Missing, independent_freedom, measure};
pub use trials::{Sides, analyse_trials, ranks_decide};

use crate::compare::verdict::Evidence;
use crate::compare::{Better, Comparison, Method, Word};
use crate::sample::median_of_sorted;
use crate::{BAND, MARGIN, holm};

// Where a ratio lies within the margin and its interval excludes 1, the interval lies within the band: every significant
// difference has an answer.
const _: () = assert!(1.0 + BAND > (1.0 + MARGIN) * (1.0 + MARGIN));

/// One cell: the values of each system, by block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellValues {
    /// Positive finite numbers; empty where a system has none.
    pub systems: Vec<BTreeMap<u32, f64>>,
}

/// Two systems of a cell, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The cell, in [`Question::cells`].
    pub cell: usize,
    /// The first system.
    pub a: usize,
    /// The second system, against which the first is judged.
    pub b: usize,
}

/// Everything that is asked about one metric of a study.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The measured values.
    pub cells: &'a [CellValues],
    /// The comparisons: a family, whose error is controlled as a whole.
    pub pairs: &'a [Pair],
    /// Pairs of one system and its copy (A/A). They are no members of the family.
    pub twins: &'a [Pair],
    /// Which direction is good.
    pub better: Better,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
}

/// The answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// One for each pair, in their order.
    pub comparisons: Vec<Comparison>,
    /// One for each pair of twins, in their order; a family of their own.
    pub twins: Vec<Comparison>,
    /// The noise of the metric; `None` when no pair shares two blocks.
    pub noise: Option<Noise>,
}

/// THE noise of a metric in a study: one number for headline, reasons and plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The ratio of two systems that are equal lies within this factor in 95% of cases, after the study's blocks: the half-width of a
    /// typical interval, and above 1.
    pub bound: f64,
    /// Standard deviation of the logarithm of the ratio of two systems within one block.
    pub of_ratio: f64,
    /// Blocks that a typical pair shares.
    pub blocks: usize,
    /// Degrees of freedom of a typical pair.
    pub freedom: f64,
    /// How twins agree with it; `None` without twins.
    pub agreement: Option<Agreement>,
}

impl Noise {
    /// Standard deviation of the logarithm of one trial around what its block shares: what a plan calls noise.
    #[must_use]
    pub fn of_trial(&self) -> f64 {
        self.of_ratio / std::f64::consts::SQRT_2
    }

    /// The factor (1 or more) by which every interval was widened, because twins disagree.
    #[must_use]
    pub fn widened(&self) -> f64 {
        self.agreement.map_or(1.0, |agreement| agreement.factor)
    }
}

/// Analyses all comparisons of one metric. Swapping the systems of a pair reverses its verdict and inverts ratio and interval; the order
/// of cells, pairs and systems changes nothing.
#[must_use]
pub fn analyse(question: &Question<'_>) -> Analysis {
    analyse_with(question, None)
}

/// Like [`analyse`], with intervals as much wider as other comparisons of the same trials were found to need: a study has one noise.
#[must_use]
pub fn analyse_widened(question: &Question<'_>, factor: f64) -> Analysis {
    analyse_with(question, Some(factor))
}

fn analyse_with(question: &Question<'_>, widened: Option<f64>) -> Analysis {
    let all: Vec<Pair> = question.pairs.iter().chain(question.twins).copied().collect();
    let measured: Vec<Result<Measured, Missing>> = measure(question.cells, &all);
    let spreads: Vec<Spread> = measured
        .iter()
        .map(|one| one.as_ref().map_or(Spread::NONE, Measured::spread))
        .collect();
    let moderated = moderate(&spreads, independent_freedom(&all, &spreads));
    let known: Vec<Option<Certainty>> = measured
        .iter()
        .zip(&moderated)
        .map(|(measured, moderated)| Some(Certainty::of(measured.as_ref().ok()?, moderated.as_ref()?)))
        .collect();
    let agreement = agreement::of(&known[question.pairs.len()..]);
    let factor = widened.unwrap_or_else(|| agreement.map_or(1.0, |agreement| agreement.factor));
    let known: Vec<Option<Certainty>> = known.into_iter().map(|one| Some(one?.widened(factor))).collect();
    let (of_pairs, of_twins) = known.split_at(question.pairs.len());
    let (pairs, twins) = measured.split_at(question.pairs.len());
    Analysis {
        comparisons: judge(question, of_pairs, pairs),
        twins: judge(question, of_twins, twins),
        noise: noise(&known, factor, agreement),
    }
}

/// One family of comparisons.
fn judge(
    question: &Question<'_>,
    known: &[Option<Certainty>],
    measured: &[Result<Measured, Missing>],
) -> Vec<Comparison> {
    let p_values: Vec<f64> = known.iter().flatten().map(Certainty::p_value).collect();
    let mut corrected = holm(&p_values).into_iter();
    let one = |(known, measured): (&Option<Certainty>, &Result<Measured, Missing>)| {
        let measured = match measured {
            Ok(measured) => measured,
            Err(missing) => return missing.comparison(),
        };
        let known = known.and_then(|known| Some((known, corrected.next()?)));
        let evidence = Evidence {
            ratio: measured.estimate.exp(),
            interval: known.map(|(known, _)| known.interval()),
            p_value: known.map(|(known, _)| known.p_value()),
            p_adjusted: known.map(|(_, corrected)| corrected),
            comparisons: p_values.len(),
            method: Method::Pooled,
            n: (measured.blocks, measured.blocks),
            better: question.better,
            margin: question.margin,
        };
        let compared = evidence.compared();
        let open = known.filter(|_| compared.word == Word::Undecided);
        Comparison {
            more_blocks: open.and_then(|(known, _)| known.more_blocks(p_values.len(), question.margin)),
            ..compared
        }
    };
    known.iter().zip(measured).map(one).collect()
}

/// The noise of a typical pair: the median of each figure.
fn noise(known: &[Option<Certainty>], factor: f64, agreement: Option<Agreement>) -> Option<Noise> {
    let typical = |figure: fn(&Certainty) -> f64| -> Option<f64> {
        let mut figures: Vec<f64> = known.iter().flatten().map(figure).collect();
        figures.sort_unstable_by(f64::total_cmp);
        (!figures.is_empty()).then(|| median_of_sorted(&figures))
    };
    Some(Noise {
        bound: typical(Certainty::half_width)?.exp(),
        of_ratio: typical(Certainty::of_one_block)? / factor,
        blocks: typical(|one| one.blocks as f64)?.round() as usize,
        freedom: typical(|one| one.freedom)?,
        agreement,
    })
}

#[cfg(test)]
#[path = "pooled/tests.rs"]
mod tests;
