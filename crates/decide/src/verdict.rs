//! The answer, and what stands in its way.

use crate::problem::{Compliance, Problem};
use crate::ranking::Ranked;
use crate::{FEWEST_TRIALS, MOST_UNJUDGED, SURE};

/// The answer. Candidates are indices into [`Problem::candidates`].
#[derive(Clone, Debug, PartialEq)]
pub enum Recommendation {
    /// Take this one.
    Recommend(usize),
    /// One of these; the others are shown to be out or behind.
    Shortlist(Vec<usize>),
    /// What was measured does not tell. These may be best.
    Undecided(Vec<usize>),
    /// Nobody is left: all are out.
    NobodyLeft,
    /// Nobody can be ranked: each lacks a measurement of something that counts.
    NobodyMeasured,
}

/// Why the first one is not recommended.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// It is best too seldom.
    NotSure {
        /// How often it is best, 0 to 1.
        probability: f64,
    },
    /// It is not ahead of the next one by more than the margin.
    WithinMargin {
        /// The next one.
        next: usize,
        /// How many times as good it is.
        ratio: f64,
    },
    /// Its advantage over the next one may be nothing: the interval holds 1, or equal systems would differ by as much.
    Tied {
        /// The next one.
        next: usize,
    },
    /// One of the hard requirements is not shown.
    NotShown,
    /// Too few sound trials of something that counts.
    TooFewTrials {
        /// Of whom.
        candidate: usize,
        /// Of what.
        criterion: usize,
        /// How many there are.
        trials: usize,
        /// How many of them are sound.
        sound: usize,
    },
    /// Most of what counts could not be judged.
    Unjudged {
        /// Its share of the stated weights, 0 to 1.
        share: f64,
    },
    /// Others are not out and lack a measurement of something that counts.
    Unmeasured,
    /// There is nobody to compare it with.
    Alone,
}

/// The verdict on the ranked, best first, and what stands in the way of a recommendation; whether there are others that
/// are out, and others that lack a measurement.
pub(crate) fn verdict(
    problem: &Problem,
    ranked: &[Ranked],
    some_violate: bool,
    some_unmeasured: bool,
) -> (Recommendation, Vec<Obstacle>) {
    let Some(first) = ranked.first() else {
        let verdict = if some_unmeasured {
            Recommendation::NobodyMeasured
        } else {
            Recommendation::NobodyLeft
        };
        return (verdict, Vec::new());
    };
    let mut obstacles = Vec::new();
    if problem.candidates[first.candidate].compliance != Compliance::Shown {
        obstacles.push(Obstacle::NotShown);
    }
    let contenders = contenders(problem, ranked);
    // Those that are clearly behind need no more trials.
    let runner_up = ranked.get(1).filter(|next| !next.apart_from_first);
    let judged = ranked.iter().filter(|one| {
        contenders.contains(&one.candidate) || Some(one.candidate) == runner_up.map(|next| next.candidate)
    });
    obstacles.extend(judged.filter_map(too_few));
    if problem.unjudged > MOST_UNJUDGED {
        obstacles.push(Obstacle::Unjudged {
            share: problem.unjudged,
        });
    }
    if first.probability_first < SURE {
        obstacles.push(Obstacle::NotSure {
            probability: first.probability_first,
        });
    }
    match ranked.get(1) {
        Some(next) => {
            if next.tied_with_first {
                obstacles.push(Obstacle::Tied { next: next.candidate });
            }
            if let Some(behind) = next.behind
                && behind.ratio <= 1.0 + problem.margin
            {
                obstacles.push(Obstacle::WithinMargin {
                    next: next.candidate,
                    ratio: behind.ratio,
                });
            }
        }
        None if !some_violate && !some_unmeasured => obstacles.push(Obstacle::Alone),
        None => {}
    }
    if some_unmeasured {
        obstacles.push(Obstacle::Unmeasured);
    }
    if obstacles.is_empty() {
        return (Recommendation::Recommend(first.candidate), obstacles);
    }
    let few = obstacles.iter().any(|obstacle| {
        matches!(
            obstacle,
            Obstacle::TooFewTrials { .. }
                | Obstacle::Unjudged { .. }
                | Obstacle::Unmeasured
                | Obstacle::Alone
        )
    });
    let narrowed = contenders.len() < ranked.len() || some_violate;
    let verdict = if !few && (narrowed || equivalent(problem, ranked)) {
        Recommendation::Shortlist(contenders)
    } else {
        Recommendation::Undecided(contenders)
    };
    (verdict, obstacles)
}

/// The first of the ranking, as many more of those that are not apart from it as it takes to hold the best one with a probability of
/// [`SURE`], whoever is tied with the first, and, while something is not shown of the first, the next one of whom all is.
fn contenders(problem: &Problem, ranked: &[Ranked]) -> Vec<usize> {
    let mut by_probability: Vec<&Ranked> = ranked.iter().collect();
    by_probability.sort_by(|a, b| b.probability_first.total_cmp(&a.probability_first));
    let mut covered = 0.0;
    let mut contenders = vec![ranked[0].candidate];
    covered += ranked[0].probability_first;
    for next in by_probability {
        if covered >= SURE {
            break;
        }
        if !next.apart_from_first && !contenders.contains(&next.candidate) {
            contenders.push(next.candidate);
            covered += next.probability_first;
        }
    }
    let is_shown = |one: &&Ranked| problem.candidates[one.candidate].compliance == Compliance::Shown;
    let fallback = ranked.iter().find(is_shown);
    let tied = ranked.iter().skip(1).filter(|one| one.tied_with_first);
    for one in tied.chain(fallback) {
        if !contenders.contains(&one.candidate) {
            contenders.push(one.candidate);
        }
    }
    let place = |candidate: &usize| ranked.iter().position(|one| one.candidate == *candidate);
    contenders.sort_by_key(place);
    contenders
}

/// Whether all the ranked are as good as the first, within the margin, for all that is known.
fn equivalent(problem: &Problem, ranked: &[Ranked]) -> bool {
    let within = |one: &Ranked| {
        one.behind.is_some_and(|behind| {
            behind.high <= 1.0 + problem.margin && behind.low >= 1.0 / (1.0 + problem.margin)
        })
    };
    ranked.iter().skip(1).all(within)
}

fn too_few(ranked: &Ranked) -> Option<Obstacle> {
    let fewest = ranked.contributions.iter().enumerate();
    let (criterion, contribution) = fewest
        .filter(|(_, contribution)| contribution.weight > 0.0)
        .min_by_key(|(_, contribution)| contribution.sound)?;
    (contribution.sound < FEWEST_TRIALS).then_some(Obstacle::TooFewTrials {
        candidate: ranked.candidate,
        criterion,
        trials: contribution.trials,
        sound: contribution.sound,
    })
}
