//! Decimal numbers as people write them, exactly: `5k`, `2.5M`, `1e9`, `1_000`.

use crate::QuantityError;

/// A number of 0 or more that need not be whole, with the suffixes of a [`Count`](crate::Count). Never infinite or NaN.
///
/// # Errors
/// [`QuantityError`] says what is wrong with the text.
pub fn parse_number(text: &str) -> Result<f64, QuantityError> {
    let text = text.trim();
    Decimal::parse(text)?.value(text)
}

/// `digits * 10^exponent`, exactly.
pub(crate) struct Decimal {
    pub(crate) digits: u64,
    pub(crate) exponent: i32,
}

pub(crate) enum Inexact {
    Fraction,
    Overflow,
}

impl Decimal {
    /// Reads digits, `_` between digits, a fraction, an exponent and a suffix of thousands.
    pub(crate) fn parse(text: &str) -> Result<Self, QuantityError> {
        let not_a_number = || QuantityError::NotANumber {
            text: text.to_owned(),
        };
        let Some((at, last)) = text.char_indices().next_back() else {
            return Err(QuantityError::Empty);
        };
        let (mantissa, suffix_exponent) = match last {
            '0'..='9' | '.' => (text, 0),
            'k' | 'K' => (&text[..at], 3),
            'M' => (&text[..at], 6),
            'G' | 'B' => (&text[..at], 9),
            'T' => (&text[..at], 12),
            _ if text.starts_with(|c: char| c.is_ascii_digit()) => {
                let start = text
                    .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
                    .unwrap_or(0);
                return Err(QuantityError::Suffix {
                    text: text.to_owned(),
                    suffix: text[start..].trim_start().to_owned(),
                });
            }
            _ => return Err(not_a_number()),
        };
        let mantissa = mantissa.trim_end();
        let (mantissa, written_exponent) = match mantissa.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => {
                let exponent: i32 = exponent.parse().map_err(|_| not_a_number())?;
                if exponent.abs() > 400 {
                    return Err(QuantityError::TooLarge {
                        text: text.to_owned(),
                    });
                }
                (mantissa, exponent)
            }
            None => (mantissa, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let well_formed = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        // `.5` is a number, `.` and `_5` are none.
        let first = if whole.is_empty() { fraction } else { whole };
        let begins_with_digit = first.starts_with(|c: char| c.is_ascii_digit());
        if !begins_with_digit || !well_formed(whole) || !well_formed(fraction) {
            return Err(not_a_number());
        }
        let fraction = fraction.trim_end_matches(['0', '_']);
        let mut digits: u64 = 0;
        let mut fraction_digits = 0;
        for (position, byte) in whole.bytes().chain(fraction.bytes()).enumerate() {
            if byte == b'_' {
                continue;
            }
            digits = digits
                .checked_mul(10)
                .and_then(|value| value.checked_add(u64::from(byte - b'0')))
                .ok_or_else(|| QuantityError::TooLarge {
                    text: text.to_owned(),
                })?;
            if position >= whole.len() {
                fraction_digits += 1;
            }
        }
        Ok(Self {
            digits,
            exponent: written_exponent + suffix_exponent - fraction_digits,
        })
    }

    /// The nearest floating-point number; `text` is named when there is none.
    pub(crate) fn value(&self, text: &str) -> Result<f64, QuantityError> {
        let nearest = format!("{}e{}", self.digits, self.exponent).parse::<f64>();
        match nearest {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(QuantityError::TooLarge {
                text: text.to_owned(),
            }),
            Err(_) => Err(QuantityError::NotANumber {
                text: text.to_owned(),
            }),
        }
    }

    /// The number, when it is whole and fits.
    pub(crate) fn whole(&self) -> Result<u64, Inexact> {
        let mut value = self.digits;
        if value == 0 {
            return Ok(0);
        }
        for _ in 0..self.exponent.max(0) {
            value = value.checked_mul(10).ok_or(Inexact::Overflow)?;
        }
        for _ in self.exponent..0 {
            if !value.is_multiple_of(10) {
                return Err(Inexact::Fraction);
            }
            value /= 10;
        }
        Ok(value)
    }

    /// `self * unit`, cut to a whole number; `None` beyond 128 bits.
    pub(crate) fn times(&self, unit: u128) -> Option<u128> {
        let mut value = u128::from(self.digits).checked_mul(unit)?;
        for _ in 0..self.exponent.max(0) {
            value = value.checked_mul(10)?;
        }
        for _ in self.exponent..0 {
            value /= 10;
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(parse_number("20k"), Ok(20_000.0));
        assert_eq!(parse_number("10 k"), Ok(10_000.0));
        assert_eq!(parse_number("0.5"), Ok(0.5));
        assert_eq!(parse_number(".5"), Ok(0.5));
        assert_eq!(parse_number("5."), Ok(5.0));
        assert_eq!(parse_number("0.99"), Ok(0.99));
        for bad in ["-1", "inf", "NaN", "1e400", "1e500", ".", "_5", "1 000", "", "k"] {
            assert!(parse_number(bad).is_err(), "{bad}");
        }
    }
}
