//! THE DRAWS: pseudo-random numbers that are the same on every machine and in every version, for operations, orders of trials,
//! resamples and draws.
//!
//! The generator is SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014; its output
//! function is variant 13 of D. Stafford's mixers). Libraries of random numbers promise no such values from version to version,
//! and a study that goes on needs the order it began with. This crate depends on no other crate of ours.

use std::f64::consts::TAU;

/// The step between two states: 2^64 divided by the golden ratio, made odd.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function: a bijection that makes near numbers unlike.
#[must_use]
#[inline(always)]
pub const fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// SplitMix64: a state that advances by [`STEP`], and [`mix`] of it.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator in this state.
    #[must_use]
    pub const fn new(state: u64) -> Self {
        Self(state)
    }

    /// Draw number `index`, from 0, of the generator in this state. No draw before it is needed.
    #[must_use]
    #[inline(always)]
    pub const fn at(state: u64, index: u64) -> u64 {
        mix(state.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP)))
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// Uniform below `bound`, which is at least 1, without bias: draws in the incomplete last stretch are drawn again.
    pub const fn below(&mut self, bound: u64) -> u64 {
        let usable = u64::MAX - u64::MAX % bound;
        loop {
            let draw = self.bits();
            if draw < usable {
                return draw % bound;
            }
        }
    }

    /// Uniform above 0 and at most 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller's transform (Annals of Mathematical Statistics 29, 1958).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outputs for seed 1234567, as published with the algorithm.
    #[test]
    fn it_is_the_published_generator() {
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!([(); 5].map(|()| random.bits()), published);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|index| SplitMix64::at(1_234_567, index)),
            published
        );
    }

    #[test]
    fn draws_are_even_and_normal_ones_have_their_moments() {
        let mut random = SplitMix64::new(1);
        let mut counts = [0_u32; 5];
        for _ in 0..50_000 {
            counts[random.below(5) as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| (9_500..10_500).contains(count)),
            "{counts:?}"
        );
        let normal: Vec<f64> = (0..50_000).map(|_| random.normal()).collect();
        let mean = normal.iter().sum::<f64>() / 50_000.0;
        let variance = normal.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 50_000.0;
        assert!(
            mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03,
            "{mean} {variance}"
        );
    }
}
