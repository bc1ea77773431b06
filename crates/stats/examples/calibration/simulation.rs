//! Comparisons of systems whose true ratio is known, as often as one likes: how often are the answers right?

use dbdyno_random::SplitMix64;
use dbdyno_stats::{Better, Comparison, Pairing, Sample, Word, compare, estimate};

/// A world in which trials are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// The first system's true median over the second's.
    pub ratio: f64,
    /// Standard deviation of the logarithm of a trial around its system's level: about the coefficient of variation.
    pub noise: f64,
    /// Standard deviation of the logarithm of what both systems' trials of a block share.
    pub block_noise: f64,
    /// Share of trials that a disturbance slows down to half.
    pub disturbed: f64,
    /// Trials of each system.
    pub trials: usize,
    /// How the comparison is made.
    pub pairing: Pairing,
}

impl World {
    /// What the method is held to find: a difference of 10% at 5% noise, with ten trials of each.
    pub const TEN_PERCENT: World = World {
        ratio: 1.1,
        noise: 0.05,
        block_noise: 0.0,
        disturbed: 0.0,
        trials: 10,
        pairing: Pairing::Blocks,
    };
}

/// How often what came out, as shares of all comparisons.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shares {
    pub faster: f64,
    pub slower: f64,
    pub equivalent: f64,
    pub bounded: f64,
    pub undecided: f64,
    /// Comparisons with an interval that holds the true ratio, among those with an interval.
    pub ratio_covered: f64,
    /// Estimates of the second system whose interval holds its true median, among those with an interval.
    pub median_covered: f64,
    /// p values of at most 0.05.
    pub significant: f64,
}

/// Draws `times` comparisons in a world. Equal seeds give equal shares.
pub fn simulate(world: World, times: u32, seed: u64) -> Shares {
    let mut random = SplitMix64::new(seed);
    let mut counts = Shares::default();
    let (mut with_ratio, mut with_median) = (0.0, 0.0);
    for _ in 0..times {
        let (comparison, second) = draw(world, &mut random);
        match comparison.word {
            Word::Faster => counts.faster += 1.0,
            Word::Slower => counts.slower += 1.0,
            Word::Equivalent => counts.equivalent += 1.0,
            Word::Bounded => counts.bounded += 1.0,
            Word::Undecided | Word::NotComparable => counts.undecided += 1.0,
        }
        if comparison.p_value.is_some_and(|p| p <= 0.05 + 1e-12) {
            counts.significant += 1.0;
        }
        if let Some(interval) = comparison.interval {
            with_ratio += 1.0;
            counts.ratio_covered += f64::from(u8::from(
                interval.low <= world.ratio && world.ratio <= interval.high,
            ));
        }
        if let Some(interval) = estimate(&second).interval {
            with_median += 1.0;
            counts.median_covered += f64::from(u8::from(interval.low <= LEVEL && LEVEL <= interval.high));
        }
    }
    let all = f64::from(times);
    Shares {
        faster: counts.faster / all,
        slower: counts.slower / all,
        equivalent: counts.equivalent / all,
        bounded: counts.bounded / all,
        undecided: counts.undecided / all,
        significant: counts.significant / all,
        ratio_covered: counts.ratio_covered / with_ratio,
        median_covered: counts.median_covered / with_median,
    }
}

const LEVEL: f64 = 10_000.0;

fn draw(world: World, random: &mut SplitMix64) -> (Comparison, Sample) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..world.trials {
        let block = (world.block_noise * random.normal()).exp();
        a.push(world.ratio * LEVEL * block * trial(world, random));
        b.push(LEVEL * block * trial(world, random));
    }
    let sample = |values| Sample::new(values).expect("finite by construction");
    let (a, b) = (sample(a), sample(b));
    (compare(&a, &b, Better::Higher, 0.05, world.pairing), b)
}

fn trial(world: World, random: &mut SplitMix64) -> f64 {
    let slowdown = if random.uniform() < world.disturbed {
        0.5
    } else {
        1.0
    };
    slowdown * (world.noise * random.normal()).exp()
}
