//! Operations per second: `500`, `20k`, `1.5M/s`.

use std::fmt;

use crate::decimal::parse_number;
use crate::shortest::shortest;
use crate::{Count, QuantityError};

/// Operations per second, 0 or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    /// This many per second.
    #[must_use]
    pub const fn new(per_second: f64) -> Self {
        Self(per_second)
    }

    /// The number per second.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Reads a number with the suffixes of a [`Count`], whole or not, with `/s` or `ops/s` after it or without.
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let number = text.trim();
        let number = ["ops/s", "/s"]
            .into_iter()
            .find_map(|unit| number.strip_suffix(unit))
            .unwrap_or(number);
        parse_number(number).map(Self)
    }
}

/// The shortest exact writing: `20k`, `0.5`.
impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whole numbers are exact up to here.
        const WHOLE: f64 = 9_007_199_254_740_992.0;
        let text = if self.0.fract() == 0.0 && (0.0..WHOLE).contains(&self.0) {
            Count::new(self.0 as u64).to_string()
        } else {
            shortest(self.0, 0)
        };
        formatter.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        for (text, per_second) in [
            ("500", 500.0),
            ("20k", 20_000.0),
            ("1.5M/s", 1_500_000.0),
            ("10k ops/s", 10_000.0),
            ("0.5", 0.5),
            ("1e3", 1_000.0),
        ] {
            assert_eq!(Rate::parse(text), Ok(Rate(per_second)), "{text}");
        }
        for bad in ["", "/s", "fast", "-1", "10m", "1/min"] {
            assert!(Rate::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Rate(20_000.0).to_string(), "20k");
        assert_eq!(Rate(0.5).to_string(), "0.5");
    }
}
