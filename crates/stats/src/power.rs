//! What a study will be able to show, before it runs.

use crate::compare::{Method, Pairing, method};
use crate::{CONFIDENCE, Sample, SplitMix64, family, permutation, signed_rank};

/// Simulated comparisons of one question.
const DRAWS: usize = 400;
/// The share of the cases in which a difference is to be found.
pub const POWER: f64 = 0.9;

/// What is known of a study before it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// Blocks: trials of each system in each cell.
    pub blocks: usize,
    /// Comparisons of one metric in the whole study.
    pub comparisons: usize,
    /// Standard deviation of the logarithm of a trial.
    pub noise: f64,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// Whether a system is measured against itself: then no difference is claimed that its interval reaches.
    pub against_itself: bool,
}

impl Design {
    /// Whether any comparison can be called faster or slower, whatever the trials will be.
    #[must_use]
    pub fn can_decide(&self) -> bool {
        family::can_decide(
            permutation::smallest_p(self.blocks, self.blocks),
            self.comparisons,
        )
    }

    /// The smallest difference, as a share, that is called faster or slower in nine of ten cases; `None` when no difference is.
    ///
    /// Simulated on normal logarithms with a constant seed. Tests and intervals move with the data: noise alone gives, for
    /// each draw, the smallest shift that would have been significant among so many comparisons, and beyond the margin. Blocks share nothing: what
    /// they do share helps within blocks and hurts elsewhere.
    #[must_use]
    pub fn smallest_difference(&self) -> Option<f64> {
        Draws::of(self)?.smallest_difference(self.noise)
    }
}

/// Draws of the trials of a design at a noise of one. Shifts and their intervals scale with the noise, so they answer for any.
pub(crate) struct Draws {
    drawn: Vec<Drawn>,
    margin: f64,
}

struct Drawn {
    /// The shift from which on the test is significant.
    significant: f64,
    /// The estimate without a shift.
    estimate: f64,
    /// How far the A/A interval reaches.
    reach: Option<f64>,
}

impl Draws {
    /// `None` when no difference can be called faster or slower.
    pub(crate) fn of(design: &Design) -> Option<Self> {
        let mut random = SplitMix64::new(1);
        design.can_decide().then(|| Self {
            drawn: (0..DRAWS).map(|_| Drawn::of(design, &mut random)).collect(),
            margin: design.margin,
        })
    }

    /// See [`Design::smallest_difference`].
    pub(crate) fn smallest_difference(&self, noise: f64) -> Option<f64> {
        let needed = |drawn: &Drawn| {
            let beyond = drawn
                .reach
                .map_or(f64::NEG_INFINITY, |reach| reach - drawn.estimate);
            let beyond_margin = self.margin.ln_1p() - noise * drawn.estimate;
            (noise * drawn.significant.max(beyond)).max(beyond_margin)
        };
        let mut needed: Vec<f64> = self.drawn.iter().map(needed).collect();
        needed.sort_unstable_by(f64::total_cmp);
        let needed = needed[(POWER * DRAWS as f64) as usize];
        needed.is_finite().then(|| needed.exp_m1())
    }
}

impl Drawn {
    fn of(design: &Design, random: &mut SplitMix64) -> Self {
        let comparisons = design.comparisons.max(1);
        let confidence = 1.0 - (1.0 - CONFIDENCE) / comparisons as f64;
        let shift = shift(design.blocks, random, confidence, comparisons);
        let reach = design.against_itself.then(|| {
            let same = self::shift(design.blocks, random, CONFIDENCE, 1);
            same.interval
                .map_or(same.estimate.abs(), |(low, high)| high.max(-low))
        });
        Self {
            significant: shift.interval.map_or(f64::INFINITY, |(low, _)| -low),
            estimate: shift.estimate,
            reach,
        }
    }
}

