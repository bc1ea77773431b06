//! Whole studies whose truth is known, analysed as a report analyses them.

use std::collections::BTreeMap;

use dbdyno_random::SplitMix64;
use dbdyno_stats::covariate::{Observation, slope};
use dbdyno_stats::pooled::{Analysis, CellValues, Pair, Question, analyse};
use dbdyno_stats::{Better, MARGIN, Word};

use super::recorded::{Recorded, SLOW};

/// A study of one metric: in each cell, the systems are compared pair by pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Family {
    pub cells: usize,
    pub systems: usize,
    /// Blocks, with one trial of every system and cell in each.
    pub blocks: usize,
    /// How many times the first system of every cell is as fast as the others.
    pub ratio: f64,
    pub noise: Noise,
    /// The machine's speed, where it changes.
    pub speed: Option<Speed>,
}

impl Family {
    /// Three systems, seven cells, six blocks: 21 comparisons.
    pub const STANDARD: Family = Family {
        cells: 7,
        systems: 3,
        blocks: 6,
        ratio: 1.0,
        noise: Noise::Normal {
            own: 0.08,
            shared: 0.0,
        },
        speed: None,
    };
}

/// What moves a trial away from its system's level. Standard deviations are those of logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Normal: of each trial, and shared by the trials of a block and cell.
    Normal { own: f64, shared: f64 },
    /// Student's t with three degrees of freedom times this.
    HeavyTails(f64),
    /// Normal, its standard deviation times `exp(normal / 2)` for each system and cell.
    Uneven(f64),
    /// Normal, and the first cell eight times as noisy as the others.
    OneNoisyCell(f64),
    /// 4%, and a fifth of trials at 0.52x: drawn for each block and cell, whose systems are measured in turns, and so share it.
    ModesShared,
    /// The modes of [`ModesShared`](Self::ModesShared), drawn for each cell and batch: each block divides the systems into two at random.
    ModesInBatches,
    /// The modes of [`ModesShared`](Self::ModesShared), drawn for each trial.
    ModesOwn,
    /// The modes of [`ModesShared`](Self::ModesShared), in spells of ten trials on average, one after the other.
    ModesInSpells,
    /// 4%, and one trial of each cell at 0.52x.
    OneWildTrial,
    /// As recorded, trials one after the other.
    RecordedBlocks,
    /// As recorded, measured in turns; the machine changes its mode in the middle of this share of the blocks.
    RecordedTurns { changes: f64 },
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

/// The results, as shares.
#[derive(Clone, Copy, Debug, Default)]
pub struct FamilyShares {
    /// Studies in which at least one of two equal systems, or the slower of two, was called faster.
    pub any_false: f64,
    /// Comparisons of unequal systems that were decided for the faster one.
    pub found: f64,
    /// Comparisons that were decided, or bounded.
    pub answered: f64,
    /// Intervals that hold the true ratio.
    pub covered: f64,
}

/// Draws `times` studies. Equal seeds give equal shares.
pub fn simulate_family(world: Family, times: u32, seed: u64) -> FamilyShares {
    let recorded = Recorded::read();
    let mut random = SplitMix64::new(seed);
    let mut sums = FamilyShares::default();
    let (mut unequal, mut all) = (0.0, 0.0);
    let one = |condition: bool| f64::from(u8::from(condition));
    for _ in 0..times {
        let (truths, analysis) = study(world, &recorded, &mut random);
        let judged = || truths.iter().copied().zip(&analysis.comparisons);
        let wrong = judged().any(|(truth, comparison)| match comparison.word {
            Word::Faster => truth <= 1.0,
            Word::Slower => truth >= 1.0,
            _ => false,
        });
        sums.any_false += one(wrong);
        for (truth, comparison) in judged() {
            all += 1.0;
            sums.answered += one(comparison.word != Word::Undecided);
            let interval = comparison.interval;
            sums.covered += one(interval.is_some_and(|own| own.low <= truth && truth <= own.high));
            if truth != 1.0 {
                unequal += 1.0;
                sums.found += one(comparison.word == Word::Faster);
            }
        }
    }
    FamilyShares {
        any_false: sums.any_false / f64::from(times),
        found: sums.found / unequal,
        answered: sums.answered / all,
        covered: sums.covered / all,
    }
}

