//! Reading shares.

use std::ops::{Bound, RangeBounds};

use super::Share;
use crate::decimal::Decimal;
use crate::error::QuantityError;

impl Share {
    /// Reads a percentage (`5%`), or the part as a number (`0.05`).
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let bad = || QuantityError::NotAShare {
            text: text.to_owned(),
        };
        let (number, exponent) = match text.strip_suffix('%') {
            Some(percent) => (percent.trim_end(), -2),
            None => (text, 0),
        };
        let number = number.strip_prefix('+').unwrap_or(number);
        // `5k%` is no percentage.
        if number.ends_with(|last: char| last.is_alphabetic()) {
            return Err(bad());
        }
        let mut decimal = Decimal::parse(number).map_err(|_| bad())?;
        decimal.exponent += exponent;
        let part = decimal.value(text).map_err(|_| bad())?;
        Ok(Self(part))
    }

    /// Like [`Share::parse`], and within bounds.
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong with the text.
    pub fn parse_within(text: &str, bounds: impl RangeBounds<f64>) -> Result<Self, QuantityError> {
        let share = Self::parse(text)?;
        if bounds.contains(&share.0) {
            return Ok(share);
        }
        let bound = |bound: Bound<&f64>, open: f64| match bound {
            Bound::Included(bound) | Bound::Excluded(bound) => Self(*bound),
            Bound::Unbounded => Self(open),
        };
        let text = text.trim();
        Err(QuantityError::OutOfRange {
            text: if text.ends_with('%') {
                text.to_owned()
            } else {
                format!("{text} ({share})")
            },
            low: bound(bounds.start_bound(), 0.0),
            high: bound(bounds.end_bound(), f64::INFINITY),
        })
    }

    /// Like [`Share::parse`], and above nothing and below all.
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong with the text.
    pub fn parse_proper(text: &str) -> Result<Self, QuantityError> {
        Self::parse_within(text, (Bound::Excluded(0.0), Bound::Excluded(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        for (text, part) in [
            ("5%", 0.05),
            ("7 %", 0.07),
            ("0.1%", 0.001),
            (".5%", 0.005),
            ("+5%", 0.05),
            ("1e1%", 0.1),
            ("100%", 1.0),
            ("150%", 1.5),
            ("0.05", 0.05),
            ("0", 0.0),
            ("1.0", 1.0),
        ] {
            assert_eq!(Share::parse(text), Ok(Share(part)), "{text}");
        }
        for bad in ["", "%", "-5%", "5k%", "many", "nan%", "inf%"] {
            let error = Share::parse(bad).unwrap_err();
            assert!(error.to_string().contains("5%"), "{bad}: {error}");
        }
        let message = |text| Share::parse_proper(text).unwrap_err().to_string();
        assert_eq!(message("5"), "5 (500%) is not between 0% and 100%");
        assert_eq!(message("100%"), "100% is not between 0% and 100%");
        assert_eq!(message("0"), "0 (0%) is not between 0% and 100%");
        assert_eq!(Share::parse_within("50%", 0.01..=0.5), Ok(Share(0.5)));
        assert_eq!(Share(0.07).to_string(), "7%");
        assert_eq!(Share(0.125).to_string(), "12.5%");
    }
}
