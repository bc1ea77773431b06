//! Numbers and durations as people write them: `1M`, `5k`, `1e9`, `90s`, `1h30m`, `500ms`.

use std::time::Duration;

/// Why a text is not a quantity. The message names the text and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// Nothing, or only blanks.
    #[error("a number is missing; write one like 1000, 5k, 1M or 1e9")]
    Empty,
    /// Not a number with a known suffix.
    #[error("`{text}` is not a number; write one like 1000, 5k, 1M, 2.5M or 1e9")]
    NotANumber {
        /// What was given.
        text: String,
    },
    /// A suffix that could be mistaken.
    #[error("`{text}`: `{suffix}` is not a suffix of a number; use k, M, G or T (a million is `M`)")]
    Suffix {
        /// What was given.
        text: String,
        /// Its last letters.
        suffix: String,
    },
    /// A count that is not whole, such as `0.5` or `1.2345k`.
    #[error("`{text}` is not a whole number")]
    NotWhole {
        /// What was given.
        text: String,
    },
    /// More than 64 bits hold.
    #[error(
        "`{text}` is too large; the largest number is 18446744073709551615, the longest time about 584 years"
    )]
    TooLarge {
        /// What was given.
        text: String,
    },
    /// A duration without a unit.
    #[error("`{text}` has no unit of time; write {text}s, {text}ms, {text}m or {text}h")]
    NoUnit {
        /// What was given.
        text: String,
    },
    /// Not a duration.
    #[error(
        "`{text}` is not a time; write one like 90s, 500ms, 10m or 1h30m (units: ns, us, ms, s, m, h, d)"
    )]
    NotADuration {
        /// What was given.
        text: String,
    },
}

/// A whole number: digits, `_` between digits, an optional fraction, exponent (`1e9`) and suffix
/// (`k` = 10^3, `M` = 10^6, `G` or `B` = 10^9, `T` = 10^12). The value must be whole: `1.5k` is 1500, `1.5` is refused.
///
/// # Errors
/// [`QuantityError`] says what is wrong with the text.
pub fn parse_count(text: &str) -> Result<u64, QuantityError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(QuantityError::Empty);
    }
    let scaled = Decimal::parse(trimmed)?;
    scaled.whole().map_err(|problem| match problem {
        Inexact::Fraction => QuantityError::NotWhole {
            text: trimmed.to_owned(),
        },
        Inexact::Overflow => QuantityError::TooLarge {
            text: trimmed.to_owned(),
        },
    })
}

/// A number that need not be whole, with the same suffixes as [`parse_count`]: a rate such as `20k` or `0.5`.
/// Never negative, infinite or NaN.
///
/// # Errors
/// [`QuantityError`] says what is wrong with the text.
pub fn parse_number(text: &str) -> Result<f64, QuantityError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(QuantityError::Empty);
    }
    let decimal = Decimal::parse(trimmed)?;
    let value = format!("{}e{}", decimal.digits, decimal.exponent)
        .parse::<f64>()
        .map_err(|_| QuantityError::NotANumber {
            text: trimmed.to_owned(),
        })?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(QuantityError::TooLarge {
            text: trimmed.to_owned(),
        })
    }
}

/// A time with units, largest first or in any order: `90s`, `1h30m`, `500ms`, `1.5h`, `2d`.
/// Units: `ns`, `us`, `ms`, `s`, `m` (or `min`), `h`, `d`.
///
/// # Errors
/// [`QuantityError`] says what is wrong with the text; a bare number asks for its unit.
pub fn parse_duration(text: &str) -> Result<Duration, QuantityError> {
    let trimmed = text.trim();
    let bad = || QuantityError::NotADuration {
        text: trimmed.to_owned(),
    };
    if trimmed.is_empty() {
        return Err(bad());
    }
    let mut total_ns: u128 = 0;
    let mut rest = trimmed;
    while !rest.is_empty() {
        let number_end = rest
            .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
            .unwrap_or(rest.len());
        let (number, tail) = rest.split_at(number_end);
        let unit_end = tail
            .find(|c: char| !c.is_ascii_alphabetic() && c != 'µ')
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let unit_ns: u128 = match unit {
            "ns" => 1,
            "us" | "µs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            "" if rest.len() == trimmed.len() && tail.is_empty() && Decimal::parse(number).is_ok() => {
                return Err(QuantityError::NoUnit {
                    text: trimmed.to_owned(),
                });
            }
            _ => return Err(bad()),
        };
        let decimal = Decimal::parse(number).map_err(|_| bad())?;
        let nanoseconds = decimal.times(unit_ns).ok_or_else(|| QuantityError::TooLarge {
            text: trimmed.to_owned(),
        })?;
        total_ns = total_ns.saturating_add(nanoseconds);
        rest = tail;
    }
    u64::try_from(total_ns)
        .map(Duration::from_nanos)
        .map_err(|_| QuantityError::TooLarge {
            text: trimmed.to_owned(),
        })
}

