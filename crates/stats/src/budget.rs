//! How to spend a given time: how many blocks, and how long a measured phase, show the smallest differences.
//!
//! More blocks lower the noise of every part; longer phases lower only the part that arises within a trial, and cost no further
//! starts, loads and warm-ups.

use crate::pooled::FEWEST_BLOCKS;
use crate::power::Design;

/// Up to so many blocks every number is considered, beyond it every second one.
const EVERY_NUMBER: usize = 20;
/// The most blocks that a budget is spent on.
pub const MOST_BLOCKS: usize = 40;

/// The noise of a trial, by the length of its measured phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Standard deviation of the logarithm of a trial that is `seconds` long.
    pub total: f64,
    /// The length of the phases at which `total` holds.
    pub seconds: f64,
    /// The share of the variance at this length that arises within trials, and shrinks as they get longer.
    pub within: f64,
}

impl Noise {
    /// The noise of trials of this length: the variance between trials, and that within them by the length.
    #[must_use]
    pub fn at(&self, seconds: f64) -> f64 {
        self.total * (1.0 - self.within + self.within * self.seconds / seconds).sqrt()
    }
}

/// One way to spend the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Blocks.
    pub blocks: usize,
    /// Length of the measured phase.
    pub seconds: f64,
    /// Noise of a trial of this length.
    pub noise: f64,
    /// The smallest difference shown in nine of ten cases.
    pub difference: f64,
}

/// The budget is too small for any decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooSmall {
    /// The fewest blocks that can decide.
    pub blocks: usize,
    /// Their time with the shortest phases, seconds.
    pub seconds: f64,
}

/// For each number of blocks that fits, the longest phase that fits too, fewest blocks first. Blocks and noise of `design` are
/// the ones sought. `lengths` are the phases to choose from, in seconds and ascending; `cost` is what so many blocks with phases of such
/// a length take, and grows with both.
///
/// # Errors
/// When not even the fewest blocks that can decide fit with the shortest phases.
///
/// # Panics
/// When there are no lengths to choose from.
pub fn choices(
    design: Design,
    noise: Noise,
    lengths: &[f64],
    budget: f64,
    cost: impl Fn(usize, f64) -> f64,
) -> Result<Vec<Choice>, TooSmall> {
    let fewest = FEWEST_BLOCKS;
    let mut choices = Vec::new();
    let considered = (fewest..=MOST_BLOCKS).filter(|&blocks| blocks <= EVERY_NUMBER || blocks % 2 == 0);
    for blocks in considered {
        let fitting = lengths.partition_point(|&length| cost(blocks, length) <= budget);
        let Some(longest) = fitting.checked_sub(1) else {
            break;
        };
        let seconds = lengths[longest];
        let noise = noise.at(seconds);
        let design = Design {
            blocks,
            noise,
            ..design
        };
        if let Some(difference) = design.smallest_difference() {
            choices.push(Choice {
                blocks,
                seconds,
                noise,
                difference,
            });
        }
    }
    if choices.is_empty() {
        return Err(TooSmall {
            blocks: fewest,
            seconds: cost(fewest, lengths[0]),
        });
    }
    Ok(choices)
}

/// The choice that shows the smallest difference; of equal ones that with the fewest blocks.
#[must_use]
pub fn best(choices: &[Choice]) -> Option<Choice> {
    choices
        .iter()
        .copied()
        .min_by(|a, b| a.difference.total_cmp(&b.difference))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DESIGN: Design = Design {
        blocks: 0,
        comparisons: 1,
        independent: 1,
        noise: 0.0,
        margin: 0.05,
    };
    const LENGTHS: [f64; 6] = [2.0, 4.0, 8.0, 15.0, 30.0, 60.0];

    fn noise(within: f64) -> Noise {
        Noise {
            total: 0.1,
            seconds: 10.0,
            within,
        }
    }

    /// Trials of a block, and what goes before each of them.
    fn cost(trials: f64, overhead: f64) -> impl Fn(usize, f64) -> f64 {
        move |blocks, seconds| blocks as f64 * trials * (overhead + seconds)
    }

    fn best_of(noise: Noise, budget: f64, overhead: f64) -> Choice {
        best(&choices(DESIGN, noise, &LENGTHS, budget, cost(2.0, overhead)).unwrap()).unwrap()
    }

    #[test]
    fn noise_within_a_trial_shrinks_with_its_length_and_that_between_trials_stays() {
        assert!((noise(0.5).at(10.0) - 0.1).abs() < 1e-12);
        assert!((noise(1.0).at(40.0) - 0.05).abs() < 1e-12);
        assert!((noise(0.0).at(40.0) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn noise_between_trials_asks_for_blocks_and_noise_within_them_and_long_starts_for_length() {
        let between = best_of(noise(0.0), 400.0, 8.0);
        let within = best_of(noise(0.95), 400.0, 8.0);
        assert!(
            between.blocks > within.blocks && between.seconds < within.seconds,
            "{between:?}, {within:?}"
        );
        let quick_starts = best_of(noise(0.5), 400.0, 1.0);
        let slow_starts = best_of(noise(0.5), 400.0, 20.0);
        assert!(quick_starts.blocks > slow_starts.blocks);
        assert!(quick_starts.difference < slow_starts.difference);
    }

    #[test]
    fn too_small_a_budget_says_what_the_fewest_blocks_take() {
        assert_eq!(
            choices(DESIGN, noise(0.5), &LENGTHS, 55.9, cost(2.0, 5.0)),
            Err(TooSmall {
                blocks: 4,
                seconds: 56.0
            })
        );
        assert!(choices(DESIGN, noise(0.5), &LENGTHS, 56.0, cost(2.0, 5.0)).is_ok());
    }

    #[test]
    fn more_time_never_shows_less_and_is_never_exceeded() {
        let spending = (
            0.1..60.0_f64,
            1.0..20.0_f64,
            0.0..=1.0_f64,
            1.0..20.0_f64,
            1.0..2.0_f64,
        );
        proptest!(|((overhead, trials, within, budget, more) in spending)| {
            let cost = cost(trials, overhead);
            // So many times the time of the fewest blocks with the shortest phases.
            let budget = budget * cost(4, LENGTHS[0]);
            let at = |budget: f64| {
                best(&choices(DESIGN, noise(within), &LENGTHS, budget, &cost).unwrap()).unwrap()
            };
            let (less, more) = (at(budget), at(budget * more));
            prop_assert!(cost(less.blocks, less.seconds) <= budget);
            prop_assert!(more.difference <= less.difference);
        });
    }
}
