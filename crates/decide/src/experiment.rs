//! What to measure next: how far more trials would be expected to move the answer.
//!
//! A preposterior analysis (Raiffa and Schlaifer, *Applied Statistical Decision Theory*, 1961): take a draw for the truth, let
//! more trials show it, see how often the first one would then be best, and average over many truths.

use crate::SURE;
use crate::problem::Problem;
use crate::ranking::Drawing;
use crate::score::{firsts, score};

/// How many truths are tried.
const TRUTHS: usize = 100;
/// How many draws each is judged by.
const DRAWS: usize = 400;

/// More trials of some candidates, which serve some criteria.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Whose trials: indices into [`Problem::candidates`].
    pub candidates: Vec<usize>,
    /// Which criteria they serve: indices into [`Problem::criteria`].
    pub criteria: Vec<usize>,
    /// How many more trials of each.
    pub trials: usize,
}

/// What an experiment promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prospect {
    /// By how much the probability of the first one to be best is expected to move, up or down.
    pub expected_change: f64,
    /// How likely it is that somebody's probability then reaches [`SURE`].
    pub decides: f64,
}

/// What each of these experiments promises.
#[must_use]
pub fn prospects(problem: &Problem, experiments: &[Experiment]) -> Vec<Prospect> {
    let drawing = Drawing::new(problem);
    let draws = problem.draws;
    if drawing.members.is_empty() || draws == 0 {
        let nothing = Prospect {
            expected_change: 0.0,
            decides: 0.0,
        };
        return vec![nothing; experiments.len()];
    }
    let before = shares_of_first(&drawing, |_, _, drawn, number| drawn.at(number));
    let leader = (0..before.len()).max_by(|a, b| before[*a].total_cmp(&before[*b]));
    let leader = leader.unwrap_or(0);
    let one = |experiment: &Experiment| {
        let truths = TRUTHS.min(draws);
        let (mut change, mut decided) = (0.0, 0);
        for number in 0..truths {
            let truth = number * draws / truths;
            let after = shares_of_first(&drawing, |member, criterion, drawn, draw| {
                let learns = experiment.candidates.contains(&drawing.members[member])
                    && experiment.criteria.contains(&criterion);
                if learns {
                    drawn.after(truth, draw, experiment.trials)
                } else {
                    drawn.at(draw)
                }
            });
            change += (after[leader] - before[leader]).abs();
            decided += usize::from(after.iter().any(|share| *share >= SURE));
        }
        Prospect {
            expected_change: change / truths as f64,
            decides: decided as f64 / truths as f64,
        }
    };
    experiments.iter().map(one).collect()
}

/// How often each member is best, over a part of the draws, with weights in doubt.
fn shares_of_first(
    drawing: &Drawing<'_>,
    value: impl Fn(usize, usize, &crate::draws::Drawn, usize) -> f64,
) -> Vec<f64> {
    let draws = drawing.weights.len();
    let judged = DRAWS.min(draws);
    let mut sums = vec![0.0; drawing.members.len()];
    for index in 0..judged {
        // Half a step off the truths, so that no draw is judged by itself.
        let number = (index * draws / judged + draws / judged / 2).min(draws - 1);
        let worth = drawing.worth(|member, criterion, drawn| value(member, criterion, drawn, number));
        let scores: Vec<f64> = worth
            .iter()
            .map(|own| score(&drawing.weights[number], own))
            .collect();
        sums.iter_mut()
            .zip(firsts(&scores))
            .for_each(|(sum, part)| *sum += part);
    }
    sums.iter().map(|sum| sum / judged as f64).collect()
}
