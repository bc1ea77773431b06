//! What must hold for any numbers.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::{around, candidate, problem, ratio};
use dbdyno_decide::{
    Candidate, Compliance, Problem, Ranked, Recommendation, Utility, decide, flips, smallest_shift,
};
use dbdyno_stats::Better;
use proptest::prelude::*;

const CRITERIA: [Better; 3] = [Better::Higher, Better::Lower, Better::Higher];

/// Two to five candidates with six trials of three criteria, and weights.
fn problems() -> impl Strategy<Value = Problem> {
    let trials = proptest::collection::vec(1.0..1000.0_f64, 6);
    let own = proptest::collection::vec(trials, CRITERIA.len());
    let weights = proptest::collection::vec(0.1..5.0_f64, CRITERIA.len());
    (proptest::collection::vec(own, 2..=5), weights).prop_map(|(values, weights)| {
        let candidates = values.iter().map(|own| candidate(0, own)).collect();
        let criteria = weights
            .iter()
            .zip(CRITERIA)
            .map(|(weight, better)| ratio(*weight, better));
        problem(candidates, criteria.collect())
    })
}

/// The ranking with its figures, without names.
fn figures(ranked: &Ranked) -> [f64; 4] {
    [
        ranked.score,
        ranked.probability_first,
        ranked.probability_first_as_stated,
        ranked.probability_non_dominated,
    ]
}

fn close(a: &Ranked, b: &Ranked) -> bool {
    figures(a)
        .iter()
        .zip(figures(b))
        .all(|(a, b)| (a - b).abs() < 1e-9)
}

fn scores(utilities: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let sum = |own: &Vec<f64>| {
        own.iter()
            .zip(weights)
            .map(|(utility, weight)| utility * weight)
            .sum()
    };
    utilities.iter().map(sum).collect()
}

