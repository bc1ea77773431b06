//! The measured values drawn anew: what the medians would have been in other trials of the same kind.
//!
//! A bootstrap over blocks: each draw takes as many blocks of a series as there are, with replacement, and all candidates
//! and criteria of that series get the same ones, because whatever the machine did in a block hit all of it. Series are
//! drawn independently. Where all trials may have missed the true number in the same direction, each draw also takes a share of the
//! candidate's levels, all of which are equally likely on a logarithmic scale.

use std::collections::{BTreeMap, BTreeSet};

use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

use crate::problem::{Candidate, LevelRange, Observation};
use crate::random::Random;

/// A single value shows no scatter: with fewer sound trials, deviations are widened as those of so many are.
const FEWEST_THAT_SCATTER: usize = 2;
/// What a draw of blocks is for, in the generator's purpose.
const BLOCKS: u64 = 1;
/// What a draw within levels is for; 2 are the weights.
const LEVELS: u64 = 3;

/// The values of one candidate and criterion: where they are in the middle, and how they could have been.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The median of the trials, on the scale of `logarithmic`.
    middle: f64,
    /// The median of every draw.
    values: Vec<f64>,
    /// Number of trials.
    pub trials: usize,
    /// How many of them are sound.
    pub sound: usize,
    /// Whether the scale is the logarithm of the value: where all are positive, since then ratios count.
    logarithmic: bool,
}

impl Drawn {
    fn value(&self, at: f64) -> f64 {
        if self.logarithmic { at.exp2() } else { at }
    }

    /// The median of the trials.
    pub fn median(&self) -> f64 {
        self.value(self.middle)
    }

    /// The median of a draw.
    pub fn at(&self, draw: usize) -> f64 {
        self.value(self.values[draw])
    }

    /// What a draw would be, had there been `more` trials, and had those shown what draw `truth` says: the middle moves
    /// towards the truth, and what doubt there is becomes smaller. With n trials and t more the variance of the middle is
    /// n / (n + t) of what it was, and that of where the middle will be is the rest. Only sound trials are among the n.
    pub fn after(&self, truth: usize, draw: usize, more: usize) -> f64 {
        let (now, more) = (self.sound.max(1) as f64, more as f64);
        let (learnt, left) = ((more / (now + more)).sqrt(), (now / (now + more)).sqrt());
        let middle = self.middle + learnt * (self.values[truth] - self.middle);
        self.value(middle + left * (self.values[draw] - self.middle))
    }
}

/// Draws `draws` times for every one of these candidates and every criterion; all of them were measured.
pub fn draw(candidates: &[&Candidate], draws: usize, seed: u64) -> Vec<Vec<Drawn>> {
    let mut blocks: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
    for one in candidates
        .iter()
        .flat_map(|candidate| candidate.evidence.iter().flatten())
    {
        blocks.entry(one.series).or_default().insert(one.block);
    }
    let mut found: Vec<Vec<(Drawn, Scaled)>> = candidates
        .iter()
        .map(|candidate| {
            candidate
                .evidence
                .iter()
                .zip(&candidate.levels)
                .map(|(observations, levels)| prepare(observations, *levels, draws))
                .collect()
        })
        .collect();
    for number in 0..draws {
        let chosen: BTreeMap<u64, BTreeMap<u32, usize>> = blocks
            .iter()
            .map(|(series, blocks)| {
                let mut random = Random::new(seed, &[BLOCKS, *series, number as u64]);
                let blocks: Vec<u32> = blocks.iter().copied().collect();
                let mut times = BTreeMap::new();
                for _ in 0..blocks.len() {
                    *times.entry(blocks[random.below(blocks.len())]).or_default() += 1;
                }
                (*series, times)
            })
            .collect();
        for row in &mut found {
            for (criterion, (drawn, scaled)) in row.iter_mut().enumerate() {
                let value = scaled.resampled(&chosen, drawn.middle);
                // By the number itself, so that another candidate changes nothing.
                let purpose = [LEVELS, criterion as u64, drawn.middle.to_bits(), number as u64];
                let missed = scaled.missed(|| Random::new(seed, &purpose).share());
                drawn.values.push(value + missed);
            }
        }
    }
    let only = |row: Vec<(Drawn, Scaled)>| row.into_iter().map(|(drawn, _)| drawn).collect();
    found.into_iter().map(only).collect()
}

/// Ascending observations, their scale, and by how much a draw's deviation is widened.
struct Scaled {
    ascending: Vec<Observation>,
    widening: f64,
    levels: LevelRange,
    logarithmic: bool,
}

fn prepare(observations: &[Observation], levels: LevelRange, draws: usize) -> (Drawn, Scaled) {
    let logarithmic = observations.iter().all(|one| one.value > 0.0);
    let mut ascending = observations.to_vec();
    ascending.sort_by(|a, b| a.value.total_cmp(&b.value));
    let times = vec![1; ascending.len()];
    let sound = ascending.iter().filter(|one| one.sound).count();
    // Where all trials may have missed the true number, and it is known how far, they show how far trials scatter all the same.
    let scattering = match levels == LevelRange::SETTLED {
        true => sound,
        false => ascending.len(),
    };
    let scaled = Scaled {
        widening: widening(scattering.max(FEWEST_THAT_SCATTER)),
        ascending,
        levels,
        logarithmic,
    };
    let middle = scaled.median(&times);
    let drawn = Drawn {
        middle,
        values: Vec::with_capacity(draws),
        trials: observations.len(),
        sound,
        logarithmic,
    };
    (drawn, scaled)
}

