//! Whole studies whose truth is known: many comparisons, judged together as a report judges them.

use dbdyno_stats::covariate::{Observation, slope};
use dbdyno_stats::{Better, Comparison, Pairing, Sample, SplitMix64, Verdict, compare_among, family};

/// A study of one metric: so many cells, each with three systems that are compared pair by pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Family {
    /// Cells of three systems: three comparisons each.
    pub cells: usize,
    /// Blocks, with one trial of every system and cell in each.
    pub blocks: usize,
    /// How many times the first system of every cell is as fast as the other two.
    pub ratio: f64,
    /// Standard deviation of the logarithm of a trial.
    pub noise: f64,
    /// Standard deviation of the logarithm of what the systems' trials of a block and cell share.
    pub block_noise: f64,
    /// The machine's speed, where it changes.
    pub speed: Option<Speed>,
}

/// A machine whose speed changes from start to start of the systems' servers, and a little from trial to trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Standard deviation of the logarithm of the reference work's time, as the trials of one start share it; a third of it more between
    /// these.
    pub spread: f64,
    /// What throughput makes of it: the second system of a cell; the first four tenths less, the third four tenths more.
    pub slope: f64,
    /// Standard deviation of the logarithm of what else the trials of one start share.
    pub starts: f64,
    /// Whether throughputs are compared as at the usual speed.
    pub adjusted: bool,
}

/// What came out, as shares.
#[derive(Clone, Copy, Debug, Default)]
pub struct FamilyShares {
    /// Studies in which at least one of two equal systems, or the slower of two, was called faster.
    pub any_false: f64,
    /// Comparisons of unequal systems that were decided for the faster one.
    pub found: f64,
}

/// The systems of a cell.
const SYSTEMS: usize = 3;
/// How their slopes differ.
const SLOPES: [f64; SYSTEMS] = [0.6, 1.0, 1.4];

/// Draws `times` studies. Equal seeds give equal shares.
pub fn simulate_family(world: Family, times: u32, seed: u64) -> FamilyShares {
    let mut random = SplitMix64::new(seed);
    let (mut any_false, mut found, mut unequal) = (0.0, 0.0, 0.0);
    for _ in 0..times {
        let judged = judge(world, &mut random);
        let wrong = |(truth, verdict): &(f64, Verdict)| match verdict {
            Verdict::Faster => *truth <= 1.0,
            Verdict::Slower => *truth >= 1.0,
            _ => false,
        };
        any_false += f64::from(u8::from(judged.iter().any(wrong)));
        for (truth, verdict) in judged {
            if truth != 1.0 {
                unequal += 1.0;
                found += f64::from(u8::from(verdict == Verdict::Faster));
            }
        }
    }
    FamilyShares {
        any_false: any_false / f64::from(times),
        found: found / unequal,
    }
}

/// One study: the true ratio and the verdict of every comparison.
fn judge(world: Family, random: &mut SplitMix64) -> Vec<(f64, Verdict)> {
    let comparisons = world.cells * SYSTEMS * (SYSTEMS - 1) / 2;
    let mut all: Vec<(f64, Comparison)> = Vec::new();
    let values = measured(world, random);
    for cell in 0..world.cells {
        let samples = values.each_ref().map(|cells| {
            let values = cells[cell].iter().map(|value| 1000.0 * value.exp());
            Sample::new(values.collect()).expect("finite by construction")
        });
        for first in 0..SYSTEMS {
            for second in first + 1..SYSTEMS {
                let truth = if first == 0 { world.ratio } else { 1.0 };
                let (a, b) = (&samples[first], &samples[second]);
                let compared = compare_among(a, b, Better::Higher, 0.05, Pairing::Blocks, comparisons);
                all.push((truth, compared));
            }
        }
    }
    let claimed = |verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
    let plain: Vec<(f64, bool)> = all
        .iter()
        .map(|(_, compared)| (compared.p_value.unwrap_or(1.0), claimed(compared.verdict)))
        .collect();
    let corrected = family::correct(&plain).into_iter().zip(all);
    corrected
        .map(|(corrected, (truth, compared))| match corrected.open {
            Some(_) => (truth, Verdict::Undecided),
            None => (truth, compared.verdict),
        })
        .collect()
}

/// Logarithms of what is measured of a system: cell by cell, block by block.
type Measured = Vec<Vec<f64>>;

fn measured(world: Family, random: &mut SplitMix64) -> [Measured; SYSTEMS] {
    let mut all = [const { Vec::new() }; SYSTEMS];
    for system in &mut all {
        *system = vec![Vec::new(); world.cells];
    }
    for _ in 0..world.blocks {
        let shared: Vec<f64> = (0..world.cells)
            .map(|_| world.block_noise * random.normal())
            .collect();
        for (system, cells) in all.iter_mut().enumerate() {
            let level = if system == 0 { world.ratio.ln() } else { 0.0 };
            let start = world
                .speed
                .map(|speed| (speed.spread * random.normal(), speed.starts * random.normal()));
            for (cell, shared) in cells.iter_mut().zip(&shared) {
                let noise = world.noise * random.normal();
                let (covariate, moved) = match world.speed.zip(start) {
                    Some((speed, (of_start, luck))) => {
                        let covariate = of_start + speed.spread / 3.0 * random.normal();
                        (covariate, luck + SLOPES[system] * speed.slope * covariate)
                    }
                    None => (0.0, 0.0),
                };
                cell.push(Observation {
                    covariate,
                    value: level + shared + noise + moved,
                });
            }
        }
    }
    let adjusted = world.speed.is_some_and(|speed| speed.adjusted);
    let pooled: Vec<Vec<Observation>> = all.iter().flatten().cloned().collect();
    let slope = slope(&pooled)
        .filter(|_| adjusted)
        .map_or(0.0, |found| found.slope);
    all.map(|cells: Vec<Vec<Observation>>| {
        let level = |one: Observation| one.value - slope * one.covariate;
        cells
            .into_iter()
            .map(|cell| cell.into_iter().map(level).collect())
            .collect()
    })
}
