//! Lengths of time: `90s`, `1h30m`, `500ms`.

use std::fmt;
use std::time::Duration;

use crate::QuantityError;
use crate::decimal::Decimal;

/// A length of time, in whole nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(Duration);

const WRITTEN: [(u128, &str); 7] = [
    (86_400_000_000_000, "d"),
    (3_600_000_000_000, "h"),
    (60_000_000_000, "m"),
    (1_000_000_000, "s"),
    (1_000_000, "ms"),
    (1_000, "us"),
    (1, "ns"),
];

impl Time {
    /// This long.
    #[must_use]
    pub const fn new(duration: Duration) -> Self {
        Self(duration)
    }

    /// The length.
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }

    /// Reads numbers with their units, in any order: `90s`, `1h30m`, `500ms`, `1.5h`, `2d`.
    /// Units: `ns`, `us`, `ms`, `s`, `m` (or `min`), `h`, `d`. What is less than a nanosecond is cut off.
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong with the text; a bare number asks for its unit.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let bad = || QuantityError::NotADuration {
            text: text.to_owned(),
        };
        let too_large = || QuantityError::TooLarge {
            text: text.to_owned(),
        };
        let mut total_ns: u128 = 0;
        let mut rest = text;
        loop {
            let number_end = rest
                .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
                .unwrap_or(rest.len());
            let (number, tail) = rest.split_at(number_end);
            let tail = tail.trim_start();
            let unit_end = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(unit_end);
            let decimal = Decimal::parse(number).map_err(|_| bad())?;
            let Some(unit_ns) = nanoseconds(unit) else {
                let is_bare = unit.is_empty() && rest.len() == text.len() && tail.is_empty();
                return Err(if is_bare {
                    QuantityError::NoUnit {
                        text: text.to_owned(),
                    }
                } else {
                    bad()
                });
            };
            total_ns = total_ns.saturating_add(decimal.times(unit_ns).ok_or_else(too_large)?);
            rest = tail.trim_start();
            if rest.is_empty() {
                break;
            }
        }
        u64::try_from(total_ns)
            .map(|total_ns| Self(Duration::from_nanos(total_ns)))
            .map_err(|_| too_large())
    }
}

/// A unit of time, in nanoseconds.
fn nanoseconds(unit: &str) -> Option<u128> {
    Some(match unit {
        "ns" => 1,
        // The micro sign and the Greek letter look alike.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    })
}

/// The shortest exact writing: `5400 s` is `1h30m`, `0.5 s` is `500ms`.
impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_nanos();
        if rest == 0 {
            return formatter.pad("0s");
        }
        let mut text = String::new();
        for (unit_ns, unit) in WRITTEN {
            let amount = rest / unit_ns;
            rest %= unit_ns;
            if amount > 0 {
                text.push_str(&format!("{amount}{unit}"));
            }
        }
        formatter.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, nanoseconds) in [
            ("90s", 90_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1h 30m", 5_400_000_000_000),
            ("500ms", 500_000_000),
            ("5 ms", 5_000_000),
            ("1.5s", 1_500_000_000),
            (".5s", 500_000_000),
            ("10min", 600_000_000_000),
            ("2d", 172_800_000_000_000),
            ("7us", 7_000),
            ("7µs", 7_000),
            ("3ns", 3),
        ] {
            assert_eq!(
                Time::parse(text),
                Ok(Time(Duration::from_nanos(nanoseconds))),
                "{text}"
            );
        }
        assert_eq!(
            Time::parse("90").unwrap_err().to_string(),
            "`90` has no unit of time; write 90s, 90ms, 90m or 90h"
        );
        for bad in ["", "s", "1x", "1h30", "-1s", "hour", "1 000s"] {
            assert!(Time::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Time(Duration::from_secs(5400)).to_string(), "1h30m");
        assert_eq!(Time(Duration::ZERO).to_string(), "0s");
    }
}