/// One study: the true ratio of every comparison, and what the analysis makes of it.
fn study(world: Family, recorded: &Recorded, random: &mut SplitMix64) -> (Vec<f64>, Analysis) {
    let mut pairs = Vec::new();
    for cell in 0..world.cells {
        for a in 0..world.systems {
            pairs.extend((a + 1..world.systems).map(|b| Pair { cell, a, b }));
        }
    }
    let measured = measured(world, recorded, random);
    let cell = |cell: usize| CellValues {
        systems: measured.iter().map(|cells| by_block(&cells[cell])).collect(),
    };
    let cells: Vec<CellValues> = (0..world.cells).map(cell).collect();
    let analysis = analyse(&Question {
        cells: &cells,
        pairs: &pairs,
        twins: &[],
        better: Better::Higher,
        margin: MARGIN,
    });
    let truth = |pair: &Pair| if pair.a == 0 { world.ratio } else { 1.0 };
    (pairs.iter().map(truth).collect(), analysis)
}

fn by_block(logarithms: &[f64]) -> BTreeMap<u32, f64> {
    let values = logarithms.iter().map(|value| 1000.0 * value.exp());
    (0..).zip(values).collect()
}

/// Logarithms of what is measured of a system: cell by cell, block by block.
type Measured = Vec<Vec<f64>>;

fn measured(world: Family, recorded: &Recorded, random: &mut SplitMix64) -> Vec<Measured> {
    let mut all = vec![vec![Vec::new(); world.cells]; world.systems];
    let mut noise = Source::new(world, recorded, random);
    for block in 0..world.blocks {
        let of_block = noise.block(block, random);
        for (system, cells) in all.iter_mut().enumerate() {
            let level = if system == 0 { world.ratio.ln() } else { 0.0 };
            let start = world
                .speed
                .map(|speed| (speed.spread * random.normal(), speed.starts * random.normal()));
            for (cell, noise) in cells.iter_mut().zip(&of_block) {
                let (covariate, moved) = match world.speed.zip(start) {
                    Some((speed, (of_start, luck))) => {
                        let covariate = of_start + speed.spread / 3.0 * random.normal();
                        let own = speed.slope * (0.6 + 0.4 * system as f64);
                        (covariate, luck + own * covariate)
                    }
                    None => (0.0, 0.0),
                };
                cell.push(Observation {
                    covariate,
                    value: level + noise[system] + moved,
                });
            }
        }
    }
    let adjusted = world.speed.is_some_and(|speed| speed.adjusted);
    let pooled: Vec<Vec<Observation>> = all.iter().flatten().cloned().collect();
    let slope = slope(&pooled)
        .filter(|_| adjusted)
        .map_or(0.0, |found| found.slope);
    let level = |one: &Observation| one.value - slope * one.covariate;
    let of_system = |cells: &Vec<Vec<Observation>>| {
        let of_cell = |cell: &Vec<Observation>| cell.iter().map(level).collect();
        cells.iter().map(of_cell).collect()
    };
    all.iter().map(of_system).collect()
}

/// The noise of one study, block by block.
struct Source<'a> {
    world: Family,
    recorded: &'a Recorded,
    /// Factors of the noise, of each cell's systems.
    factors: Vec<Vec<f64>>,
    /// Block and system of each cell's wild trial.
    wild: Vec<(usize, usize)>,
    /// Which of two batches each system is in, in this block.
    batches: Vec<usize>,
    /// Whether the machine is slow now.
    is_slow: bool,
}

