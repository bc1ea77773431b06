//! Sizes as a factor: how a number grows with the size, and at which size two systems change places.
//!
//! Each block measured every size once, so each block gives a whole curve, and the blocks are what is independent. What is
//! asked of the curves (a slope, a difference at one size) is asked of each block, and the answers are judged like paired
//! differences, by [`signed_rank`]: exact, without a seed. Between two sizes curves are taken as straight on logarithmic
//! scales. Nothing is claimed beyond the smallest and the largest size.

use crate::{CONFIDENCE, estimate::FEWEST_TRIALS, permutation::Shift, signed_rank};

/// Two sizes always lie on a line: only from three on can a fit be wrong, and so be right.
pub const FEWEST_SIZES: usize = 3;

/// Places between two neighbouring sizes at which two curves are compared.
const STEPS: usize = 64;

/// Curves over sizes, one for each block.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Logarithms of the sizes, ascending.
    sizes: Vec<f64>,
    /// For each block, logarithms of the values in the order of the sizes.
    blocks: Vec<Vec<f64>>,
}

/// Why there is nothing to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrowthError {
    /// Fewer than [`FEWEST_SIZES`], or sizes that are not ascending and positive.
    #[error("{0} sizes: a curve needs at least {FEWEST_SIZES}, each larger than the one before")]
    Sizes(usize),
    /// A block does not have one value above zero for each size.
    #[error("a block without a value above zero for every size")]
    Values,
    /// No block at all.
    #[error("no block has every size")]
    NoBlock,
}

/// How a value grows: value ~ size ^ exponent.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// The middle of the blocks' least-squares slopes on logarithmic scales: 0 does not grow, 1 grows like the size.
    pub exponent: f64,
    /// Its 95% interval; `None` below six blocks.
    pub interval: Option<(f64, f64)>,
    /// Whether the curve is shown not to be a power: its last step is steeper or flatter than its first one (p at most
    /// 0.05). The exponent is then an average over the sizes, no law.
    pub bends: bool,
    /// Blocks.
    pub blocks: usize,
}

/// Where two curves cross.
#[derive(Clone, Debug, PartialEq)]
pub enum Crossing {
    /// They do not cross between the smallest and the largest size.
    None {
        /// Whether the first curve is the higher one.
        first_higher: bool,
        /// Whether that is shown at every size (each interval excludes equality).
        shown: bool,
    },
    /// They cross once.
    Once {
        /// The size at which they are equal.
        size: f64,
        /// The smallest and the largest size at which they cannot be distinguished, an end `None` when it would lie beyond what
        /// was measured. Outside `None`: fewer than six blocks.
        interval: Option<(Option<f64>, Option<f64>)>,
        /// Whether the first curve is the higher one above that size.
        first_higher_above: bool,
    },
    /// They cross several times, so often.
    Several(usize),
}

impl Curves {
    /// Checks sizes and values: one value for each size in each block.
    ///
    /// # Errors
    /// See [`GrowthError`].
    pub fn new(sizes: &[f64], blocks: &[Vec<f64>]) -> Result<Self, GrowthError> {
        let ascending = sizes.windows(2).all(|pair| pair[0] < pair[1]);
        let positive = |values: &[f64]| values.iter().all(|value| value.is_finite() && *value > 0.0);
        if sizes.len() < FEWEST_SIZES || !ascending || !positive(sizes) {
            return Err(GrowthError::Sizes(sizes.len()));
        }
        if blocks.is_empty() {
            return Err(GrowthError::NoBlock);
        }
        if blocks
            .iter()
            .any(|block| block.len() != sizes.len() || !positive(block))
        {
            return Err(GrowthError::Values);
        }
        let logarithms = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
        Ok(Self {
            sizes: logarithms(sizes),
            blocks: blocks.iter().map(|block| logarithms(block)).collect(),
        })
    }

    /// The exponent of their growth, with its interval.
    #[must_use]
    pub fn growth(&self) -> Growth {
        let slopes: Vec<f64> = self
            .blocks
            .iter()
            .map(|block| slope(&self.sizes, block))
            .collect();
        let last = self.sizes.len() - 1;
        let step = |block: &[f64], from: usize| {
            (block[from + 1] - block[from]) / (self.sizes[from + 1] - self.sizes[from])
        };
        let bends: Vec<f64> = self
            .blocks
            .iter()
            .map(|block| step(block, last - 1) - step(block, 0))
            .collect();
        let exponent = middle(slopes);
        let p_value = signed_rank::p_value(&bends, signed_rank::largest_score(bends.len()));
        Growth {
            exponent: exponent.estimate,
            interval: exponent.interval,
            bends: bends.len() >= FEWEST_TRIALS && p_value <= 1.0 - CONFIDENCE,
            blocks: self.blocks.len(),
        }
    }

