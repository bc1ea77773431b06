//! Searches on systems whose capacity is known: is it found, how often does the interval hold it, and does it ever end?
#![allow(clippy::print_stdout, reason = "docs/analysis.md shows these figures")]
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use dbdyno_random::SplitMix64;
use dbdyno_stats::capacity::{
    Doubt, Next, Outcome, Probe, Role, Rules, SearchResult, answer, most_probes, next,
};
use proptest::prelude::*;

/// A system: a trial at `rate` holds when the rate is below the capacity as it is in that trial.
#[derive(Clone, Copy, Debug)]
struct System {
    capacity: f64,
    /// Standard deviation of the logarithm of the capacity from trial to trial; 0 is a cliff.
    noise: f64,
    /// Share of trials whose answer is turned round by a disturbance.
    lies: f64,
    /// From this rate on the client is what fails.
    client: f64,
    /// The pilot's answer, as a multiple of the capacity.
    pilot: f64,
}

const SYSTEM: System = System {
    capacity: 10_000.0,
    noise: 0.0,
    lies: 0.0,
    client: f64::INFINITY,
    pilot: 1.25,
};

fn ask(system: System, rate: f64, random: &mut SplitMix64) -> Outcome {
    if rate >= system.client {
        return Outcome::ClientBound;
    }
    let today = system.capacity * (system.noise * random.normal()).exp();
    let lie = random.uniform() < system.lies;
    if (rate < today) != lie {
        Outcome::Holds
    } else {
        Outcome::Misses
    }
}

fn rules(system: System, step: f64, trials: u32) -> Rules {
    Rules::new(system.capacity.min(1e9) * system.pilot, 0.0, step, trials)
}

fn search(system: System, step: f64, trials: u32, seed: u64) -> (SearchResult, Vec<Probe>) {
    let rules = rules(system, step, trials);
    let mut random = SplitMix64::new(seed);
    let mut probes = Vec::new();
    while let Next::Probe { role, rate } = next(&rules, &probes) {
        probes.push(Probe {
            role,
            rate,
            outcome: ask(system, rate, &mut random),
        });
        assert!(
            probes.len() <= most_probes(trials),
            "it never ends: {system:?} seed {seed}"
        );
    }
    (answer(&rules, &probes), probes)
}

/// Of many searches: shares with an interval, with the truth in it, and the mean of its width and of the probes.
fn many(system: System, times: u64) -> (f64, f64, f64, f64) {
    let (mut decided, mut covered, mut width, mut probes) = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..times {
        let (answer, asked) = search(system, 0.05, 6, seed * 7919 + 1);
        probes += asked.len() as f64;
        if let SearchResult::Capacity {
            interval: Some(interval),
            estimate,
            ..
        } = answer
        {
            decided += 1.0;
            width += interval.high / interval.low - 1.0;
            covered += f64::from(u8::from(
                interval.low <= system.capacity && system.capacity <= interval.high,
            ));
            assert!(interval.low <= estimate && estimate <= interval.high);
        }
    }
    let all = times as f64;
    (decided / all, covered / decided, width / decided, probes / all)
}

#[test]
fn a_cliff_is_found_within_one_step() {
    let (decided, covered, width, probes) = many(SYSTEM, 200);
    println!("cliff: width {width:.3}, probes {probes:.1}");
    assert_eq!((decided, covered), (1.0, 1.0));
    assert!(width < 0.051, "{width}");
    assert!(probes < 26.0, "{probes}");
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    for noise in [0.01, 0.02, 0.05, 0.1] {
        let (decided, covered, width, probes) = many(System { noise, ..SYSTEM }, 200);
        println!(
            "noise {noise}: decided {decided}, covered {covered:.3}, width {width:.3}, probes {probes:.1}"
        );
        assert!(decided >= 0.97, "noise {noise}: {decided}");
        assert!(covered >= 0.95, "noise {noise}: {covered}");
        assert!(width <= 0.08 + 5.0 * noise, "noise {noise}: {width}");
    }
}

