//! Skewed choices: YCSB's zipfian and its scrambled form, and a true Zipf distribution.

use crate::hash::fnvhash64;
use crate::random::{Stream, redraw, unit};
use crate::zeta::Zeta;

/// YCSB's only theta (`ZipfianGenerator.ZIPFIAN_CONSTANT`).
pub const THETA: f64 = 0.99;

/// Ranks that YCSB's scrambled zipfian draws from, whatever the number of records: 0 to 10^10, both included.
const SCRAMBLED_ITEMS: f64 = 10_000_000_001.0;
/// YCSB's precomputed zeta(10^10), which it uses for 10^10 + 1 items.
const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;

/// `x^100`, which is `x^alpha` for theta 0.99: alpha = 1/(1 - theta) = 100.
///
/// YCSB calls `pow(x, 99.99999999999991)`, whose exponent is 100 up to the rounding of `1 - 0.99`. Eight
/// multiplications differ from it by less than 1e-13, relatively: a draw can land on a rank next to YCSB's when it is
/// that close to the border between them. Ranks below a million are never off by as much as 1e-7 of their probability,
/// and two neighbours of the far tail (out of 10^10) have the same probability, so the distribution is the same.
#[inline(always)]
pub(crate) fn power_100(x: f64) -> f64 {
    let x2 = x * x;
    let x4 = x2 * x2;
    let x8 = x4 * x4;
    let x16 = x8 * x8;
    let x32 = x16 * x16;
    let x64 = x32 * x32;
    x64 * x32 * x4
}

/// YCSB's `ZipfianGenerator` for theta 0.99: Gray et al., "Quickly generating billion-record synthetic databases",
/// SIGMOD 1994.
#[derive(Clone, Copy, Debug)]
pub struct Zipfian {
    items: f64,
    zeta: f64,
    eta: f64,
    /// `1 + 0.5^theta`: below it `u * zeta` means rank 1.
    second: f64,
}

impl Zipfian {
    /// Ranks `0..items`; at least one.
    #[must_use]
    pub fn new(items: u64) -> Self {
        Self::with_zeta(items.max(1) as f64, Zeta::new(THETA).sum(items.max(1)))
    }

    /// The inner generator of YCSB's `ScrambledZipfianGenerator`.
    #[must_use]
    pub fn of_scrambled() -> Self {
        Self::with_zeta(SCRAMBLED_ITEMS, SCRAMBLED_ZETA)
    }

    fn with_zeta(items: f64, zeta: f64) -> Self {
        Self {
            items,
            zeta,
            eta: (1.0 - (2.0 / items).powf(1.0 - THETA)) / (1.0 - zeta_of_two() / zeta),
            second: 1.0 + 0.5f64.powf(THETA),
        }
    }

    /// The constants zeta and eta.
    #[must_use]
    pub fn constants(&self) -> (f64, f64) {
        (self.zeta, self.eta)
    }

    /// The rank for a uniform `u` in `[0, 1)`.
    #[inline(always)]
    #[must_use]
    pub fn rank(&self, u: f64) -> u64 {
        self.real_rank(u) as i64 as u64
    }

    /// The rank before it is cut to a whole number.
    #[inline(always)]
    fn real_rank(&self, u: f64) -> f64 {
        let scaled = u * self.zeta;
        // Computed for every draw and then chosen, so that a batch of draws has no branch to mispredict.
        let tail = self.items * power_100(self.eta * u - self.eta + 1.0);
        let tail = if scaled < self.second { 1.0 } else { tail };
        if scaled < 1.0 { 0.0 } else { tail }
    }
}

fn zeta_of_two() -> f64 {
    1.0 + 0.5f64.powf(THETA)
}

/// The zipfian of YCSB's `SkewedLatestGenerator`: the number of items grows, zeta follows it, and eta keeps the
/// number of items that was known at the start (to the letter of `ZipfianGenerator.nextLong`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrowingZipfian {
    zeta: Zeta,
    /// `1 - (2 / items at the start)^(1 - theta)`.
    numerator: f64,
}

impl GrowingZipfian {
    pub(crate) fn new(items_at_start: u64) -> Self {
        Self {
            zeta: Zeta::new(THETA),
            numerator: 1.0 - (2.0 / items_at_start.max(1) as f64).powf(1.0 - THETA),
        }
    }

    /// The generator for the current number of items. Costs one power.
    pub(crate) fn at(&self, items: u64) -> Zipfian {
        let items = items.max(1);
        let zeta = self.zeta.sum(items);
        Zipfian {
            items: items as f64,
            zeta,
            eta: self.numerator / (1.0 - zeta_of_two() / zeta),
            second: zeta_of_two(),
        }
    }
}

/// `value % divisor` for values up to 2^63, by one multiplication.
///
/// With `shift = floor(log2 divisor)` and `factor = floor(2^(64 + shift) / divisor)` the quotient
/// `value * factor >> (64 + shift)` is exact or one too small (the factor's error is below 1 and
/// `value / 2^(64 + shift) < 1`), which one comparison mends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modulus {
    divisor: u64,
    factor: u64,
    shift: u32,
}