    /// Where these curves cross the other ones; both have the same sizes and, place by place, the same blocks. `None` when
    /// they have not.
    ///
    /// The interval holds every size at which the blocks' differences are compatible with none: it would leave out the true
    /// crossing as rarely as the interval of a ratio leaves out the true ratio (after Fieller, "Some Problems in Interval
    /// Estimation", Journal of the Royal Statistical Society B 16, 1954).
    #[must_use]
    pub fn crossing(&self, other: &Self) -> Option<Crossing> {
        if self.sizes != other.sizes || self.blocks.len() != other.blocks.len() {
            return None;
        }
        let differences: Vec<Vec<f64>> = self
            .blocks
            .iter()
            .zip(&other.blocks)
            .map(|(first, second)| first.iter().zip(second).map(|(a, b)| a - b).collect())
            .collect();
        let places = places(&self.sizes);
        let shifts: Vec<Shift> = places
            .iter()
            .map(|&(_, from, share)| {
                middle(
                    differences
                        .iter()
                        .map(|block| block[from] + share * (block[from + 1] - block[from]))
                        .collect(),
                )
            })
            .collect();
        let signs: Vec<(usize, bool)> = shifts
            .iter()
            .enumerate()
            .filter(|(_, shift)| shift.estimate != 0.0)
            .map(|(place, shift)| (place, shift.estimate > 0.0))
            .collect();
        let crossings: Vec<(usize, usize)> = signs
            .windows(2)
            .filter(|pair| pair[0].1 != pair[1].1)
            .map(|pair| (pair[0].0, pair[1].0))
            .collect();
        let open = |shift: &Shift| shift.interval.is_none_or(|(low, high)| low <= 0.0 && high >= 0.0);
        let crossings = match (crossings.first(), crossings.last()) {
            // To and fro where nothing is told apart is one crossing or none, by how it ends.
            (Some(&(first, _)), Some(&(_, last))) if shifts[first..=last].iter().all(open) => {
                let middle = crossings[crossings.len() / 2];
                if crossings.len() % 2 == 1 {
                    vec![middle]
                } else {
                    Vec::new()
                }
            }
            _ => crossings,
        };
        Some(match crossings.as_slice() {
            [] => Crossing::None {
                first_higher: signs.first().is_some_and(|(_, higher)| *higher),
                shown: !shifts.iter().any(open),
            },
            &[(before, after)] => {
                let (below, above) = (shifts[before].estimate, shifts[after].estimate);
                let share = below / (below - above);
                let log_size = places[before].0 + share * (places[after].0 - places[before].0);
                // Where the crossing lies between two places, both may be closed: then it lies between them.
                let first = shifts.iter().position(open).unwrap_or(after);
                let last = shifts.iter().rposition(open).unwrap_or(before);
                let edge = |closed: usize, open: usize| edge((&places, &shifts), closed, open).exp();
                let interval = shifts[0].interval.is_some().then(|| {
                    let low = first.checked_sub(1).map(|closed| edge(closed, first));
                    let high = (last + 1 < shifts.len()).then(|| edge(last + 1, last));
                    (low, high)
                });
                Crossing::Once {
                    size: log_size.exp(),
                    interval,
                    first_higher_above: above > 0.0,
                }
            }
            several => Crossing::Several(several.len()),
        })
    }
}

type Compared<'a> = (&'a [Place], &'a [Shift]);

/// The logarithm of the size between a place that excludes equality and its neighbour that does not, at which the interval
/// begins to hold it.
fn edge((places, shifts): Compared<'_>, closed: usize, open: usize) -> f64 {
    let (Some(outside), Some(inside)) = (shifts[closed].interval, shifts[open].interval) else {
        return places[open].0;
    };
    // The end that is on its way through zero.
    let (from, to) = if outside.0 > 0.0 {
        (outside.0, inside.0)
    } else {
        (outside.1, inside.1)
    };
    let share = if from == to {
        1.0
    } else {
        (from / (from - to)).clamp(0.0, 1.0)
    };
    places[closed].0 + share * (places[open].0 - places[closed].0)
}

/// The middle of blocks' answers and its interval.
fn middle(mut answers: Vec<f64>) -> Shift {
    answers.sort_unstable_by(f64::total_cmp);
    signed_rank::shift(&answers, signed_rank::largest_score(answers.len()), CONFIDENCE)
}

