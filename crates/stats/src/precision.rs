//! When a study that asks for a precision has enough blocks.
//!
//! What is looked at after each block is the width of the intervals, never a verdict or a p value: a study that stops when a
//! difference becomes significant finds differences everywhere; one that stops when its intervals are narrow learns where
//! they lie (fixed-width estimation: Chow and Robbins, Annals of Mathematical Statistics 36, 1965; Maricq et al., "Taming
//! Performance Variability", OSDI 2018).
//!
//! But widths are estimated too, and the first narrow one is often narrow by luck. A study that stops there holds the truth
//! less often than its intervals say: 92.5% instead of 95% at 8% noise and a target of 5%. So a third more blocks confirm it.

use crate::Interval;

/// The stopping rule of one study, fed with the widest interval after each block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    share: f64,
    confirmed_at: Option<u32>,
}

impl Stopping {
    /// Stops when every interval's half-width is at most this share.
    #[must_use]
    pub const fn new(share: f64) -> Self {
        Self {
            share,
            confirmed_at: None,
        }
    }

    /// Takes in the half-width of the widest interval after so many blocks (`None`: not every comparison has an interval
    /// yet), and returns whether they are enough: narrow now, and a third more than when the intervals were narrow first.
    pub fn enough(&mut self, blocks: u32, widest: Option<f64>) -> bool {
        let narrow = self.narrow(widest);
        if narrow && self.confirmed_at.is_none() {
            self.confirmed_at = Some(blocks + blocks.div_ceil(3));
        }
        narrow && self.confirmed_at.is_some_and(|confirmed| blocks >= confirmed)
    }

    /// Whether a half-width is small enough, confirmed or not.
    #[must_use]
    pub fn narrow(&self, widest: Option<f64>) -> bool {
        widest.is_some_and(|share| share <= self.share)
    }
}

/// Half the width of the interval's logarithm, as a share: 1/1.05 to 1.05 is 5%.
#[must_use]
pub fn half_width(interval: &Interval) -> f64 {
    ((interval.high / interval.low).ln() / 2.0).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_narrow_look_is_confirmed_by_a_third_more_blocks() {
        let mut stopping = Stopping::new(0.05);
        assert!(!stopping.enough(6, None));
        assert!(!stopping.enough(7, Some(0.08)));
        assert!(!stopping.enough(8, Some(0.049)), "narrow by luck, perhaps");
        assert!(!stopping.enough(10, Some(0.04)));
        assert!(!stopping.enough(11, Some(0.06)), "it was luck");
        assert!(stopping.enough(12, Some(0.05)));
    }
}