impl Modulus {
    pub(crate) fn new(divisor: u64) -> Self {
        let divisor = divisor.max(1);
        let shift = divisor.ilog2();
        let factor = (1u128 << (64 + shift)) / u128::from(divisor);
        Self {
            divisor,
            // For a power of two the factor is 2^64: one less serves, with the same error bound.
            factor: u64::try_from(factor).unwrap_or(u64::MAX),
            shift,
        }
    }

    #[inline(always)]
    pub(crate) fn remainder(self, value: u64) -> u64 {
        let quotient = ((u128::from(value) * u128::from(self.factor)) >> 64) as u64 >> self.shift;
        let rest = value.wrapping_sub(quotient.wrapping_mul(self.divisor));
        if rest >= self.divisor {
            rest - self.divisor
        } else {
            rest
        }
    }
}

/// YCSB's `ScrambledZipfianGenerator`: the hash of a zipfian rank out of 10^10, folded onto the items.
#[derive(Clone, Copy, Debug)]
pub struct ScrambledZipfian {
    inner: Zipfian,
    modulus: Modulus,
}

impl ScrambledZipfian {
    /// Choices `0..items`; at least one.
    #[must_use]
    pub fn new(items: u64) -> Self {
        Self {
            inner: Zipfian::of_scrambled(),
            modulus: Modulus::new(items),
        }
    }

    /// The choice for a uniform `u` in `[0, 1)`.
    #[inline(always)]
    #[must_use]
    pub fn choose(&self, u: f64) -> u64 {
        self.modulus.remainder(fnvhash64(self.inner.rank(u)))
    }

    /// [`choose`](Self::choose) for draws `first..first + choices.len()` of a stream, with room for as many ranks. One
    /// loop per step, so that the processor works on many operations at once: the steps of one operation wait for
    /// each other.
    #[inline]
    pub(crate) fn choose_batch(
        &self,
        stream: Stream,
        numbers: &[u64],
        choices: &mut [u64],
        ranks: &mut [f64],
    ) {
        for (rank, number) in ranks.iter_mut().zip(numbers) {
            *rank = unit(stream.at(*number));
        }
        for rank in ranks.iter_mut() {
            *rank = self.inner.real_rank(*rank);
        }
        for (choice, rank) in choices.iter_mut().zip(ranks.iter()) {
            *choice = self.modulus.remainder(fnvhash64(*rank as i64 as u64));
        }
    }
}

/// A true Zipf distribution: rank k of `0..items` has probability proportional to `(k + 1)^-theta`, for any
/// theta >= 0. Rejection-inversion (Hoermann and Derflinger, "Rejection-inversion to generate variates from monotone
/// discrete distributions", ACM TOMACS 6(3), 1996): constant time and memory for any number of items.
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    items: f64,
    theta: f64,
    lower: f64,
    upper: f64,
    squeeze: f64,
    scramble: Scramble,
}

/// More rejections in a row than this have a probability below 1e-12 (each is below 1/3 for every theta).
const MOST_REJECTIONS: u32 = 64;

impl Zipf {
    /// Ranks `0..items` (at least one) with this theta, finite and not negative.
    #[must_use]
    pub fn new(items: u64, theta: f64) -> Self {
        let items = items.max(1);
        let mut zipf = Self {
            items: items as f64,
            theta,
            lower: 0.0,
            upper: 0.0,
            squeeze: 0.0,
            scramble: Scramble::new(items),
        };
        zipf.lower = zipf.integral(1.5) - 1.0;
        zipf.upper = zipf.integral(zipf.items + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - 2.0f64.powf(-theta));
        zipf
    }

    /// The integral of `x^-theta`, up to a constant that keeps it exact near theta = 1: `(x^(1-theta) - 1)/(1-theta)`.
    fn integral(&self, x: f64) -> f64 {
        let logarithm = x.ln();
        let exponent = (1.0 - self.theta) * logarithm;
        if exponent.abs() < 1e-12 {
            logarithm
        } else {
            exponent.exp_m1() / (1.0 - self.theta)
        }
    }

    fn inverse(&self, area: f64) -> f64 {
        let scaled = area * (1.0 - self.theta);
        if scaled.abs() < 1e-12 {
            area.exp()
        } else {
            // Rounding may push the argument past the pole; the rank is clamped afterwards.
            (scaled.max(-1.0).ln_1p() / (1.0 - self.theta)).exp()
        }
    }

    /// The rank for 64 random bits; further bits are derived from them when a proposal is rejected.
    #[must_use]
    pub fn rank(&self, mut draw: u64) -> u64 {
        for _ in 0..MOST_REJECTIONS {
            let area = self.upper + unit(draw) * (self.lower - self.upper);
            let x = self.inverse(area);
            let k = (x + 0.5).floor().clamp(1.0, self.items);
            if k - x <= self.squeeze || area >= self.integral(k + 0.5) - k.powf(-self.theta) {
                return k as u64 - 1;
            }
            draw = redraw(draw);
        }
        0
    }

    /// The item of that rank: a fixed permutation, so that the hot items are not neighbours.
    #[must_use]
    pub fn item(&self, rank: u64) -> u64 {
        self.scramble.permute(rank)
    }
}

