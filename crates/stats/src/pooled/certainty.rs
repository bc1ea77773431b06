//! How well a ratio is known, and what follows: interval, p value, and how many more blocks an answer would take.

use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

use super::FEWEST_BLOCKS;
use super::moderation::Moderated;
use super::pairs::Measured;
use crate::family::SIGNIFICANCE;
use crate::{BAND, CONFIDENCE, Interval};

/// The chance with which so many more blocks are to close a comparison, if its estimate is right.
const CHANCE: f64 = 0.8;
/// Beyond so many times the blocks there are, no number is given: noise estimated today says little of so long a study.
const MOST_TIMES: f64 = 100.0;

/// An estimate with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certainty {
    /// The logarithm of the ratio.
    pub estimate: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom.
    pub freedom: f64,
    /// Blocks.
    pub blocks: usize,
}

impl Certainty {
    /// A pair with its moderated variance.
    pub fn of(measured: &Measured, moderated: &Moderated) -> Self {
        Self {
            estimate: measured.estimate,
            error: (moderated.variance / measured.blocks as f64).sqrt(),
            freedom: moderated.freedom,
            blocks: measured.blocks,
        }
    }

    /// With an error larger by this factor.
    pub fn widened(self, factor: f64) -> Self {
        Self {
            error: self.error * factor,
            ..self
        }
    }

    /// The estimate in standard errors.
    pub fn t(&self) -> f64 {
        self.estimate / self.error
    }

    /// Two-sided, of this comparison alone.
    pub fn p_value(&self) -> f64 {
        student(self.freedom).map_or(1.0, |t| (2.0 * t.sf(self.t().abs())).min(1.0))
    }

    /// Half of the interval, as a logarithm.
    pub fn half_width(&self) -> f64 {
        quantile(self.freedom, (1.0 - CONFIDENCE) / 2.0) * self.error
    }

    /// Standard deviation of the logarithm of the ratio within one block.
    pub fn of_one_block(&self) -> f64 {
        self.error * (self.blocks as f64).sqrt()
    }

    /// The interval of the ratio.
    pub fn interval(&self) -> Interval {
        let half = self.half_width();
        Interval {
            low: (self.estimate - half).exp(),
            high: (self.estimate + half).exp(),
            confidence: CONFIDENCE,
        }
    }

    /// How many more blocks, at least one, would give an answer in four of five cases if the ratio is what it looks like now: significant
    /// among so many comparisons and beyond the margin, or within the band. `None` where it is more than a hundred times the blocks
    /// there are. A guide, not a guarantee: it takes noise and degrees of freedom as they are now.
    pub fn more_blocks(&self, comparisons: usize, margin: f64) -> Option<usize> {
        let size = self.estimate.abs();
        let slack = Normal::standard().inverse_cdf(CHANCE);
        let blocks = |tail: f64, distance: f64| {
            let errors = quantile(self.freedom, tail) + slack;
            (errors * self.of_one_block() / distance.max(0.0)).powi(2)
        };
        let to_differ = match size > margin.ln_1p() {
            true => blocks(SIGNIFICANCE / 2.0 / comparisons.max(1) as f64, size),
            false => f64::INFINITY,
        };
        let to_bound = blocks((1.0 - CONFIDENCE) / 2.0, BAND.ln_1p() - size);
        let needed = to_differ.min(to_bound).max(FEWEST_BLOCKS as f64).ceil();
        let is_near = needed <= self.blocks as f64 * MOST_TIMES;
        is_near.then(|| (needed as usize).saturating_sub(self.blocks).max(1))
    }
}

fn student(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok()
}

/// The value that Student's t exceeds with the chance `tail`.
pub fn quantile(freedom: f64, tail: f64) -> f64 {
    student(freedom).map_or(f64::INFINITY, |t| -t.inverse_cdf(tail))
}
