//! Who is ahead of whom, by how much and how surely.

use crate::FEWEST_TRIALS;
use crate::draws::{Drawn, draw};
use crate::problem::{Candidate, Compliance, LevelRange, Problem, Utility, shares};
use crate::random::Random;
use crate::score::{firsts, non_dominated, order, score};

/// What a draw of weights is for, in the generator's purpose.
const WEIGHTS: u64 = 2;

/// Who is out of the question is so at this share of the weights that are drawn.
const AT_NEARLY_ALL_WEIGHTS: f64 = 0.95;

/// One candidate in the ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Which one.
    pub candidate: usize,
    /// Sum of the contributions, in doublings.
    pub score: f64,
    /// What each criterion contributes to the score.
    pub contributions: Vec<Contribution>,
    /// How often nobody is better in one thing and as good in all, 0 to 1.
    pub probability_non_dominated: f64,
    /// How often it is best at the stated weights.
    pub probability_first_as_stated: f64,
    /// How often it is best when the weights are in doubt, too.
    pub probability_first: f64,
    /// How many times as good the first one is; `None` for the first.
    pub behind: Option<Advantage>,
    /// Whether that may be nothing at all: the interval holds 1, or equal systems would differ by as much.
    pub tied_with_first: bool,
    /// Whether it is behind whatever the truth of its trials is: with its best numbers, beside the worst of the first.
    pub apart_from_first: bool,
}

/// What a criterion gave to a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution {
    /// Its share of the weights.
    pub weight: f64,
    /// The median of the trials.
    pub value: f64,
    /// How many trials.
    pub trials: usize,
    /// How many of them are sound.
    pub sound: usize,
    /// What the value is worth, in doublings.
    pub utility: f64,
    /// How often an objective is kept by the median, 0 to 1; `None` for ratios.
    pub kept: Option<f64>,
}

/// How many times as good one is as another: 2 to the difference of their scores, which for ratios is the weighted
/// geometric mean of the ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advantage {
    /// At the medians of the trials.
    pub ratio: f64,
    /// The lower end of its 95% interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The candidates that can be ranked, with all that was drawn of them.
pub(crate) struct Drawing<'a> {
    pub problem: &'a Problem,
    /// Who they are.
    pub members: Vec<usize>,
    /// What was drawn, by member and criterion.
    pub drawn: Vec<Vec<Drawn>>,
    /// The stated weights, as shares.
    pub stated: Vec<f64>,
    /// The weights of each draw.
    pub weights: Vec<Vec<f64>>,
}

impl<'a> Drawing<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let rankable = |(_, candidate): &(usize, &Candidate)| {
            candidate.compliance != Compliance::Violated && candidate.unmeasured(&problem.criteria).is_empty()
        };
        let (members, candidates): (Vec<usize>, Vec<&Candidate>) =
            problem.candidates.iter().enumerate().filter(rankable).unzip();
        let stated = shares(&problem.criteria);
        let weights = (0..problem.draws)
            .map(|draw| {
                Random::new(problem.seed, &[WEIGHTS, draw as u64]).weights(&stated, problem.weight_spread)
            })
            .collect();
        Self {
            drawn: draw(&candidates, problem.draws, problem.seed),
            problem,
            members,
            stated,
            weights,
        }
    }

    /// What the medians of the trials are worth, by member and criterion.
    pub fn utilities(&self) -> Vec<Vec<f64>> {
        self.worth(|_, _, drawn| drawn.median())
    }

    /// What values are worth, by member and criterion; `value` gives them.
    pub fn worth(&self, value: impl Fn(usize, usize, &Drawn) -> f64) -> Vec<Vec<f64>> {
        let row = |(member, row): (usize, &Vec<Drawn>)| {
            let criteria = self.problem.criteria.iter().enumerate();
            criteria
                .zip(row)
                .map(|((criterion, rule), drawn)| rule.utility(value(member, criterion, drawn)))
                .collect()
        };
        self.drawn.iter().enumerate().map(row).collect()
    }
}