/// The shortest exact writing of a count: `1000000` is `1M`, `1500` is `1.5k`, `1234` stays `1234`.
/// [`parse_count`] reads it back.
#[must_use]
pub fn format_count(count: u64) -> String {
    for (scale, suffix) in [
        (1_000_000_000_000, "T"),
        (1_000_000_000, "G"),
        (1_000_000, "M"),
        (1_000, "k"),
    ] {
        if count >= scale && count.is_multiple_of(scale / 10) {
            let whole = count / scale;
            let tenth = count % scale / (scale / 10);
            return if tenth == 0 {
                format!("{whole}{suffix}")
            } else {
                format!("{whole}.{tenth}{suffix}")
            };
        }
    }
    count.to_string()
}

/// The shortest exact writing of a time: `5400 s` is `1h30m`, `0.5 s` is `500ms`. [`parse_duration`] reads it back.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let mut rest = duration.as_nanos();
    if rest == 0 {
        return "0s".to_owned();
    }
    let mut text = String::new();
    for (unit_ns, unit) in [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "m"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "us"),
        (1, "ns"),
    ] {
        let amount = rest / unit_ns;
        rest %= unit_ns;
        if amount > 0 {
            text.push_str(&amount.to_string());
            text.push_str(unit);
        }
    }
    text
}

/// `digits * 10^exponent`, exactly.
struct Decimal {
    digits: u64,
    exponent: i32,
}

enum Inexact {
    Fraction,
    Overflow,
}

impl Decimal {
    fn parse(text: &str) -> Result<Self, QuantityError> {
        let not_a_number = || QuantityError::NotANumber {
            text: text.to_owned(),
        };
        let (mantissa, suffix_exponent) = match text.char_indices().next_back() {
            Some((_, last)) if last.is_ascii_digit() || last == '.' => (text, 0),
            Some((at, last)) => {
                let exponent = match last {
                    'k' | 'K' => 3,
                    'M' => 6,
                    'G' | 'B' => 9,
                    'T' => 12,
                    _ if text.starts_with(|c: char| c.is_ascii_digit()) => {
                        let start = text
                            .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
                            .unwrap_or(0);
                        return Err(QuantityError::Suffix {
                            text: text.to_owned(),
                            suffix: text[start..].to_owned(),
                        });
                    }
                    _ => return Err(not_a_number()),
                };
                (&text[..at], exponent)
            }
            None => return Err(not_a_number()),
        };
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
        if !whole.starts_with(|c: char| c.is_ascii_digit()) || !well_formed(whole) || !well_formed(fraction) {
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

    fn whole(&self) -> Result<u64, Inexact> {
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
    fn times(&self, unit: u128) -> Option<u128> {
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
            assert_eq!(parse_count(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn bad_counts_say_why() {
        let message = |text| parse_count(text).unwrap_err().to_string();
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
    fn numbers() {
        assert_eq!(parse_number("20k"), Ok(20_000.0));
        assert_eq!(parse_number("0.5"), Ok(0.5));
        assert_eq!(parse_number("0.99"), Ok(0.99));
        assert!(parse_number("-1").is_err());
        assert!(parse_number("inf").is_err());
        assert!(parse_number("NaN").is_err());
        assert!(parse_number("1e400").is_err());
    }

    #[test]
    fn durations() {
        for (text, nanoseconds) in [
            ("90s", 90_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("500ms", 500_000_000),
            ("1.5s", 1_500_000_000),
            ("10min", 600_000_000_000),
            ("2d", 172_800_000_000_000),
            ("7us", 7_000),
            ("3ns", 3),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_nanos(nanoseconds)),
                "{text}"
            );
        }
        assert_eq!(
            parse_duration("90").unwrap_err().to_string(),
            "`90` has no unit of time; write 90s, 90ms, 90m or 90h"
        );
        for bad in ["", "s", "1x", "1h30", "-1s", "1 s", "hour"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn written_and_read_back() {
        for count in [
            0,
            1,
            999,
            1_000,
            1_234,
            1_500,
            1_000_000,
            2_500_000,
            3_000_000_000,
            u64::MAX,
        ] {
            assert_eq!(parse_count(&format_count(count)), Ok(count));
        }
        assert_eq!(format_count(1_000_000), "1M");
        assert_eq!(format_count(1_500), "1.5k");
        for nanoseconds in [0, 1, 1_500_000, 5_400_000_000_000, u64::MAX] {
            let duration = Duration::from_nanos(nanoseconds);
            assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
        }
        assert_eq!(format_duration(Duration::from_secs(5400)), "1h30m");
    }
}