fn best(scores: &[f64]) -> usize {
    (0..scores.len())
        .max_by(|a, b| scores[*a].total_cmp(&scores[*b]))
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_dominated_candidate_changes_nothing_for_the_others(problem in problems(), loss in 1.01..10.0_f64) {
        let before = decide(&problem);
        // Worse than the first candidate by the same factor in every trial of everything.
        let mut loser = problem.candidates[0].clone();
        for (observations, better) in loser.evidence.iter_mut().zip(CRITERIA) {
            for one in observations {
                match better {
                    Better::Higher => one.value /= loss,
                    Better::Lower => one.value *= loss,
                }
            }
        }
        let mut with = problem.clone();
        with.candidates.push(loser);
        let after = decide(&with);
        let others: Vec<&Ranked> = after.ranked.iter().filter(|one| one.candidate < problem.candidates.len()).collect();
        prop_assert_eq!(before.ranked.len(), others.len());
        for (a, b) in before.ranked.iter().zip(others) {
            prop_assert_eq!(a.candidate, b.candidate);
            prop_assert!(close(a, b), "{:?} {:?}", a, b);
        }
        prop_assert_eq!(before.ranked[0].candidate, after.ranked[0].candidate);
    }

    #[test]
    fn the_unit_does_not_matter(problem in problems(), scale in 0.001..1000.0_f64) {
        let before = decide(&problem);
        let mut scaled = problem.clone();
        for one in scaled.candidates.iter_mut().flat_map(|candidate| &mut candidate.evidence[1]) {
            one.value *= scale;
        }
        let after = decide(&scaled);
        for (a, b) in before.ranked.iter().zip(&after.ranked) {
            prop_assert_eq!(a.candidate, b.candidate);
            prop_assert!((a.probability_first - b.probability_first).abs() < 1e-9);
            prop_assert!((a.probability_non_dominated - b.probability_non_dominated).abs() < 1e-9);
        }
        prop_assert_eq!(before.verdict, after.verdict);
    }

    #[test]
    fn turning_the_candidates_round_turns_the_answer_round(problem in problems()) {
        let before = decide(&problem);
        let mut turned = problem.clone();
        turned.candidates.reverse();
        let after = decide(&turned);
        let last = problem.candidates.len() - 1;
        for (a, b) in before.ranked.iter().zip(&after.ranked) {
            prop_assert_eq!(a.candidate, last - b.candidate);
            prop_assert!(close(a, b), "{:?} {:?}", a, b);
        }
        let recommended = |verdict: &Recommendation| match verdict {
            Recommendation::Recommend(candidate) => Some(*candidate),
            _ => None,
        };
        prop_assert_eq!(recommended(&before.verdict), recommended(&after.verdict).map(|one| last - one));
    }

    #[test]
    fn the_same_problem_gives_the_same_decision(problem in problems()) {
        let (one, two) = (decide(&problem), decide(&problem));
        prop_assert_eq!(one.ranked, two.ranked);
        prop_assert_eq!(one.verdict, two.verdict);
    }

    #[test]
    fn identical_candidates_are_never_recommended(
        values in proptest::collection::vec(proptest::collection::vec(1.0..1000.0_f64, 8), 3),
        copies in 2..5_usize,
        own_series in any::<bool>(),
    ) {
        // In blocks of one study, or of studies of their own.
        let series = |copy: usize| if own_series { copy as u64 } else { 0 };
        let candidates = (0..copies).map(|copy| candidate(series(copy), &values)).collect();
        let criteria = CRITERIA.map(|better| ratio(1.0, better)).to_vec();
        let decision = decide(&problem(candidates, criteria));
        prop_assert!(!matches!(decision.verdict, Recommendation::Recommend(_)), "{:?}", decision.verdict);
    }

    #[test]
    fn probabilities_are_probabilities(problem in problems()) {
        let decision = decide(&problem);
        let total = |of: fn(&Ranked) -> f64| decision.ranked.iter().map(of).sum::<f64>();
        prop_assert!((total(|one| one.probability_first) - 1.0).abs() < 1e-9);
        prop_assert!((total(|one| one.probability_first_as_stated) - 1.0).abs() < 1e-9);
        // Somebody is always beaten by nobody.
        prop_assert!(total(|one| one.probability_non_dominated) >= 1.0 - 1e-9);
        for one in &decision.ranked {
            prop_assert!(figures(one)[1..].iter().all(|share| (0.0..=1.0 + 1e-12).contains(share)));
            prop_assert!(one.behind.is_none_or(|behind| behind.low <= behind.ratio && behind.ratio <= behind.high));
        }
    }

    #[test]
    fn a_flip_is_where_the_winner_changes(
        utilities in proptest::collection::vec(proptest::collection::vec(-5.0..5.0_f64, 3), 2..5),
        raw in proptest::collection::vec(0.05..1.0_f64, 3),
    ) {
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / total).collect();
        let winner = best(&scores(&utilities, &weights));
        for flip in flips(&utilities, &weights) {
            let at = |share: f64| -> usize {
                let rest = (1.0 - share) / (1.0 - flip.from);
                let changed: Vec<f64> = weights.iter().enumerate().map(|(index, weight)| {
                    if index == flip.criterion { share } else { weight * rest }
                }).collect();
                best(&scores(&utilities, &changed))
            };
            let step = 1e-6_f64.min((flip.to - flip.from).abs() / 2.0).min(flip.to / 2.0).min((1.0 - flip.to) / 2.0);
            let beyond = if flip.to > flip.from { step } else { -step };
            prop_assert_eq!(at(flip.to - beyond), winner, "just before {:?}", flip);
            prop_assert_eq!(at(flip.to + beyond), flip.winner, "just beyond {:?}", flip);
        }
    }

    #[test]
    fn no_flip_is_missed(
        utilities in proptest::collection::vec(proptest::collection::vec(-5.0..5.0_f64, 3), 2..5),
        raw in proptest::collection::vec(0.05..1.0_f64, 3),
        share in 0.0..1.0_f64,
    ) {
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / total).collect();
        let winner = best(&scores(&utilities, &weights));
        let found = flips(&utilities, &weights);
        for criterion in 0..3 {
            let rest = (1.0 - share) / (1.0 - weights[criterion]);
            let changed: Vec<f64> = (0..3).map(|index| if index == criterion { share } else { weights[index] * rest }).collect();
            let is_beyond = found.iter().any(|flip| flip.criterion == criterion && if flip.to > flip.from { share > flip.to } else { share < flip.to });
            prop_assert_eq!(best(&scores(&utilities, &changed)) != winner, is_beyond);
        }
    }

    #[test]
    fn the_smallest_shift_is_enough_and_less_is_not(
        utilities in proptest::collection::vec(proptest::collection::vec(-5.0..5.0_f64, 3), 2..5),
        raw in proptest::collection::vec(0.05..1.0_f64, 3),
        other in proptest::collection::vec(0.0..1.0_f64, 3),
    ) {
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / total).collect();
        let winner = best(&scores(&utilities, &weights));
        let shift = smallest_shift(&utilities, &weights);
        if let Some(shift) = &shift {
            let mut moved = weights.clone();
            for (criterion, share) in &shift.from {
                moved[*criterion] -= share;
                moved[shift.into] += share;
            }
            let after = scores(&utilities, &moved);
            prop_assert!((after[shift.winner] - after[winner]).abs() < 1e-9);
            prop_assert!(moved.iter().all(|weight| *weight > -1e-12));
        }
        // No other weights, found by chance, turn the answer round with less.
        let sum: f64 = other.iter().sum();
        prop_assume!(sum > 0.0);
        let other: Vec<f64> = other.iter().map(|weight| weight / sum).collect();
        if best(&scores(&utilities, &other)) != winner {
            let moved: f64 = weights.iter().zip(&other).map(|(a, b)| (a - b).max(0.0)).sum();
            prop_assert!(shift.is_some_and(|shift| shift.share <= moved + 1e-9));
        }
    }
}