/// Least-squares slope; the sizes differ.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        above += (x - mean) * y;
        below += (x - mean).powi(2);
    }
    above / below
}

/// Where curves are compared: `(log size, index of the size below, share of the way to the next)`.
type Place = (f64, usize, f64);

fn places(sizes: &[f64]) -> Vec<Place> {
    let mut places = Vec::with_capacity((sizes.len() - 1) * STEPS + 1);
    for (from, pair) in sizes.windows(2).enumerate() {
        for step in 0..STEPS {
            let share = step as f64 / STEPS as f64;
            places.push((pair[0] + share * (pair[1] - pair[0]), from, share));
        }
    }
    places.push((sizes[sizes.len() - 1], sizes.len() - 2, 1.0));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZES: [f64; 4] = [1e3, 1e4, 1e5, 1e6];

    /// Blocks of `level * (size / 1e3) ^ exponent`, each value disturbed a little.
    fn planted(level: f64, exponent: f64, noise: &[Vec<f64>]) -> Curves {
        let blocks: Vec<Vec<f64>> = noise
            .iter()
            .map(|row| {
                row.iter()
                    .zip(SIZES)
                    .map(|(noise, size)| level * (size / 1e3).powf(exponent) * noise.exp())
                    .collect()
            })
            .collect();
        Curves::new(&SIZES, &blocks).unwrap()
    }

    fn quiet(blocks: usize) -> Vec<Vec<f64>> {
        (0..blocks)
            .map(|block| {
                (0..SIZES.len())
                    .map(|size| ((block * 7 + size * 3) as f64).sin() * 0.02)
                    .collect()
            })
            .collect()
    }

    fn noise(size: f64) -> impl Strategy<Value = Vec<Vec<f64>>> {
        proptest::collection::vec(proptest::collection::vec(-size..size, 4), 6..14)
    }

    #[test]
    fn what_is_no_curve_is_refused() {
        let blocks = [vec![1.0, 2.0, 3.0]];
        assert_eq!(
            Curves::new(&[1.0, 2.0], &[vec![1.0, 2.0]]),
            Err(GrowthError::Sizes(2))
        );
        assert_eq!(Curves::new(&[1.0, 2.0, 2.0], &blocks), Err(GrowthError::Sizes(3)));
        assert_eq!(Curves::new(&[1.0, 2.0, 3.0], &[]), Err(GrowthError::NoBlock));
        assert_eq!(
            Curves::new(&[1.0, 2.0, 3.0], &[vec![1.0, 0.0, 1.0]]),
            Err(GrowthError::Values)
        );
        assert!(Curves::new(&[1.0, 2.0, 3.0], &blocks).is_ok());
    }

    #[test]
    fn five_blocks_give_an_exponent_without_an_interval() {
        let growth = planted(5.0, 0.5, &quiet(5)).growth();
        assert!((growth.exponent - 0.5).abs() < 0.02 && growth.interval.is_none() && !growth.bends);
    }

    #[test]
    fn a_curve_that_falls_off_bends() {
        let blocks: Vec<Vec<f64>> = quiet(8)
            .iter()
            .map(|row| {
                [1000.0, 990.0, 900.0, 200.0]
                    .iter()
                    .zip(row)
                    .map(|(value, noise)| value * noise.exp())
                    .collect()
            })
            .collect();
        assert!(Curves::new(&SIZES, &blocks).unwrap().growth().bends);
    }

    #[test]
    fn curves_apart_do_not_cross_and_their_order_is_shown() {
        let (high, low) = (planted(200.0, 0.1, &quiet(8)), planted(100.0, 0.1, &quiet(8)));
        let none = |first_higher| {
            Some(Crossing::None {
                first_higher,
                shown: true,
            })
        };
        assert_eq!(high.crossing(&low), none(true));
        assert_eq!(low.crossing(&high), none(false));
        let other_sizes = Curves::new(&[1.0, 2.0, 3.0], &[vec![1.0; 3]]).unwrap();
        assert_eq!(high.crossing(&other_sizes), None);
    }

    #[test]
    fn crossings_that_come_and_go_are_counted() {
        let values = |values: [f64; 4]| Curves::new(&SIZES, &vec![values.to_vec(); 6]).unwrap();
        let (flat, zigzag) = (values([1.0; 4]), values([0.5, 2.0, 0.5, 2.0]));
        assert_eq!(flat.crossing(&zigzag), Some(Crossing::Several(3)));
    }

    /// A crossing whose place is uncertain up to the end of what was measured has no end there: nothing is extrapolated.
    #[test]
    fn an_interval_ends_with_what_was_measured() {
        let wild: Vec<Vec<f64>> = quiet(8)
            .iter()
            .map(|row| row.iter().map(|noise| noise * 20.0).collect())
            .collect();
        let (a, b) = (planted(100.0, 0.10, &wild), planted(125.0, 0.05, &quiet(8)));
        let Some(Crossing::Once {
            interval: Some((low, high)),
            ..
        }) = a.crossing(&b)
        else {
            panic!("{:?}", a.crossing(&b));
        };
        assert!(low.is_none() || high.is_none(), "{low:?} {high:?}");
    }

    proptest! {
        #[test]
        fn a_planted_exponent_is_found(exponent in -1.0..1.5f64, noise in noise(0.05)) {
            let growth = planted(700.0, exponent, &noise).growth();
            prop_assert!((growth.exponent - exponent).abs() < 0.02, "{growth:?}");
            let (low, high) = growth.interval.unwrap();
            prop_assert!(low <= growth.exponent && growth.exponent <= high && high - low < 0.05);
        }

        /// Two powers that meet at a known size, anywhere within the range.
        #[test]
        fn a_planted_crossing_is_found(at in 3.3..5.7f64, steeper in 0.2..0.8f64, noise in noise(0.02)) {
            let rising = planted(100.0, steeper, &noise);
            let level = 100.0 * 10_f64.powf((at - 3.0) * steeper);
            let flat = planted(level, 0.0, &quiet(noise.len()));
            let Some(Crossing::Once { size, interval, first_higher_above }) = rising.crossing(&flat) else {
                panic!("{:?}", rising.crossing(&flat));
            };
            prop_assert!(first_higher_above);
            prop_assert!((size.log10() - at).abs() < 0.15, "{} for {at}", size.log10());
            let (low, high) = interval.unwrap();
            prop_assert!(low.is_none_or(|low| low <= size) && high.is_none_or(|high| size <= high));
            // The other way round it is the same place.
            let Some(Crossing::Once { size: back, first_higher_above, .. }) = flat.crossing(&rising) else {
                panic!("it crosses one way only");
            };
            prop_assert!((back / size - 1.0).abs() < 1e-9 && !first_higher_above);
        }

        #[test]
        fn the_unit_of_sizes_and_values_does_not_matter(scale in 1e-3..1e3f64, noise in noise(0.05)) {
            let blocks = |by: f64| -> Vec<Vec<f64>> {
                noise.iter().map(|row| row.iter().map(|noise| by * noise.exp()).collect()).collect()
            };
            let plain = Curves::new(&SIZES, &blocks(1.0)).unwrap().growth();
            let scaled = Curves::new(&SIZES.map(|size| size * scale), &blocks(scale)).unwrap().growth();
            prop_assert!((plain.exponent - scaled.exponent).abs() < 1e-9);
        }
    }

    /// Over many simulated studies the intervals hold what was planted about as often as they say.
    #[test]
    fn intervals_hold_the_planted_truth() {
        let mut state = 1_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        // The sum of twelve uniform numbers less six is nearly normal.
        let mut draw = || -> Vec<Vec<f64>> {
            (0..10)
                .map(|_| {
                    (0..4)
                        .map(|_| 0.05 * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0))
                        .collect()
                })
                .collect()
        };
        let times = 300;
        let (mut exponents, mut crossings) = (0, 0);
        for _ in 0..times {
            let rising = planted(100.0, 0.3, &draw());
            let flat = planted(100.0 * 10_f64.powf(1.5 * 0.3), 0.0, &draw());
            let (low, high) = rising.growth().interval.unwrap();
            exponents += u32::from(low <= 0.3 && 0.3 <= high);
            if let Some(Crossing::Once {
                interval: Some((low, high)),
                ..
            }) = rising.crossing(&flat)
            {
                let truth = 10_f64.powf(4.5);
                crossings +=
                    u32::from(low.is_none_or(|low| low <= truth) && high.is_none_or(|high| truth <= high));
            }
        }
        // 300 draws: three standard errors are 3.8%.
        let share = |hits: u32| f64::from(hits) / f64::from(times);
        assert!((0.915..=0.99).contains(&share(exponents)), "{}", share(exponents));
        assert!(
            (0.915..=0.999).contains(&share(crossings)),
            "{}",
            share(crossings)
        );
    }
}
