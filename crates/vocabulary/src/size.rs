//! Numbers of bytes: `64M`, `512MiB`, `2GB`, `4096`.

use std::fmt;

use crate::QuantityError;
use crate::decimal::Decimal;

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u64);

/// Units from the longest spelling to the shortest, so that `MiB` is not taken for `B`. A single letter is a power of 1024, as in the
/// options of databases.
const UNITS: [(&str, u64); 18] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
    ("k", 1 << 10),
    ("K", 1 << 10),
    ("m", 1 << 20),
    ("M", 1 << 20),
    ("g", 1 << 30),
    ("G", 1 << 30),
    ("t", 1 << 40),
    ("T", 1 << 40),
];

/// Units in descending order.
const WRITTEN: [(&str, u64); 8] = [
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
];

impl Size {
    /// This many bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Reads a number of bytes: without a unit, with a binary one (`KiB` to `TiB`, or the letter alone) or a decimal one (`kB` to `TB`).
    /// What is less than a byte is cut off.
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let (number, unit) = UNITS
            .into_iter()
            .find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?.trim_end(), bytes)))
            .unwrap_or((text, 1));
        let is_plain = number.ends_with(|last: char| last.is_ascii_digit() || last == '.');
        let decimal = Some(number)
            .filter(|_| is_plain)
            .and_then(|number| Decimal::parse(number).ok())
            .ok_or_else(|| QuantityError::NotASize {
                text: text.to_owned(),
            })?;
        decimal
            .times(u128::from(unit))
            .and_then(|bytes| u64::try_from(bytes).ok())
            .map(Self)
            .ok_or_else(|| QuantityError::TooLarge {
                text: text.to_owned(),
            })
    }
}

/// The exact writing in the largest unit that leaves a whole number: `64MiB`, `2GB`, `4097B`.
impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = |(_, unit): &&(&str, u64)| self.0 > 0 && self.0.is_multiple_of(*unit);
        let (name, unit) = WRITTEN.iter().find(exact).unwrap_or(&("B", 1));
        formatter.pad(&format!("{}{name}", self.0 / unit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("7", 7),
            ("2k", 2048),
            ("3M", 3 << 20),
            ("1G", 1 << 30),
            ("1T", 1 << 40),
            ("1.5M", 3 << 19),
            ("512MiB", 512 << 20),
            ("2 GB", 2_000_000_000),
            ("1.5kB", 1500),
            ("0.1KiB", 102),
            ("12B", 12),
            ("1e3", 1000),
        ] {
            assert_eq!(Size::parse(text), Ok(Size(bytes)), "{text}");
        }
        for bad in ["", "M", "-1", "+1", "é", "1kk", "5 apples", "MiB", "99999999999G"] {
            assert!(Size::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Size(64 << 20).to_string(), "64MiB");
        assert_eq!(Size(2_000_000_000).to_string(), "2GB");
        assert_eq!(Size(4097).to_string(), "4097B");
        assert_eq!(Size(0).to_string(), "0B");
    }
}
