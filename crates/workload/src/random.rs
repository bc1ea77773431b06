//! Counter-based random numbers: the N-th draw of a stream is a pure function of seed, purpose and N.
//!
//! The generator is SplitMix64 read at any position: its state advances by a constant, so draw N needs no draw before it. Each
//! purpose has its own start.

use dbdyno_random::{STEP, SplitMix64, mix};

/// The purpose of a draw. Draws for different purposes are independent. The numbers are part of what a seed means:
/// never change one.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Purpose {
    Kind = 1,
    Key = 2,
    KeyChoice = 3,
    ReadField = 4,
    WrittenField = 5,
    ScanLength = 6,
    FieldLength = 7,
    Value = 8,
    Arrival = 9,
    LoadFieldLength = 10,
    LoadValue = 11,
}

/// One purpose's random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    start: u64,
}

impl Stream {
    pub(crate) const fn new(seed: u64, purpose: Purpose) -> Self {
        Self {
            start: mix(mix(seed.wrapping_add(STEP)) ^ (purpose as u64).wrapping_mul(0xD1B5_4A32_D192_ED03)),
        }
    }

    /// 64 random bits: draw number `index`.
    #[inline(always)]
    pub(crate) const fn at(self, index: u64) -> u64 {
        SplitMix64::at(self.start, index)
    }
}

/// The next of a chain of draws, for the rare choice that must be drawn again.
#[inline]
pub(crate) const fn redraw(draw: u64) -> u64 {
    mix(draw.wrapping_add(0xA076_1D64_78BD_642F))
}

/// A uniform number in `[0, 1)` with 53 random bits, as Java's `nextDouble` has.
#[inline(always)]
pub(crate) fn unit(draw: u64) -> f64 {
    // Signed, because the processor converts signed integers in one instruction.
    (draw >> 11) as i64 as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A uniform number in `(0, 1]`, for logarithms.
#[inline(always)]
pub(crate) fn positive_unit(draw: u64) -> f64 {
    ((draw >> 11) + 1) as i64 as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A uniform number in `0..bound` (0 when `bound` is 0), by the high half of a product: each value's probability is
/// within 2^-64 of `1 / bound`.
#[inline(always)]
pub(crate) const fn below(draw: u64, bound: u64) -> u64 {
    ((draw as u128 * bound as u128) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold() {
        assert_eq!(unit(0), 0.0);
        assert!(unit(u64::MAX) < 1.0);
        assert!(positive_unit(0) > 0.0);
        assert_eq!(positive_unit(u64::MAX), 1.0);
        assert_eq!(below(u64::MAX, 10), 9);
        assert_eq!(below(u64::MAX, 0), 0);
    }

    #[test]
    fn streams_differ() {
        let kinds = Stream::new(1, Purpose::Kind);
        let keys = Stream::new(1, Purpose::Key);
        let other = Stream::new(2, Purpose::Kind);
        assert_ne!(kinds.at(0), keys.at(0));
        assert_ne!(kinds.at(0), other.at(0));
        assert_ne!(kinds.at(0), kinds.at(1));
    }
}
