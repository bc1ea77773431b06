//! Planted truths: a winner is found, no difference is not called one, and the experiment that is missing is named.

mod common;

use common::{around, candidate, problem, ratio};
use dbdyno_decide::{Experiment, LevelRange, Obstacle, Recommendation, Utility, decide, prospects};
use dbdyno_stats::Better;

#[test]
fn a_clear_winner_is_recommended() {
    for seed in 0..50 {
        let slow = candidate(
            0,
            &[around(100.0, 0.05, 6, seed), around(10.0, 0.05, 6, seed + 100)],
        );
        let fast = candidate(
            0,
            &[
                around(150.0, 0.05, 6, seed + 200),
                around(9.0, 0.05, 6, seed + 300),
            ],
        );
        let criteria = vec![ratio(1.0, Better::Higher), ratio(1.0, Better::Lower)];
        let decision = decide(&problem(vec![slow, fast], criteria));
        assert_eq!(decision.verdict, Recommendation::Recommend(1), "{decision:?}");
        assert!(decision.obstacles.is_empty());
    }
}

#[test]
fn what_does_not_differ_is_seldom_recommended() {
    // 5% margin, trials up to 10% from the truth: a standard deviation of 5.8%.
    let recommended = (0..300)
        .filter(|seed| {
            let one = candidate(0, &[around(100.0, 0.1, 6, 2 * seed)]);
            let two = candidate(0, &[around(100.0, 0.1, 6, 2 * seed + 1)]);
            let mut problem = problem(vec![one, two], vec![ratio(1.0, Better::Higher)]);
            problem.seed = *seed;
            matches!(decide(&problem).verdict, Recommendation::Recommend(_))
        })
        .count();
    assert!(recommended <= 15, "{recommended} of 300 equal pairs had a winner");
}

#[test]
fn who_never_settled_loses_where_it_would_at_each_of_its_levels() {
    let fast = candidate(0, &[around(200.0, 0.02, 6, 1)]);
    let verdict = |low: f64, high: f64| {
        let mut restless = candidate(0, &[around(100.0, 0.02, 6, 2)]);
        restless.levels = vec![LevelRange { low, high }];
        decide(&problem(
            vec![fast.clone(), restless],
            vec![ratio(1.0, Better::Higher)],
        ))
    };
    assert_eq!(verdict(0.7, 1.5).verdict, Recommendation::Recommend(0));
    // A third of its range, on a logarithmic scale, is beyond the other one.
    let decision = verdict(0.5, 4.0);
    assert_ne!(decision.verdict, Recommendation::Recommend(0), "{decision:?}");
    let [first, restless] = &decision.ranked[..] else {
        panic!("{decision:?}")
    };
    assert!(
        (0.6..0.73).contains(&first.probability_first_as_stated),
        "{first:?}"
    );
    assert!(
        (restless.contributions[0].value / 100.0 - 1.0).abs() < 0.02,
        "what was measured is shown"
    );
}

#[test]
fn a_winner_by_less_than_the_margin_is_a_tie() {
    let slow = candidate(0, &[vec![100.0; 8]]);
    let fast = candidate(0, &[vec![103.0; 8]]);
    let decision = decide(&problem(vec![slow, fast], vec![ratio(1.0, Better::Higher)]));
    assert_eq!(
        decision.verdict,
        Recommendation::Shortlist(vec![1]),
        "{decision:?}"
    );
    assert!(matches!(
        decision.obstacles[..],
        [Obstacle::WithinMargin { next: 0, .. }]
    ));
}

#[test]
fn an_advantage_by_which_equal_systems_differ_is_a_tie() {
    let slow = candidate(0, &[vec![100.0; 8]]);
    let fast = candidate(0, &[vec![110.0; 8]]);
    for (noise, is_tie) in [(1.0, false), (1.09, false), (1.11, true)] {
        let mut problem = problem(vec![slow.clone(), fast.clone()], vec![ratio(1.0, Better::Higher)]);
        problem.noise = noise;
        let decision = decide(&problem);
        let expected = match is_tie {
            true => Recommendation::Undecided(vec![1, 0]),
            false => Recommendation::Recommend(1),
        };
        assert_eq!(decision.verdict, expected, "{noise}: {decision:?}");
        assert_eq!(decision.ranked[1].tied_with_first, is_tie);
    }
}

#[test]
fn three_trials_never_recommend() {
    let slow = candidate(0, &[vec![100.0, 101.0, 102.0]]);
    let fast = candidate(0, &[vec![1000.0, 1001.0, 1002.0]]);
    let decision = decide(&problem(vec![slow, fast], vec![ratio(1.0, Better::Higher)]));
    assert!(
        matches!(decision.verdict, Recommendation::Undecided(_)),
        "{decision:?}"
    );
    assert!(
        decision
            .obstacles
            .iter()
            .any(|obstacle| matches!(obstacle, Obstacle::TooFewTrials { trials: 3, .. }))
    );
}

