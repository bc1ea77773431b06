//! The order of trials: randomised complete blocks of plots.
//!
//! Every block holds every plot once, and every plot its cells, in an order of its own, so that drift of the machine (heat, other work, a
//! filling disk) spreads over all cells instead of favouring those that run first. Fisher & Yates' shuffle in
//! Durstenfeld's form (Communications of the ACM 7(7), 1964, algorithm 235), driven by [`SplitMix64`]: the same seed gives
//! the same order on every machine.

use dbdyno_random::SplitMix64;

/// The order in which a block runs its `plots` plots, for this study seed.
pub(crate) fn of_block(seed: u64, block: u32, plots: usize) -> Vec<usize> {
    shuffled(block_seed(seed, block), plots)
}

/// The order in which the `plot`-th plot of a block runs its `cells` cells.
pub(crate) fn of_plot(seed: u64, block: u32, plot: usize, cells: usize) -> Vec<usize> {
    let own = (plot as u64 + 1).wrapping_mul(0x9e6c_63d0_876a_3f6b);
    shuffled(block_seed(seed, block) ^ own, cells)
}

/// The order in which systems find their batch in a block.
pub(crate) fn of_batches(seed: u64, block: u32, systems: usize) -> Vec<usize> {
    shuffled(block_seed(seed, block) ^ 0x2545_f491_4f6c_dd1d, systems)
}

/// The order in which the trials of a group have their turns in a round.
pub(crate) fn of_round(seed: u64, group: u32, round: u32, trials: usize) -> Vec<usize> {
    let own = (u64::from(round) + 1).wrapping_mul(0xa076_1d64_78bd_642f);
    shuffled(block_seed(seed, group) ^ own, trials)
}

fn block_seed(seed: u64, block: u32) -> u64 {
    seed ^ u64::from(block).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn shuffled(seed: u64, items: usize) -> Vec<usize> {
    let mut random = SplitMix64::new(seed);
    random.bits();
    let mut order: Vec<usize> = (0..items).collect();
    for last in (1..items).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

/// The workload's seed in a block: every system of the block gets the same operations, every block others, so that
/// the trials of a cell sample workloads too.
pub(crate) fn seed_of_block(seed: u64, block: u32) -> u64 {
    if block == 0 {
        // The first block can be repeated by `dbdyno run --seed`, with the number that stands in the study file.
        return seed;
    }
    SplitMix64::new(seed.wrapping_add(u64::from(block).wrapping_mul(0xa076_1d64_78bd_642f))).bits()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_block_holds_every_plot_once(seed: u64, block in 0..1000u32, plots in 1..200usize) {
            let order = of_block(seed, block, plots);
            prop_assert_eq!(order.len(), plots);
            prop_assert_eq!(order.iter().copied().collect::<BTreeSet<_>>().len(), plots);
            prop_assert_eq!(of_block(seed, block, plots), order);
        }

        #[test]
        fn a_plot_holds_every_cell_once(seed: u64, block in 0..1000u32, plot in 0..50usize, cells in 1..200usize) {
            let order = of_plot(seed, block, plot, cells);
            prop_assert_eq!(order.len(), cells);
            prop_assert_eq!(order.iter().copied().collect::<BTreeSet<_>>().len(), cells);
            prop_assert_eq!(of_plot(seed, block, plot, cells), order);
        }
    }

    #[test]
    fn every_cell_comes_at_every_place_equally_often() {
        const CELLS: usize = 5;
        const BLOCKS: u32 = 10_000;
        let mut seen = [[0u32; CELLS]; CELLS];
        for block in 0..BLOCKS {
            for (place, cell) in of_block(7, block, CELLS).into_iter().enumerate() {
                seen[place][cell] += 1;
            }
        }
        let expected = f64::from(BLOCKS) / CELLS as f64;
        let chi_square: f64 = seen
            .iter()
            .flatten()
            .map(|&count| (f64::from(count) - expected).powi(2) / expected)
            .sum();
        // 16 degrees of freedom (rows and columns both sum to a constant): 39.25 is exceeded once in a thousand seeds.
        assert!(chi_square < 39.25, "{chi_square}: {seen:?}");
    }

    #[test]
    fn blocks_have_seeds_of_their_own() {
        let seeds: BTreeSet<u64> = (0..1000).map(|block| seed_of_block(42, block)).collect();
        assert_eq!(seeds.len(), 1000);
        assert_eq!(seed_of_block(42, 0), 42);
    }
}