/// The shift between two equal systems.
fn shift(blocks: usize, random: &mut SplitMix64, confidence: f64, comparisons: usize) -> permutation::Shift {
    let mut draw = || -> Vec<f64> { (0..blocks).map(|_| random.normal()).collect() };
    let (a, b) = (draw(), draw());
    match method((blocks, blocks), Pairing::Blocks, comparisons) {
        Method::BlockRatios => {
            let mut differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            differences.sort_unstable_by(f64::total_cmp);
            signed_rank::shift(&differences, signed_rank::largest_score(blocks), confidence)
        }
        _ => permutation::shift(&a, &b, confidence),
    }
}

/// The standard deviation of a trial's logarithm, from earlier trials of several cells: the median of the cells' variances, each
/// divided by what the median of such a variance is expected to be. A cell that went wild does not move it. `None` without a cell of two trials.
#[must_use]
pub fn noise(cells: &[Sample]) -> Option<f64> {
    let variance = |cell: &Sample| -> Option<f64> {
        let values = cell.logarithms().filter(|values| values.len() > 1)?;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let freedom = (values.len() - 1) as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / freedom;
        // Wilson and Hilferty's approximation of the median of a chi-squared variable over its degrees of freedom.
        Some(variance / (1.0 - 2.0 / (9.0 * freedom)).powi(3))
    };
    let variances: Vec<f64> = cells.iter().filter_map(variance).collect();
    Some(Sample::new(variances).ok()?.median().sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Better, Verdict, compare_among};

    const DESIGN: Design = Design {
        blocks: 6,
        comparisons: 1,
        noise: 0.08,
        margin: 0.05,
        against_itself: false,
    };

    /// Held against comparisons as reports make them.
    #[test]
    fn the_difference_promised_is_found_in_nine_of_ten_cases() {
        for (blocks, comparisons) in [(6, 1), (6, 21), (10, 3)] {
            let design = Design {
                blocks,
                comparisons,
                ..DESIGN
            };
            let ratio = 1.0 + design.smallest_difference().unwrap();
            let mut random = SplitMix64::new(99);
            let times = 400;
            let found = (0..times).filter(|_| {
                let mut draw = |level: f64| {
                    let values = (0..blocks).map(|_| level * (design.noise * random.normal()).exp());
                    Sample::new(values.collect()).unwrap()
                };
                let (a, b) = (draw(ratio), draw(1.0));
                let compared = compare_among(&a, &b, Better::Higher, 0.05, Pairing::Blocks, comparisons);
                compared.verdict == Verdict::Faster
                    && compared
                        .p_value
                        .is_some_and(|p| p * comparisons as f64 <= 0.05 + 1e-12)
            });
            let share = found.count() as f64 / f64::from(times);
            assert!((0.86..=0.94).contains(&share), "{design:?} at {ratio}: {share}");
        }
    }

    #[test]
    fn less_noise_more_blocks_and_fewer_comparisons_show_smaller_differences() {
        let of = |design: Design| design.smallest_difference().unwrap();
        let base = of(DESIGN);
        assert!(
            of(Design {
                noise: 0.02,
                ..DESIGN
            }) < base
        );
        assert!(of(Design { blocks: 12, ..DESIGN }) < base);
        assert!(
            of(Design {
                comparisons: 21,
                ..DESIGN
            }) > base
        );
        assert!(
            of(Design {
                against_itself: true,
                ..DESIGN
            }) > base
        );
    }

    #[test]
    fn some_designs_decide_nothing_by_rule() {
        for (blocks, comparisons) in [(3, 1), (4, 2), (6, 24)] {
            let design = Design {
                blocks,
                comparisons,
                ..DESIGN
            };
            assert_eq!(design.smallest_difference(), None);
        }
    }

    #[test]
    fn the_noise_of_earlier_trials_is_found_though_one_cell_is_wild() {
        let mut random = SplitMix64::new(3);
        let mut cell = |noise: f64| {
            Sample::new((0..5).map(|_| 1000.0 * (noise * random.normal()).exp()).collect()).unwrap()
        };
        let mut cells: Vec<Sample> = (0..41).map(|_| cell(0.08)).collect();
        cells.push(cell(2.0));
        let found = noise(&cells).unwrap();
        assert!((0.07..0.09).contains(&found), "{found}");
        assert_eq!(noise(&[]), None);
    }
}
