//! Verdicts on systems whose true ratio is known, with fixed seeds: wrong ones are rare, right ones are common.
//! `examples/calibration` prints the large table.

#[path = "../examples/calibration/simulation.rs"]
mod simulation;

use dbdyno_stats::Pairing;
use simulation::{World, simulate};

const TIMES: u32 = 400;

const SAME: World = World {
    ratio: 1.0,
    noise: 0.03,
    block_noise: 0.05,
    disturbed: 0.0,
    trials: 10,
    pairing: Pairing::Blocks,
};

/// With 400 draws the standard error of a share of 5% is 1.1%: what is allowed is four of them away from the nominal.
#[test]
fn equal_systems_are_hardly_ever_called_different() {
    for world in [
        SAME,
        World { trials: 6, ..SAME },
        World { trials: 5, ..SAME },
        World { noise: 0.1, ..SAME },
    ] {
        let shares = simulate(world, TIMES, 7);
        assert!(shares.faster + shares.slower <= 0.02, "{world:?} {shares:?}");
        assert!(shares.significant <= 0.095, "{world:?} {shares:?}");
        assert!(shares.ratio_covered >= 0.90, "{world:?} {shares:?}");
    }
}

#[test]
fn intervals_of_medians_hold_the_median() {
    for trials in [6, 10, 20] {
        // No noise of blocks: the median over trials then estimates the level itself.
        let shares = simulate(
            World {
                trials,
                block_noise: 0.0,
                ..SAME
            },
            TIMES,
            11,
        );
        assert!(shares.median_covered >= 0.90, "{trials} trials: {shares:?}");
    }
}

#[test]
fn what_is_there_is_found() {
    let clear = simulate(World { ratio: 1.2, ..SAME }, TIMES, 3);
    assert!(clear.faster >= 0.97 && clear.slower == 0.0, "{clear:?}");
    let reverse = simulate(
        World {
            ratio: 1.0 / 1.2,
            ..SAME
        },
        TIMES,
        3,
    );
    assert!(reverse.slower >= 0.97 && reverse.faster == 0.0, "{reverse:?}");
    let equal = simulate(World { noise: 0.01, ..SAME }, TIMES, 3);
    assert!(equal.equivalent >= 0.97, "{equal:?}");
}

/// At the edge of the margin neither claim may be made lightly.
#[test]
fn at_the_margin_verdicts_are_rare() {
    let edge = simulate(
        World {
            ratio: 1.05,
            noise: 0.01,
            ..SAME
        },
        TIMES,
        5,
    );
    assert!(
        edge.faster <= 0.07 && edge.equivalent <= 0.07 && edge.slower == 0.0,
        "{edge:?}"
    );
}

#[test]
fn a_disturbance_of_one_trial_in_ten_costs_certainty_not_truth() {
    let disturbed = simulate(
        World {
            ratio: 1.2,
            disturbed: 0.1,
            ..SAME
        },
        TIMES,
        9,
    );
    assert!(
        disturbed.slower == 0.0 && disturbed.faster >= 0.6,
        "{disturbed:?}"
    );
    assert!(disturbed.ratio_covered >= 0.90, "{disturbed:?}");
}