#[test]
fn alone_is_not_best() {
    let decision = decide(&problem(
        vec![candidate(0, &[vec![1.0; 9]])],
        vec![ratio(1.0, Better::Higher)],
    ));
    assert_eq!(decision.verdict, Recommendation::Undecided(vec![0]));
    assert_eq!(decision.obstacles, [Obstacle::Alone]);
    let nobody = decide(&problem(Vec::new(), vec![ratio(1.0, Better::Higher)]));
    assert_eq!(nobody.verdict, Recommendation::NobodyLeft);
}

#[test]
fn weights_in_doubt_make_a_close_trade_off_undecided() {
    // One reads twice as fast, the other writes twice as fast, weights nearly equal.
    let reader = candidate(0, &[around(200.0, 0.01, 8, 1), around(100.0, 0.01, 8, 2)]);
    let writer = candidate(0, &[around(100.0, 0.01, 8, 3), around(200.0, 0.01, 8, 4)]);
    let criteria = vec![ratio(0.54, Better::Higher), ratio(0.46, Better::Higher)];
    let mut problem = problem(vec![reader, writer], criteria);
    let decision = decide(&problem);
    assert!(
        !matches!(decision.verdict, Recommendation::Recommend(_)),
        "{decision:?}"
    );
    assert!((decision.flips[0].to - 0.5).abs() < 0.02, "{:?}", decision.flips);
    assert!(
        decision
            .ranked
            .iter()
            .all(|one| one.probability_non_dominated == 1.0)
    );
    problem.weight_spread = 0.0;
    assert_eq!(decide(&problem).verdict, Recommendation::Recommend(0));
}

#[test]
fn enough_is_enough() {
    let mut criteria = vec![ratio(1.0, Better::Higher), ratio(1.0, Better::Lower)];
    criteria[0].utility = Utility::Enough { reference: 50.0 };
    let fast = candidate(0, &[around(1000.0, 0.02, 6, 1), around(20.0, 0.02, 6, 2)]);
    let prompt = candidate(0, &[around(60.0, 0.02, 6, 3), around(10.0, 0.02, 6, 4)]);
    let decision = decide(&problem(vec![fast, prompt], criteria));
    assert_eq!(decision.verdict, Recommendation::Recommend(1), "{decision:?}");
    assert_eq!(decision.ranked[0].contributions[0].utility, 0.0);
}

#[test]
fn the_criterion_in_doubt_is_the_one_to_measure() {
    // The first criterion is known well and equal; the second one is noisy.
    let one = candidate(0, &[around(100.0, 0.005, 5, 1), around(100.0, 0.4, 5, 2)]);
    let two = candidate(0, &[around(100.0, 0.005, 5, 3), around(112.0, 0.4, 5, 4)]);
    let criteria = vec![ratio(1.0, Better::Higher), ratio(1.0, Better::Higher)];
    let problem = problem(vec![one, two], criteria);
    let more = |criterion: usize, trials: usize| Experiment {
        candidates: vec![0, 1],
        criteria: vec![criterion],
        trials,
    };
    let found = prospects(&problem, &[more(0, 20), more(1, 20), more(1, 0)]);
    assert!(
        found[1].expected_change > 5.0 * found[0].expected_change,
        "{found:?}"
    );
    assert!(found[1].decides > found[0].decides, "{found:?}");
    assert!(
        found[2].expected_change < 1e-9,
        "no trials teach nothing: {found:?}"
    );
}

/// Eight tight trials decide; the same eight do not when they are doubtful, however far apart the candidates are.
#[test]
fn doubtful_trials_of_the_first_or_its_rival_recommend_nobody() {
    for (doubtful, seed) in [(0, 1), (1, 2)] {
        for sound in 0..=4 {
            let mut candidates = vec![
                candidate(0, &[around(100.0, 0.05, 8, seed)]),
                candidate(0, &[around(300.0, 0.05, 8, seed + 10)]),
            ];
            let observations = candidates[doubtful].evidence[0].iter_mut();
            observations
                .skip(sound)
                .for_each(|one| (one.sound, one.bounded) = (false, false));
            let decision = decide(&problem(candidates, vec![ratio(1.0, Better::Higher)]));
            if sound == 4 {
                assert_eq!(decision.verdict, Recommendation::Recommend(1), "{decision:?}");
                continue;
            }
            assert!(
                matches!(decision.verdict, Recommendation::Undecided(_)),
                "{decision:?}"
            );
            let expected = Obstacle::TooFewTrials {
                candidate: doubtful,
                criterion: 0,
                trials: 8,
                sound,
            };
            assert!(decision.obstacles.contains(&expected), "{decision:?}");
        }
    }
}