impl<'a> Source<'a> {
    fn new(world: Family, recorded: &'a Recorded, random: &mut SplitMix64) -> Self {
        let factor = |cell: usize, random: &mut SplitMix64| match world.noise {
            Noise::Uneven(_) => (0.5 * random.normal()).exp(),
            Noise::OneNoisyCell(_) if cell == 0 => 8.0,
            _ => 1.0,
        };
        let factors = (0..world.cells)
            .map(|cell| (0..world.systems).map(|_| factor(cell, random)).collect())
            .collect();
        let wild = (0..world.cells)
            .map(|_| {
                let below = |bound: usize, random: &mut SplitMix64| random.below(bound as u64) as usize;
                (below(world.blocks, random), below(world.systems, random))
            })
            .collect();
        Self {
            world,
            recorded,
            factors,
            wild,
            batches: vec![0; world.systems],
            is_slow: random.uniform() < 0.2,
        }
    }

    /// What moves the trials of one block: cell by cell, system by system.
    fn block(&mut self, block: usize, random: &mut SplitMix64) -> Vec<Vec<f64>> {
        if self.world.noise == Noise::ModesInBatches {
            let first = self.world.systems.div_ceil(2);
            for (place, system) in in_random_order(self.world.systems, random)
                .into_iter()
                .enumerate()
            {
                self.batches[system] = usize::from(place >= first);
            }
        }
        (0..self.world.cells)
            .map(|cell| self.cell(block, cell, random))
            .collect()
    }

    fn cell(&mut self, block: usize, cell: usize, random: &mut SplitMix64) -> Vec<f64> {
        let systems = self.world.systems;
        let factors = self.factors[cell].clone();
        let normal = |deviation: f64, random: &mut SplitMix64| -> Vec<f64> {
            factors
                .iter()
                .map(|factor| deviation * factor * random.normal())
                .collect()
        };
        let slow = |is_slow: bool| if is_slow { SLOW.ln() } else { 0.0 };
        match self.world.noise {
            Noise::Normal { own, shared } => {
                let shared = shared * random.normal();
                let own = normal(own, random);
                own.into_iter().map(|value| value + shared).collect()
            }
            Noise::HeavyTails(scale) => (0..systems).map(|_| scale * student_3(random)).collect(),
            Noise::Uneven(deviation) | Noise::OneNoisyCell(deviation) => normal(deviation, random),
            Noise::ModesShared => {
                let shared = slow(random.uniform() < 0.2);
                let own = normal(0.04, random);
                own.into_iter().map(|value| value + shared).collect()
            }
            Noise::ModesInBatches => {
                let modes = [(); 2].map(|()| slow(random.uniform() < 0.2));
                let mut own = normal(0.04, random);
                for (system, value) in own.iter_mut().enumerate() {
                    *value += modes[self.batches[system]];
                }
                own
            }
            Noise::ModesOwn => {
                let mut own = normal(0.04, random);
                own.iter_mut()
                    .for_each(|value| *value += slow(random.uniform() < 0.2));
                own
            }
            Noise::ModesInSpells => {
                let mut own = normal(0.04, random);
                for system in in_random_order(systems, random) {
                    // A fifth of the time slow, spells of ten slow trials.
                    let changes = if self.is_slow { 0.1 } else { 0.025 };
                    self.is_slow ^= random.uniform() < changes;
                    own[system] += slow(self.is_slow);
                }
                own
            }
            Noise::OneWildTrial => {
                let mut own = normal(0.04, random);
                let (wild_block, system) = self.wild[cell];
                own[system] += slow(wild_block == block);
                own
            }
            Noise::RecordedBlocks => {
                let series = self.recorded.one_after_the_other(systems, random);
                let order = in_random_order(systems, random);
                order.into_iter().map(|place| series[place]).collect()
            }
            Noise::RecordedTurns { changes } => {
                let series = self.recorded.in_turns(systems, changes, random);
                let order = in_random_order(systems, random);
                order.into_iter().map(|place| series[place]).collect()
            }
        }
    }
}

fn in_random_order(systems: usize, random: &mut SplitMix64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..systems).collect();
    for place in (1..systems).rev() {
        order.swap(place, random.below(place as u64 + 1) as usize);
    }
    order
}

fn student_3(random: &mut SplitMix64) -> f64 {
    let squares: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
    random.normal() / (squares / 3.0).sqrt()
}