/// A fixed permutation of `0..items`: invertible steps on the next power of two, repeated until the result is inside
/// (fewer than two rounds on average).
#[derive(Clone, Copy, Debug)]
struct Scramble {
    items: u64,
    mask: u64,
    shift: u32,
}

impl Scramble {
    fn new(items: u64) -> Self {
        let bits = 64 - (items - 1).leading_zeros();
        Self {
            items,
            mask: if bits == 64 { u64::MAX } else { (1 << bits) - 1 },
            shift: (bits / 2).max(1),
        }
    }

    fn permute(&self, index: u64) -> u64 {
        let mut value = index;
        loop {
            // Each step is invertible on the masked bits: an odd factor, a sum, a shift onto lower bits.
            value = value
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .wrapping_add(0x632B_E59B_D9B4_E019)
                & self.mask;
            value ^= value >> self.shift;
            value = value.wrapping_mul(0xD1B5_4A32_D192_ED03) & self.mask;
            value ^= value >> self.shift;
            value = value.wrapping_mul(0xBF58_476D_1CE4_E5B9) & self.mask;
            if value < self.items {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_random::mix;

    use crate::random::Purpose;

    #[test]
    fn modulus_is_the_remainder() {
        let mut divisors = vec![
            1,
            2,
            3,
            7,
            10,
            1_000,
            1_000_001,
            (1 << 32) - 1,
            1 << 32,
            (1 << 62) - 1,
            1 << 62,
        ];
        divisors.extend((0..500).map(|n| (mix(n) >> (n % 60 + 2)).max(1)));
        for divisor in divisors {
            let modulus = Modulus::new(divisor);
            let mut values = vec![0, 1, divisor - 1, divisor, divisor + 1, (1 << 63) - 1, 1 << 63];
            values.extend((0..200).map(|n| mix(n ^ divisor) >> 1));
            values.extend((1..50).map(|n| (((1u64 << 63) / divisor) * divisor).saturating_sub(n)));
            for value in values {
                assert_eq!(modulus.remainder(value), value % divisor, "{value} % {divisor}");
            }
        }
    }

    /// Answers of YCSB's `latest` while its table grew (`xtask/ycsb-oracle`).
    #[test]
    fn latest_keys_of_ycsb() {
        let mut checked = 0;
        for line in include_str!("../tests/fixtures/latest.tsv").lines() {
            if line.starts_with('#') {
                continue;
            }
            let columns: Vec<&str> = line.split('\t').collect();
            let records: u64 = columns[0].parse().unwrap();
            let newest: u64 = columns[1].parse().unwrap();
            let u = f64::from_bits(u64::from_str_radix(columns[2], 16).unwrap());
            let rank = GrowingZipfian::new(records - 1).at(newest).rank(u);
            assert_eq!((newest as i64 - rank as i64).to_string(), columns[3], "{line}");
            checked += 1;
        }
        assert_eq!(checked, 800);
    }

    #[test]
    fn scramble_is_a_permutation() {
        for items in [1, 2, 3, 10, 1_000, 4_096, 5_000] {
            let scramble = Scramble::new(items);
            let mut seen = vec![false; items as usize];
            for index in 0..items {
                seen[scramble.permute(index) as usize] = true;
            }
            assert!(seen.into_iter().all(|seen| seen), "{items}");
        }
    }

    #[test]
    fn the_power_is_javas_within_rounding() {
        for step in 0..10_000 {
            let x = 0.5 + 0.5 * f64::from(step) / 10_000.0;
            let exact = x.powf(1.0 / (1.0 - THETA));
            assert!((power_100(x) / exact - 1.0).abs() < 1e-13 * 5.0, "{x}");
        }
    }

    #[test]
    fn zipf_has_its_probabilities() {
        // Chi-square over 50 ranks against the exact probabilities; the 0.999 quantile for 49 degrees is 85.4.
        const DRAWS: u64 = 200_000;
        for theta in [0.0, 0.5, 0.99, 1.0, 1.5, 3.0] {
            let zipf = Zipf::new(50, theta);
            let stream = Stream::new(7, Purpose::Key);
            let mut counts = [0u64; 50];
            for n in 0..DRAWS {
                counts[zipf.rank(stream.at(n)) as usize] += 1;
            }
            let zeta = Zeta::new(theta).sum(50);
            let chi_square: f64 = counts
                .iter()
                .enumerate()
                .map(|(k, count)| {
                    let expected = DRAWS as f64 * (k as f64 + 1.0).powf(-theta) / zeta;
                    (*count as f64 - expected).powi(2) / expected
                })
                .sum();
            assert!(chi_square < 85.4, "theta {theta}: {chi_square}");
        }
    }

    #[test]
    fn billions_of_items_need_no_more_than_these_fields() {
        let zipf = Zipf::new(1 << 60, 0.99);
        assert!(zipf.rank(u64::MAX) < 1 << 60);
        assert!(zipf.rank(0) < 1 << 60);
        assert!(std::mem::size_of::<Zipf>() <= 128);
        assert!(std::mem::size_of::<ScrambledZipfian>() <= 128);
    }
}
