//! Whole numbers of things: `1000`, `5k`, `1.5M`, `1e9`.

use std::fmt;

use crate::QuantityError;
use crate::decimal::{Decimal, Inexact};

/// A whole number of things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(u64);

const STEPS: [(u64, &str); 4] = [
    (1_000_000_000_000, "T"),
    (1_000_000_000, "G"),
    (1_000_000, "M"),
    (1_000, "k"),
];

impl Count {
    /// This many.
    #[must_use]
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Reads digits, `_` between digits, an optional fraction, exponent (`1e9`) and suffix (`k` = 10^3, `M` = 10^6, `G` or `B` =
    /// 10^9, `T` = 10^12). The value must be whole: `1.5k` is 1500, `1.5` is refused.
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        Decimal::parse(text)?
            .whole()
            .map(Self)
            .map_err(|problem| match problem {
                Inexact::Fraction => QuantityError::NotWhole {
                    text: text.to_owned(),
                },
                Inexact::Overflow => QuantityError::TooLarge {
                    text: text.to_owned(),
                },
            })
    }

    /// Like [`Count::parse`], and at least 1.
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong with the text.
    pub fn parse_positive(text: &str) -> Result<Self, QuantityError> {
        match Self::parse(text)? {
            Self(0) => Err(QuantityError::TooFew {
                text: text.trim().to_owned(),
            }),
            count => Ok(count),
        }
    }
}

/// Reads a count from 1 to `most`.
///
/// # Errors
/// [`QuantityError`] says what is wrong with the text.
pub fn parse_up_to(most: u32, text: &str) -> Result<u32, QuantityError> {
    match u32::try_from(Count::parse_positive(text)?.get()) {
        Ok(count) if count <= most => Ok(count),
        _ => Err(QuantityError::TooMany {
            text: text.trim().to_owned(),
            most,
        }),
    }
}

/// The shortest exact writing with at most one decimal: `1000000` is `1M`, `1500` is `1.5k`, `1234` stays `1234`.
impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0;
        let exact = |scale: u64| count >= scale && count.is_multiple_of(scale / 10);
        let text = match STEPS.into_iter().find(|(scale, _)| exact(*scale)) {
            None => count.to_string(),
            Some((scale, suffix)) => match count % scale / (scale / 10) {
                0 => format!("{}{suffix}", count / scale),
                tenth => format!("{}.{tenth}{suffix}", count / scale),
            },
        };
        formatter.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for (text, value) in [
            ("0", 0),
            ("1000", 1000),
            ("1_000_000", 1_000_000),
            ("5k", 5_000),
            ("1M", 1_000_000),
            ("2.5M", 2_500_000),
            ("1.50k", 1_500),
            ("1e9", 1_000_000_000),
            ("3000000000", 3_000_000_000),
            ("1.5e3", 1_500),
            ("1000e-3", 1),
            (" 7 ", 7),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(Count::parse(text), Ok(Count(value)), "{text}");
        }
    }

    #[test]
    fn bad_counts_say_why() {
        let message = |text| Count::parse(text).unwrap_err().to_string();
        assert_eq!(
            message("1m"),
            "`1m`: `m` is not a suffix of a number; use k, M, G or T (a million is `M`)"
        );
        assert_eq!(message("0.5"), "`0.5` is not a whole number");
        assert!(message("-3").contains("not a number"));
        assert!(message("").contains("missing"));
        assert!(message("18446744073709551616").contains("too large"));
        assert!(message("1e30").contains("too large"));
        assert!(message("ten").contains("not a number"));
        assert!(message("1.2.3").contains("not a number"));
        assert!(message("1e").contains("suffix"));
    }

    #[test]
    fn bounds_are_named() {
        assert_eq!(parse_up_to(10_000, "1e4"), Ok(10_000));
        let message = |text| parse_up_to(10_000, text).unwrap_err().to_string();
        assert_eq!(message("0"), "0 is too few; it must be at least 1");
        assert_eq!(message("10001"), "10001 is too many; the maximum is 10000");
        assert_eq!(message("1T"), "1T is too many; the maximum is 10000");
    }

    #[test]
    fn the_writing_is_short() {
        assert_eq!(Count(1_000_000).to_string(), "1M");
        assert_eq!(Count(1_500).to_string(), "1.5k");
        assert_eq!(Count(1_234).to_string(), "1234");
    }
}
