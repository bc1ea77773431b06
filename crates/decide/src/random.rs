//! Seeded random numbers: each draw is a function of the seed and of what it is for, so that a candidate more or less
//! changes no draw of the others.

use dbdyno_random::{SplitMix64, mix};

/// A generator for one purpose.
#[derive(Clone, Copy, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The generator for this purpose.
    pub fn new(seed: u64, purpose: &[u64]) -> Self {
        let state = purpose.iter().fold(SplitMix64::new(seed).bits(), |state, part| {
            SplitMix64::new(state ^ mix(*part)).bits()
        });
        Self(SplitMix64::new(state))
    }

    /// A whole number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    /// A number from 0 to 1.
    pub fn share(&mut self) -> f64 {
        self.0.uniform()
    }

    /// The logarithm of a gamma number of this shape and scale 1: Marsaglia and Tsang, "A Simple Method for Generating
    /// Gamma Variables", ACM TOMS 26 (2000). A logarithm, because small shapes give numbers too small to hold.
    fn ln_gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.ln_gamma(shape + 1.0) + self.0.uniform().ln() / shape;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.0.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.0.uniform().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return (d * v).ln();
            }
        }
    }

    /// Weights around `shares` (which sum to 1) by a Dirichlet distribution whose standard deviation is `spread` for a share
    /// of one half. A share of 0 stays 0.
    pub fn weights(&mut self, shares: &[f64], spread: f64) -> Vec<f64> {
        if spread <= 0.0 {
            return shares.to_vec();
        }
        let concentration = (0.25 / (spread * spread) - 1.0).max(0.1);
        let logarithms: Vec<f64> = shares
            .iter()
            .map(|share| {
                if *share > 0.0 {
                    self.ln_gamma(share * concentration)
                } else {
                    f64::NEG_INFINITY
                }
            })
            .collect();
        let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let raw: Vec<f64> = logarithms.iter().map(|ln| (ln - largest).exp()).collect();
        let total: f64 = raw.iter().sum();
        raw.iter().map(|value| value / total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_the_mean_and_spread_that_were_asked_for() {
        let shares = [0.5, 0.3, 0.2, 0.0];
        let drawn: Vec<Vec<f64>> = (0..20_000)
            .map(|draw| Random::new(7, &[draw]).weights(&shares, 0.1))
            .collect();
        for (index, share) in shares.iter().enumerate() {
            let mean = drawn.iter().map(|weights| weights[index]).sum::<f64>() / 20_000.0;
            let squares = drawn.iter().map(|weights| (weights[index] - mean).powi(2));
            let deviation = (squares.sum::<f64>() / 20_000.0).sqrt();
            // Of a Dirichlet distribution: variance share (1 - share) / (concentration + 1), concentration 24.
            let wanted = (share * (1.0 - share) / 25.0).sqrt();
            assert!((mean - share).abs() < 0.003, "mean of {share}: {mean}");
            assert!(
                (deviation - wanted).abs() < 0.003,
                "deviation of {share}: {deviation}, not {wanted}"
            );
        }
        assert_eq!(Random::new(7, &[]).weights(&shares, 0.0), shares);
    }

    #[test]
    fn purposes_differ() {
        let of = |purpose: &[u64]| {
            let mut random = Random::new(1, purpose);
            [(); 8].map(|()| random.below(1 << 30))
        };
        assert_ne!(of(&[2, 3]), of(&[3, 2]));
        assert_ne!(of(&[2, 3]), of(&[2]));
        assert_eq!(of(&[2, 3]), of(&[2, 3]));
    }
}