#[test]
fn doubtful_trials_lower_the_probability_of_being_best() {
    let probability = |sound: usize| {
        let mut candidates = vec![
            candidate(0, &[around(100.0, 0.08, 8, 5)]),
            candidate(1, &[around(112.0, 0.08, 8, 6)]),
        ];
        for candidate in &mut candidates {
            let observations = candidate.evidence[0].iter_mut();
            observations.skip(sound).for_each(|one| one.sound = false);
        }
        let decision = decide(&problem(candidates, vec![ratio(1.0, Better::Higher)]));
        decision.ranked[0].probability_first
    };
    assert!(probability(8) > 0.95, "{}", probability(8));
    assert!(probability(0) < 0.8, "{}", probability(0));
}

#[test]
fn what_counts_least_recommends_nobody_alone() {
    let decide_with = |unjudged: f64| {
        let slow = candidate(0, &[vec![100.0; 6]]);
        let fast = candidate(0, &[vec![150.0; 6]]);
        let mut problem = problem(vec![slow, fast], vec![ratio(1.0, Better::Higher)]);
        problem.unjudged = unjudged;
        decide(&problem)
    };
    assert_eq!(decide_with(0.5).verdict, Recommendation::Recommend(1));
    let decision = decide_with(0.6);
    assert_eq!(
        decision.verdict,
        Recommendation::Undecided(vec![1]),
        "{decision:?}"
    );
    assert_eq!(decision.obstacles, [Obstacle::Unjudged { share: 0.6 }]);
}

/// Who lacks a measurement may be better than all that have one.
#[test]
fn a_rival_that_was_not_measured_keeps_the_first_from_being_recommended() {
    let mut rival = candidate(0, &[vec![120.0; 6]]);
    rival.evidence[0].clear();
    let measured = [vec![100.0; 6], vec![150.0; 6]].map(|values| candidate(0, &[values]));
    let candidates: Vec<_> = measured.into_iter().chain([rival]).collect();
    let decision = decide(&problem(candidates, vec![ratio(1.0, Better::Higher)]));
    assert_eq!(
        decision.verdict,
        Recommendation::Undecided(vec![1]),
        "{decision:?}"
    );
    assert_eq!(decision.obstacles, [Obstacle::Unmeasured]);
}

/// With trials that are not sound, of which it is known how far they may be from the truth.
fn unsound(mut candidate: dbdyno_decide::Candidate) -> dbdyno_decide::Candidate {
    for one in candidate.evidence.iter_mut().flatten() {
        one.sound = false;
    }
    candidate
}

#[test]
fn who_is_far_behind_needs_no_sound_trials() {
    let fast = candidate(0, &[around(240.0, 0.1, 5, 1)]);
    let slow = |level: f64, trials| unsound(candidate(0, &[around(level, 0.1, trials, 2)]));
    let decide_on = |other| {
        let criteria = vec![ratio(1.0, Better::Higher)];
        decide(&problem(vec![fast.clone(), other], criteria))
    };
    let decision = decide_on(slow(100.0, 5));
    assert_eq!(decision.verdict, Recommendation::Recommend(0), "{decision:?}");
    assert!(decision.ranked[1].apart_from_first && !decision.ranked[1].tied_with_first);
    // Its best trial is as good as the worst of the first.
    let near = decide_on(slow(225.0, 5));
    assert_eq!(near.verdict, Recommendation::Undecided(vec![0, 1]), "{near:?}");
    // Three trials separate by chance too often.
    let few = decide_on(slow(100.0, 3));
    assert!(matches!(few.verdict, Recommendation::Undecided(_)), "{few:?}");
    // What nobody has seen of a system may be four times as much.
    let mut compiling = slow(100.0, 5);
    compiling.levels = vec![LevelRange { low: 1.0, high: 4.0 }];
    assert_ne!(decide_on(compiling).verdict, Recommendation::Recommend(0));
    // The first one's own trials have to be sound.
    let criteria = vec![ratio(1.0, Better::Higher)];
    let own = decide(&problem(vec![unsound(fast.clone()), slow(100.0, 5)], criteria));
    assert!(matches!(own.verdict, Recommendation::Undecided(_)), "{own:?}");
}

#[test]
fn equal_systems_without_sound_trials_are_never_far_apart() {
    let apart = (0..300).filter(|seed| {
        let one = unsound(candidate(0, &[around(100.0, 0.1, 5, 2 * seed)]));
        let two = unsound(candidate(0, &[around(100.0, 0.1, 5, 2 * seed + 1)]));
        let mut problem = problem(vec![one, two], vec![ratio(1.0, Better::Higher)]);
        problem.seed = *seed;
        decide(&problem).ranked[1].apart_from_first
    });
    assert_eq!(apart.count(), 0);
}