/// The candidates of the drawing, best score first.
pub(crate) fn rank(drawing: &Drawing<'_>, utilities: &[Vec<f64>]) -> Vec<Ranked> {
    let many = drawing.members.len();
    let scores: Vec<f64> = utilities.iter().map(|own| score(&drawing.stated, own)).collect();
    let places = order(&scores);
    let Some(&first) = places.first() else {
        return Vec::new();
    };
    let counts: Vec<bool> = drawing.stated.iter().map(|weight| *weight > 0.0).collect();
    let (mut front, mut as_stated, mut in_doubt) = (vec![0.0; many], vec![0.0; many], vec![0.0; many]);
    let mut leads: Vec<Vec<f64>> = vec![Vec::with_capacity(drawing.weights.len()); many];
    for (number, weights) in drawing.weights.iter().enumerate() {
        let worth = drawing.worth(|_, _, drawn| drawn.at(number));
        let of = |weights: &[f64]| -> Vec<f64> { worth.iter().map(|own| score(weights, own)).collect() };
        let stated = of(&drawing.stated);
        for (sums, parts) in [
            (&mut as_stated, firsts(&stated)),
            (&mut in_doubt, firsts(&of(weights))),
        ] {
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        }
        for (sum, free) in front.iter_mut().zip(non_dominated(&worth, &counts)) {
            *sum += f64::from(u8::from(free));
        }
        for (lead, own) in leads.iter_mut().zip(&stated) {
            lead.push(stated[first] - own);
        }
    }
    let draws = drawing.weights.len().max(1) as f64;
    let apart: Vec<bool> = (0..many).map(|member| apart(drawing, first, member)).collect();
    let ranked = places.iter().map(|&member| {
        let behind = (member != first).then(|| advantage(scores[first] - scores[member], &mut leads[member]));
        Ranked {
            candidate: drawing.members[member],
            score: scores[member],
            contributions: contributions(drawing, member, &utilities[member]),
            probability_non_dominated: front[member] / draws,
            probability_first_as_stated: as_stated[member] / draws,
            probability_first: in_doubt[member] / draws,
            tied_with_first: behind.is_some_and(|behind| {
                (behind.low <= 1.0 && !apart[member]) || behind.ratio <= drawing.problem.noise
            }),
            apart_from_first: apart[member],
            behind,
        }
    });
    ranked.collect()
}

/// Whether one is behind another by more than the margin even with the best number of any of its trials for each criterion, and the
/// other with its worst. Trials need not be sound where it is known how far they may be from the truth: no reader of the numbers would
/// doubt it, and more such trials would change nothing.
/// By chance, five trials are all above five others once in 252 times.
fn apart(drawing: &Drawing<'_>, first: usize, other: usize) -> bool {
    let ends = |member: usize, end: fn(f64, f64) -> f64| -> Option<Vec<f64>> {
        let candidate = &drawing.problem.candidates[drawing.members[member]];
        let criteria = drawing.problem.criteria.iter().enumerate();
        criteria
            .map(|(index, criterion)| {
                let observations = candidate.evidence.get(index)?;
                let range = candidate
                    .levels
                    .get(index)
                    .copied()
                    .unwrap_or(LevelRange::SETTLED);
                let counts = drawing.stated[index] > 0.0;
                let is_known = observations.iter().all(|one| one.bounded);
                if counts && !(is_known && observations.len() >= FEWEST_TRIALS) {
                    return None;
                }
                observations
                    .iter()
                    .flat_map(|one| [one.value * range.low, one.value * range.high])
                    .map(|value| criterion.utility(value))
                    .reduce(end)
            })
            .collect()
    };
    let (Some(worst), Some(best)) = (ends(first, f64::min), ends(other, f64::max)) else {
        return false;
    };
    let is_behind = |weights: &[f64], by: f64| score(weights, &worst) - score(weights, &best) > by;
    let weights = &drawing.weights;
    let ahead = weights.iter().filter(|weights| is_behind(weights, 0.0)).count();
    is_behind(&drawing.stated, (1.0 + drawing.problem.margin).log2())
        && ahead as f64 >= AT_NEARLY_ALL_WEIGHTS * weights.len() as f64
}

/// The lead at the medians with the middle 95% of the drawn ones, as ratios.
fn advantage(lead: f64, drawn: &mut [f64]) -> Advantage {
    drawn.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * (drawn.len().max(1) - 1) as f64).round() as usize;
        drawn.get(place).copied().unwrap_or(lead)
    };
    Advantage {
        ratio: lead.exp2(),
        low: at(0.025).min(lead).exp2(),
        high: at(0.975).max(lead).exp2(),
    }
}

fn contributions(drawing: &Drawing<'_>, member: usize, utilities: &[f64]) -> Vec<Contribution> {
    let criteria = drawing.problem.criteria.iter().enumerate();
    criteria
        .map(|(index, criterion)| {
            let drawn = &drawing.drawn[member][index];
            let kept = match criterion.utility {
                Utility::Objective { limit, .. } => {
                    let draws = drawing.problem.draws;
                    let kept = (0..draws).filter(|number| criterion.keeps(drawn.at(*number), limit));
                    Some(kept.count() as f64 / draws.max(1) as f64)
                }
                Utility::Ratio { .. } | Utility::Enough { .. } => None,
            };
            Contribution {
                weight: drawing.stated[index],
                value: drawn.median(),
                trials: drawn.trials,
                sound: drawn.sound,
                utility: utilities[index],
                kept,
            }
        })
        .collect()
}
