//! Pseudo-random numbers that are the same on every machine and in every version: orders of trials, resamples, draws.

use std::f64::consts::TAU;

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). Libraries of random
/// numbers promise no such values from version to version, and a study that goes on needs the order it began with.
#[derive(Clone, Copy, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator in this state.
    #[must_use]
    pub const fn new(state: u64) -> Self {
        Self(state)
    }

    /// The output function: a bijection that makes near numbers unlike.
    #[must_use]
    pub const fn mix(value: u64) -> u64 {
        let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        Self::mix(self.0)
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
        let mut random = SplitMix64::new(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| random.bits()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
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
