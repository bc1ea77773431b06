//! Studies that ask for a precision, simulated with the rule that ends them.

use std::collections::BTreeMap;

use dbdyno_random::SplitMix64;
use dbdyno_stats::pooled::{CellValues, Pair, Question, analyse};
use dbdyno_stats::precision::{Stopping, half_width};
use dbdyno_stats::{Better, Comparison, MARGIN, Word};

/// A study of two equal systems that asks for a precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecisionGoal {
    /// The half-width that is asked for, as a share.
    pub share: f64,
    /// Standard deviation of the logarithm of a trial.
    pub noise: f64,
    /// Blocks at least.
    pub fewest: u32,
    /// Blocks at most.
    pub most: u32,
}

/// The results of one rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoppingShares {
    /// Share of the studies whose interval holds the true ratio.
    pub covered: f64,
    /// Share of the studies that call one of the systems faster.
    pub any_false: f64,
    /// Mean number of blocks.
    pub blocks: f64,
}

/// Runs `times` studies. Equal seeds give equal shares.
pub fn simulate_stopping(goal: PrecisionGoal, times: u32, seed: u64) -> StoppingShares {
    let mut random = SplitMix64::new(seed);
    let mut shares = StoppingShares::default();
    for _ in 0..times {
        let (blocks, compared) = run(goal, &mut random);
        shares.blocks += f64::from(blocks);
        let holds = compared
            .interval
            .is_some_and(|interval| interval.low <= 1.0 && 1.0 <= interval.high);
        shares.covered += f64::from(u8::from(holds));
        let claims = matches!(compared.word, Word::Faster | Word::Slower);
        shares.any_false += f64::from(u8::from(claims));
    }
    let all = f64::from(times);
    StoppingShares {
        covered: shares.covered / all,
        any_false: shares.any_false / all,
        blocks: shares.blocks / all,
    }
}

fn run(goal: PrecisionGoal, random: &mut SplitMix64) -> (u32, Comparison) {
    let mut cell = CellValues {
        systems: vec![BTreeMap::new(), BTreeMap::new()],
    };
    let mut stopping = Stopping::new(goal.share);
    let mut blocks = 0;
    loop {
        for system in &mut cell.systems {
            system.insert(blocks, (goal.noise * random.normal()).exp());
        }
        blocks += 1;
        if blocks < goal.fewest {
            continue;
        }
        let analysis = analyse(&Question {
            cells: std::slice::from_ref(&cell),
            pairs: &[Pair { cell: 0, a: 0, b: 1 }],
            twins: &[],
            better: Better::Higher,
            margin: MARGIN,
        });
        let compared = analysis.comparisons.into_iter().next().expect("one pair");
        let widest = compared.interval.as_ref().map(half_width);
        if stopping.enough(blocks, widest) || blocks >= goal.most {
            return (blocks, compared);
        }
    }
}