#[test]
fn a_disturbance_of_one_trial_in_twenty_costs_width_not_truth() {
    let disturbed = System {
        lies: 0.05,
        noise: 0.02,
        ..SYSTEM
    };
    let (decided, covered, width, probes) = many(disturbed, 200);
    println!("lies: decided {decided}, covered {covered:.3}, width {width:.3}, probes {probes:.1}");
    assert!(decided >= 0.95 && covered >= 0.95, "{decided} {covered}");
    assert!(width <= 0.4, "{width}");
}

#[test]
fn a_pilot_that_was_wrong_is_outgrown() {
    for pilot in [0.6, 3.0, 20.0, 400.0] {
        let (decided, covered, width, _) = many(
            System {
                pilot,
                noise: 0.02,
                ..SYSTEM
            },
            100,
        );
        assert!(
            decided >= 0.97 && covered >= 0.93,
            "pilot {pilot}: {decided} {covered}"
        );
        assert!(width <= 0.2, "pilot {pilot}: {width}");
    }
}

#[test]
fn what_never_holds_has_none() {
    let never = System {
        capacity: 1e-9,
        ..SYSTEM
    };
    let rules = Rules::new(10_000.0, 0.0, 0.05, 6);
    let mut probes = Vec::new();
    while let Next::Probe { role, rate } = next(&rules, &probes) {
        probes.push(Probe {
            role,
            rate,
            outcome: ask(never, rate, &mut SplitMix64::new(1)),
        });
    }
    let asked = probes.iter().map(|probe| probe.rate).fold(f64::MAX, f64::min);
    assert_eq!(answer(&rules, &probes), SearchResult::None { lowest: asked });
    assert!(
        (9.9..10.5).contains(&asked),
        "a thousandth of the pilot's: {asked}"
    );
}

#[test]
fn what_always_holds_is_unbounded_and_what_the_client_ends_is_not_measured() {
    let always = System {
        capacity: 1e12,
        pilot: 1e-5,
        ..SYSTEM
    };
    assert!(matches!(
        search(always, 0.05, 6, 1).0,
        SearchResult::Unbounded { .. }
    ));
    let weak_client = System {
        client: 9_000.0,
        ..SYSTEM
    };
    let SearchResult::Undecided {
        held: Some(held),
        missed: None,
        doubt: Doubt::Client,
    } = search(weak_client, 0.05, 6, 1).0
    else {
        panic!("the client says nothing about the system");
    };
    assert!((8_500.0..9_000.0).contains(&held), "{held}");
}

/// A machine that is taken away for minutes: what is missed then says nothing, however often it is asked.
#[test]
fn what_only_disturbed_trials_miss_is_undecided() {
    let of = |outcome: fn(f64) -> Outcome| {
        let rules = Rules::new(10_000.0, 500.0, 0.05, 6);
        let mut probes = Vec::new();
        while let Next::Probe { role, rate } = next(&rules, &probes) {
            assert!(rate >= 499.0, "below this a trial says nothing: {rate}");
            probes.push(Probe {
                role,
                rate,
                outcome: outcome(rate),
            });
        }
        answer(&rules, &probes)
    };
    let SearchResult::Undecided {
        held: None,
        missed: None,
        doubt: Doubt::Disturbance,
    } = of(|_| Outcome::Disturbed)
    else {
        panic!("nothing was shown: {:?}", of(|_| Outcome::Disturbed));
    };
    let quiet_below = |rate: f64| {
        if rate < 2_000.0 {
            Outcome::Holds
        } else {
            Outcome::Disturbed
        }
    };
    let SearchResult::Undecided {
        held: Some(held),
        missed: None,
        doubt: Doubt::Disturbance,
    } = of(quiet_below)
    else {
        panic!("what held is known: {:?}", of(quiet_below));
    };
    assert!((1_800.0..2_000.0).contains(&held), "{held}");
    assert!(matches!(of(|_| Outcome::Misses), SearchResult::None { lowest } if lowest < 525.0));
}

