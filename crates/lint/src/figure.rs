//! A number with what its printed digits leave open.

use std::ops::{Add, Div, Mul};

/// A printed number and the interval that it stands for. `12` may be anything from 11.5 to 13: some tools round, others cut digits
/// off. A rule that calls it wrong must hold for all of them. Arithmetic carries the interval along; products and quotients take intervals that do not cross zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    value: f64,
    low: f64,
    high: f64,
}

impl Figure {
    /// A number that was not rounded.
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
        }
    }

    /// A number whose last printed digit is worth `unit`: rounded, or cut off towards zero.
    #[must_use]
    pub fn printed(value: f64, unit: f64) -> Self {
        let (below, above) = if value < 0.0 {
            (unit, unit / 2.0)
        } else {
            (unit / 2.0, unit)
        };
        Self {
            value,
            low: value - below,
            high: value + above,
        }
    }

    /// A number of which only the value is left, not its text: its digits are those of the shortest decimal that gives the value. Zeros
    /// that were printed at the end are lost, so the interval is never too narrow.
    #[must_use]
    pub fn of_shortest_decimal(value: f64) -> Self {
        let text = format!("{value}");
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Self::printed(value, 10.0_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX)))
    }

    /// The same number, read off a figure or a rough sentence: off by up to this share of it.
    #[must_use]
    pub fn read_off(self, share: f64) -> Self {
        self.give(self.value.abs() * share)
    }

    /// The same number with an interval that is wider by `slack` at both ends.
    #[must_use]
    pub fn give(self, slack: f64) -> Self {
        Self {
            low: self.low - slack,
            high: self.high + slack,
            ..self
        }
    }

    /// The number that was printed.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.value
    }

    /// The least that it can stand for.
    #[must_use]
    pub const fn low(self) -> f64 {
        self.low
    }

    /// The most that it can stand for.
    #[must_use]
    pub const fn high(self) -> f64 {
        self.high
    }

    /// Whether both can stand for one number.
    #[must_use]
    pub fn agrees(self, other: Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Whether it can be a time, a count or a rate of something that happened.
    pub(crate) fn is_measured(self) -> bool {
        self.value.is_finite() && self.value > 0.0
    }

    fn spanning(value: f64, ends: [f64; 4]) -> Self {
        Self {
            value,
            low: ends.into_iter().fold(f64::INFINITY, f64::min),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

impl From<f64> for Figure {
    fn from(value: f64) -> Self {
        Self::exact(value)
    }
}

impl Add for Figure {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}

impl Mul for Figure {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::spanning(
            self.value * other.value,
            [
                self.low * other.low,
                self.low * other.high,
                self.high * other.low,
                self.high * other.high,
            ],
        )
    }
}

impl Mul<f64> for Figure {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        self * Self::exact(factor)
    }
}

impl Div for Figure {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        // A divisor that may be zero leaves everything open.
        if other.low <= 0.0 && other.high >= 0.0 {
            return Self {
                value: self.value / other.value,
                low: f64::NEG_INFINITY,
                high: f64::INFINITY,
            };
        }
        Self::spanning(
            self.value / other.value,
            [
                self.low / other.low,
                self.low / other.high,
                self.high / other.low,
                self.high / other.high,
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_tell_the_interval() {
        let twelve = Figure::of_shortest_decimal(12.0);
        assert_eq!((twelve.low(), twelve.high()), (11.5, 13.0));
        let fallen = Figure::of_shortest_decimal(-3.0);
        assert_eq!((fallen.low(), fallen.high()), (-4.0, -2.5));
        let precise = Figure::of_shortest_decimal(1836.577);
        assert!((precise.low() - 1836.5765).abs() < 1e-9, "{precise:?}");
        let read_off = Figure::of_shortest_decimal(2000.0).read_off(0.05);
        assert_eq!((read_off.low(), read_off.high()), (1899.5, 2101.0));
    }

    #[test]
    fn a_divisor_that_may_be_zero_leaves_everything_open() {
        let quotient = Figure::exact(1.0) / Figure::printed(0.0, 1.0);
        assert!(quotient.agrees(Figure::exact(1e300)) && quotient.agrees(Figure::exact(-1e300)));
    }

    proptest! {
        /// Whatever the true numbers are, what is computed from them lies in the interval that is computed from their digits.
        #[test]
        fn the_interval_holds_what_the_true_numbers_give(a in 1.1..1e6_f64, b in 1.1..1e6_f64, cut in any::<bool>()) {
            let printed = |value: f64| Figure::printed(if cut { value.floor() } else { value.round() }, 1.0);
            let within = |figure: Figure, value: f64| {
                figure.low() <= value * (1.0 + 1e-12) && value <= figure.high() * (1.0 + 1e-12)
            };
            prop_assert!(within(printed(a) * printed(b), a * b));
            prop_assert!(within(printed(a) + printed(b), a + b));
            prop_assert!(within(printed(a) / printed(b), a / b));
        }
    }
}
