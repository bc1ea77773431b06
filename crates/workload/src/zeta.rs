//! Generalised harmonic numbers `zeta(n) = sum of i^-theta for i in 1..=n`, in constant time and memory.

/// Below this many terms the sum is taken term by term.
const DIRECT: u64 = 64;

/// `zeta(n)` for one theta, by the Euler-Maclaurin formula.
///
/// For `n > 64` the sum is `C + I(n) + n^-theta/2 - theta n^(-theta-1)/12 + theta(theta+1)(theta+2) n^(-theta-3)/720`
/// with `I(n) = n^(1-theta)/(1-theta)` (or `ln n` for theta = 1); the constant C is fixed by the direct sum of 64
/// terms. The first term left out is below `theta(theta+1)...(theta+4)/30240 * 64^(-theta-5)`: less than 1e-12
/// for theta up to 1, which is below the rounding error of YCSB's own summation (about 1e-9 at 10^10 terms).
/// (Abramowitz and Stegun, 23.1.30.)
#[derive(Clone, Copy, Debug)]
pub struct Zeta {
    theta: f64,
    constant: f64,
}

impl Zeta {
    /// The sums for this theta, which must be finite and not negative.
    #[must_use]
    pub fn new(theta: f64) -> Self {
        let mut zeta = Self { theta, constant: 0.0 };
        zeta.constant = zeta.direct(DIRECT) - zeta.expansion(DIRECT as f64);
        zeta
    }

    /// The sum of the first `n` terms. `zeta(n + k)` costs the same as `zeta(n)`: two powers.
    #[must_use]
    pub fn sum(&self, n: u64) -> f64 {
        if n <= DIRECT {
            self.direct(n)
        } else {
            self.constant + self.expansion(n as f64)
        }
    }

    fn direct(&self, n: u64) -> f64 {
        // Small terms first, so that they are not rounded away.
        (1..=n).rev().map(|i| (i as f64).powf(-self.theta)).sum()
    }

    fn expansion(&self, n: f64) -> f64 {
        let theta = self.theta;
        let power = n.powf(-theta);
        let integral = if theta == 1.0 {
            n.ln()
        } else {
            n * power / (1.0 - theta)
        };
        integral
            + power * (0.5 - theta / (12.0 * n) + theta * (theta + 1.0) * (theta + 2.0) / (720.0 * n * n * n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_direct_sums() {
        for theta in [0.0, 0.5, 0.99, 1.0, 1.2] {
            let zeta = Zeta::new(theta);
            let mut sum = 0.0;
            let mut correction = 0.0;
            for i in 1..=300_000u64 {
                // Kahan's summation: the check must be better than what it checks.
                let term = (i as f64).powf(-theta) - correction;
                let next = sum + term;
                correction = (next - sum) - term;
                sum = next;
                if i <= 200 || i % 9_973 == 0 {
                    let error = (zeta.sum(i) - sum).abs() / sum;
                    assert!(error < 1e-12, "theta {theta}, n {i}: error {error}");
                }
            }
        }
    }

    #[test]
    fn agrees_with_ycsbs_constant() {
        // ScrambledZipfianGenerator.ZETAN, summed by its authors over 10^10 items.
        let zeta = Zeta::new(0.99).sum(10_000_000_000);
        assert!((zeta - 26.469_028_201_783_02).abs() < 1e-8, "{zeta}");
    }
}
