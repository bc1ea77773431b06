//! What a study will be able to show, before it runs: the analysis of [`pooled`](crate::pooled), turned round.

use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::Sample;
use crate::family::SIGNIFICANCE;
use crate::pooled::{FEWEST_BLOCKS, freedom_of_alike, quantile};

/// The share of the cases in which a difference is to be found.
pub const POWER: f64 = 0.9;

/// Facts about a study before it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// Blocks: trials of each system in each cell.
    pub blocks: usize,
    /// Comparisons of one metric in the whole study.
    pub comparisons: usize,
    /// How many of them do not follow from others: of three systems in a cell, two.
    pub independent: usize,
    /// Standard deviation of the logarithm of a trial around what its block shares.
    pub noise: f64,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
}

impl Design {
    /// Whether any comparison can be called faster or slower, whatever the trials will be.
    #[must_use]
    pub const fn can_decide(&self) -> bool {
        self.blocks >= FEWEST_BLOCKS && self.comparisons > 0
    }

    /// The smallest difference, as a share, that is called faster or slower in nine of ten cases; `None` when no difference is.
    ///
    /// It lies two quantiles of Student's t above zero: that of the test, corrected for all comparisons, and that of nine of ten cases.
    /// Beyond the margin, it lies as far as the estimate scatters. All pairs are taken to be equally noisy.
    #[must_use]
    pub fn smallest_difference(&self) -> Option<f64> {
        if !self.can_decide() {
            return None;
        }
        let own = (self.blocks - 1) as f64;
        let all = self.independent.max(1) as f64 * own;
        let freedom = freedom_of_alike(self.comparisons, own, all);
        let error = self.noise * (2.0 / self.blocks as f64).sqrt();
        let test = quantile(freedom, SIGNIFICANCE / 2.0 / self.comparisons as f64);
        let significant = (test + quantile(freedom, 1.0 - POWER)) * error;
        let beyond_margin = self.margin.ln_1p() + Normal::standard().inverse_cdf(POWER) * error;
        let needed = significant.max(beyond_margin);
        needed.is_finite().then(|| needed.exp_m1())
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
    use std::collections::BTreeMap;

    use super::*;
    use crate::pooled::{CellValues, Pair, Question, analyse};
    use dbdyno_random::SplitMix64;

    use crate::{Better, Word};

    const DESIGN: Design = Design {
        blocks: 6,
        comparisons: 1,
        independent: 1,
        noise: 0.08,
        margin: 0.05,
    };

    /// Held against studies as reports analyse them.
    #[test]
    fn the_difference_promised_is_found_in_nine_of_ten_cases() {
        for (blocks, cells, systems) in [(6, 1, 2), (6, 7, 3), (10, 1, 3), (4, 2, 2), (5, 4, 2)] {
            let pairs: Vec<Pair> = (0..cells)
                .flat_map(|cell| {
                    (0..systems).flat_map(move |a| (a + 1..systems).map(move |b| Pair { cell, a, b }))
                })
                .collect();
            let design = Design {
                blocks,
                comparisons: pairs.len(),
                independent: cells * (systems - 1),
                ..DESIGN
            };
            // The last system is the slow one, in the last cell alone: all other pairs stay in the family.
            let ratio = 1.0 + design.smallest_difference().unwrap();
            let mut random = SplitMix64::new(99);
            let times = 600;
            let found = (0..times).filter(|_| {
                let mut system = |level: f64| -> BTreeMap<u32, f64> {
                    let values = (0..blocks).map(|_| level * (design.noise * random.normal()).exp());
                    (0..).zip(values).collect()
                };
                let mut all: Vec<CellValues> = (0..cells)
                    .map(|_| CellValues {
                        systems: (0..systems).map(|_| system(1.0)).collect(),
                    })
                    .collect();
                all[cells - 1].systems[systems - 1] = system(1.0 / ratio);
                let analysis = analyse(&Question {
                    cells: &all,
                    pairs: &pairs,
                    twins: &[],
                    better: Better::Higher,
                    margin: 0.05,
                });
                analysis.comparisons[pairs.len() - 1].word == Word::Faster
            });
            let share = found.count() as f64 / f64::from(times);
            assert!((0.85..=0.95).contains(&share), "{design:?} at {ratio}: {share}");
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
        let many = |comparisons| {
            of(Design {
                comparisons,
                independent: 14,
                ..DESIGN
            })
        };
        assert!(many(84) > many(21) && many(21) > base);
    }

    #[test]
    fn fewer_than_four_blocks_decide_nothing() {
        for blocks in [0, 1, 3] {
            assert_eq!(Design { blocks, ..DESIGN }.smallest_difference(), None);
        }
        let none = Design {
            comparisons: 0,
            ..DESIGN
        };
        assert_eq!(none.smallest_difference(), None);
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