/// A machine that is busy all the time, as one beside a build: the search finds what it finds without the others, and says that they
/// were there. Trials that are only sometimes disturbed are no less an answer.
#[test]
fn what_disturbs_both_sides_alike_leaves_an_answer() {
    for share in [1.0, 0.9, 0.1] {
        for seed in 0..50 {
            let rules = rules(SYSTEM, 0.05, 6);
            let mut random = SplitMix64::new(seed);
            let mut probes = Vec::new();
            while let Next::Probe { role, rate } = next(&rules, &probes) {
                let is_disturbed = random.uniform() < share;
                let outcome = match (ask(SYSTEM, rate, &mut random), is_disturbed) {
                    (Outcome::Holds, true) => Outcome::HoldsDisturbed,
                    (Outcome::Misses, true) => Outcome::Disturbed,
                    (outcome, _) => outcome,
                };
                probes.push(Probe { role, rate, outcome });
            }
            let SearchResult::Capacity {
                held,
                missed,
                disturbed,
                ..
            } = answer(&rules, &probes)
            else {
                panic!("share {share}, seed {seed}: {:?}", answer(&rules, &probes));
            };
            assert!(
                held < 10_000.0 && missed >= 10_000.0,
                "share {share}, seed {seed}"
            );
            if share != 0.9 {
                assert_eq!(disturbed, share > 0.5, "share {share}, seed {seed}");
            }
        }
    }
}

#[test]
fn answers_by_chance_are_undecided_or_wide() {
    let coin = System { lies: 0.5, ..SYSTEM };
    let undecided = (0..50)
        .filter(|&seed| matches!(search(coin, 0.05, 6, seed).0, SearchResult::Undecided { .. }))
        .count();
    assert!(undecided >= 40, "{undecided} of 50");
}

#[test]
fn few_trials_give_rates_without_an_interval() {
    let SearchResult::Capacity {
        interval,
        held,
        missed,
        ..
    } = search(SYSTEM, 0.05, 3, 1).0
    else {
        panic!("a cliff is found with three trials");
    };
    assert!(interval.is_none() && held < 10_000.0 && missed >= 10_000.0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    /// Stopped anywhere and gone on with the probes in any order: the same question.
    #[test]
    fn the_next_question_follows_from_the_probes_alone(seed: u64, cut in 0.0..1.0f64, noise in 0.0..0.2f64) {
        let system = System { noise, ..SYSTEM };
        let (_, probes) = search(system, 0.05, 4, seed);
        let kept = (probes.len() as f64 * cut) as usize;
        let rules = rules(system, 0.05, 4);
        let mut shuffled = probes[..kept].to_vec();
        shuffled.sort_by(|a, b| a.rate.total_cmp(&b.rate).then(a.role.cmp(&b.role)));
        let expected = Next::Probe { role: probes[kept].role, rate: probes[kept].rate };
        prop_assert_eq!(next(&rules, &probes[..kept]), expected);
        prop_assert_eq!(next(&rules, &shuffled), expected);
    }

    /// Whatever is answered, it ends, and the unit of time does not matter.
    #[test]
    fn every_search_ends(outcomes in proptest::collection::vec(0..5u8, 200), step in 0.01..0.3f64, trials in 1..10u32) {
        let rules = Rules::new(5_000.0, 0.0, step, trials);
        let mut probes = Vec::new();
        for outcome in outcomes {
            let Next::Probe { role, rate } = next(&rules, &probes) else { break };
            let outcome = [
                Outcome::Holds,
                Outcome::Misses,
                Outcome::ClientBound,
                Outcome::Disturbed,
                Outcome::HoldsDisturbed,
            ][outcome as usize];
            probes.push(Probe { role, rate, outcome });
        }
        prop_assert!(probes.len() <= most_probes(trials) );
        if probes.len() < 200 {
            prop_assert_ne!(answer(&rules, &probes), SearchResult::Open);
        }
    }

    /// Probes of the search never make an interval: without confirming trials nothing is decided.
    #[test]
    fn only_confirming_trials_decide(seed: u64) {
        let (_, probes) = search(SYSTEM, 0.05, 6, seed);
        let searched: Vec<Probe> = probes.into_iter().filter(|probe| probe.role == Role::Search).collect();
        prop_assert_eq!(answer(&rules(SYSTEM, 0.05, 6), &searched), SearchResult::Open);
    }
}