impl Scaled {
    /// The median of the chosen blocks' values, its deviation widened. When none of the blocks that this candidate has was
    /// chosen, the draw says nothing new.
    fn resampled(&self, chosen: &BTreeMap<u64, BTreeMap<u32, usize>>, middle: f64) -> f64 {
        let times = |one: &Observation| {
            let of_series = chosen.get(&one.series);
            of_series
                .and_then(|blocks| blocks.get(&one.block))
                .copied()
                .unwrap_or(0)
        };
        let times: Vec<usize> = self.ascending.iter().map(times).collect();
        if times.iter().all(|times| *times == 0) {
            return middle;
        }
        middle + self.widening * (self.median(&times) - middle)
    }

    /// How far a draw is from what was measured because all trials missed the true number, on the scale. Only numbers above 0 have shares.
    fn missed(&self, share: impl FnOnce() -> f64) -> f64 {
        if self.levels == LevelRange::SETTLED || !self.logarithmic {
            return 0.0;
        }
        let (low, high) = (self.levels.low.log2(), self.levels.high.log2());
        low + (high - low) * share()
    }

    /// The median of the observations, each taken this many times, on the scale.
    fn median(&self, times: &[usize]) -> f64 {
        let median = weighted_median(&self.ascending, times);
        if self.logarithmic { median.log2() } else { median }
    }
}

/// The median of ascending values, each taken this many times.
fn weighted_median(ascending: &[Observation], times: &[usize]) -> f64 {
    let total: usize = times.iter().sum();
    let at = |rank: usize| {
        let mut below = 0;
        for (one, times) in ascending.iter().zip(times) {
            below += times;
            if rank < below {
                return one.value;
            }
        }
        f64::NAN
    };
    if total % 2 == 1 {
        at(total / 2)
    } else {
        f64::midpoint(at(total / 2 - 1), at(total / 2))
    }
}

/// By how much deviations of few values are widened: the bootstrap's variance is (n-1)/n times too small, and its tails are
/// normal instead of Student's. Only sound trials are counted: the others scatter, too, but nobody knows how far such trials are from
/// the truth. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69
/// (2015), section 5.3, as in `stats::bootstrap`, here on the scale of the deviation.
fn widening(trials: usize) -> f64 {
    let n = trials as f64;
    let quantile = 0.975;
    let student =
        StudentsT::new(0.0, 1.0, n - 1.0).map_or(f64::INFINITY, |student| student.inverse_cdf(quantile));
    (n / (n - 1.0)).sqrt() * student / Normal::standard().inverse_cdf(quantile)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(values: &[f64]) -> Candidate {
        let observation = |(block, value): (usize, &f64)| Observation {
            series: 0,
            block: block as u32,
            value: *value,
            sound: true,
            bounded: true,
        };
        Candidate {
            compliance: crate::Compliance::Shown,
            evidence: vec![values.iter().enumerate().map(observation).collect()],
            levels: vec![LevelRange::SETTLED],
        }
    }

    #[test]
    fn what_a_block_did_to_all_cancels() {
        // Blocks differ tenfold, candidates by exactly 2 in each block.
        let slow = candidate(&[1.0, 10.0, 3.0, 5.0, 8.0]);
        let fast = candidate(&[2.0, 20.0, 6.0, 10.0, 16.0]);
        let drawn = draw(&[&slow, &fast], 500, 1);
        for number in 0..500 {
            let ratio = drawn[1][0].at(number) / drawn[0][0].at(number);
            assert!((ratio - 2.0).abs() < 1e-12, "{ratio}");
        }
    }

    #[test]
    fn few_trials_are_less_sure_than_the_bootstrap_says() {
        assert!((widening(5) - 1.583_7).abs() < 1e-3, "{}", widening(5));
        assert!(widening(2) > 9.0 && widening(1000) < 1.01);
    }

    #[test]
    fn doubtful_trials_make_nothing_surer() {
        let spread = |sound: usize| {
            let mut doubtful = candidate(&[9.0, 10.0, 10.5, 11.0, 12.0, 12.5, 13.0, 13.5]);
            let observations = doubtful.evidence[0].iter_mut();
            observations.skip(sound).for_each(|one| one.sound = false);
            let drawn = draw(&[&doubtful], 2000, 3);
            let drawn = &drawn[0][0];
            let squares = (0..2000).map(|draw| (drawn.at(draw).log2() - drawn.median().log2()).powi(2));
            (drawn.median(), (squares.sum::<f64>() / 2000.0).sqrt())
        };
        let (median, all) = spread(8);
        for sound in [5, 3, 2, 1, 0] {
            let (same, wider) = spread(sound);
            assert!((same - median).abs() < 1e-12, "the median is that of all trials");
            let expected = widening(sound.max(2)) / widening(8);
            assert!(
                (wider / all - expected).abs() < 1e-9,
                "{sound}: {wider} against {all}"
            );
        }
    }

    #[test]
    fn more_trials_leave_less_doubt() {
        let drawn = draw(&[&candidate(&[9.0, 10.0, 11.0, 12.0, 13.0])], 2000, 3);
        let drawn = &drawn[0][0];
        let spread = |of: &dyn Fn(usize) -> f64| {
            let squares = (0..2000).map(|draw| (of(draw).log2() - drawn.median().log2()).powi(2));
            squares.sum::<f64>() / 2000.0
        };
        let before = spread(&|draw| drawn.at(draw));
        // Draw 0's own deviation is the truth here; around where the middle then is, a quarter of the variance is left.
        let moved = drawn.after(0, 0, 15).log2() - drawn.median().log2();
        let left = 0.5 * (drawn.at(0).log2() - drawn.median().log2());
        let centre = moved - left;
        let after = (0..2000).map(|draw| {
            let value = drawn.after(0, draw, 15).log2() - drawn.median().log2();
            (value - centre).powi(2)
        });
        let after = after.sum::<f64>() / 2000.0;
        assert!((after / before - 0.25).abs() < 1e-9, "{after} of {before}");
    }
}