#[test]
fn objectives_and_requirements_join_in() {
    // Twice as fast, but it misses an objective that is worth four times: the slow one wins.
    let mut criteria = vec![ratio(1.0, Better::Higher), ratio(1.0, Better::Lower)];
    criteria[1].utility = Utility::Objective {
        limit: 10.0,
        worth: 2.0,
    };
    let fast = candidate(0, &[around(200.0, 0.02, 6, 1), around(15.0, 0.02, 6, 2)]);
    let slow = candidate(0, &[around(100.0, 0.02, 6, 3), around(5.0, 0.02, 6, 4)]);
    let decision = decide(&problem(vec![fast.clone(), slow.clone()], criteria.clone()));
    assert_eq!(decision.ranked[0].candidate, 1);
    assert_eq!(decision.ranked[0].contributions[1].kept, Some(1.0));
    assert_eq!(decision.ranked[1].contributions[1].kept, Some(0.0));

    // One that is out is not ranked; one whose requirements are not shown is ranked and not recommended.
    let out = Candidate {
        compliance: Compliance::Violated,
        ..slow.clone()
    };
    let decision = decide(&problem(vec![fast.clone(), out], criteria.clone()));
    assert_eq!(
        (decision.ranked.len(), decision.violating.as_slice()),
        (1, &[1][..])
    );
    assert_eq!(decision.verdict, Recommendation::Recommend(0));
    let open = Candidate {
        compliance: Compliance::NotShown,
        ..slow
    };
    let decision = decide(&problem(vec![fast.clone(), open], criteria.clone()));
    assert_eq!(decision.ranked[0].candidate, 1);
    assert!(
        !matches!(decision.verdict, Recommendation::Recommend(_)),
        "{decision:?}"
    );

    // One without a measurement is neither in nor out.
    let mut blind = fast.clone();
    blind.evidence[1].clear();
    let decision = decide(&problem(vec![fast, blind], criteria));
    assert_eq!(decision.unmeasured, [(1, vec![1])]);
    assert_eq!(decision.ranked.len(), 1);
}
