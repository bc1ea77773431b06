//! Values of `[cost]`: prices, their currency and their day, and how many nodes are paid for.

use dbdyno_vocabulary::{self as vocabulary, parse_number};
use serde::{Serialize, Serializer};

use crate::Scalar;
use crate::scalar::scalars;

/// More than anything costs for an hour.
const LARGEST_PRICE: f64 = 1e9;
/// Less would be lost in the digits of a number.
const SMALLEST_PRICE: f64 = 1e-12;
/// A currency stands beside every figure.
const LONGEST_CURRENCY: usize = 12;
/// More nodes than anybody pays for by mistake.
const MOST_MACHINES: u64 = 100_000;

/// The price of something for an hour: above zero, in the currency of its table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price(pub f64);

impl Scalar for Price {
    const HELP: &'static str =
        "write a number above 0, e.g. 0.2: the price for an hour, without its currency";

    fn read(text: &str) -> Result<Self, String> {
        let price: f64 = match parse_number(text) {
            Ok(price) => price,
            // Refused with the other prices that nobody can pay.
            Err(error) => text.trim().parse().map_err(|_| error.to_string())?,
        };
        match price {
            price if price.is_nan() || price.is_infinite() => Err(format!("`{text}` is not a price")),
            price if price <= 0.0 => Err(format!("a price is above 0, and this one is `{text}`")),
            price if !(SMALLEST_PRICE..=LARGEST_PRICE).contains(&price) => {
                Err(format!("`{text}` is too small or too large for a price"))
            }
            price => Ok(Self(price)),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": LARGEST_PRICE },
            { "type": "string" },
        ] })
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

/// A currency: any word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Currency(pub String);

impl Scalar for Currency {
    const HELP: &'static str = "write one word of up to 12 letters, e.g. \"USD\"";

    fn read(text: &str) -> Result<Self, String> {
        // Letters, and signs such as "€".
        let is_plain = |letter: char| {
            !letter.is_whitespace()
                && !letter.is_control()
                && !letter.is_ascii_digit()
                && (!letter.is_ascii_punctuation() || letter == '$')
        };
        let length = text.chars().count();
        if length == 0 || length > LONGEST_CURRENCY || !text.chars().all(is_plain) {
            return Err(format!("`{text}` is not the name of a currency"));
        }
        Ok(Self(text.to_owned()))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string", "minLength": 1, "maxLength": LONGEST_CURRENCY })
    }
}

/// A day, written `2026-06-17`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Day(pub String);

impl Scalar for Day {
    const HELP: &'static str = "write a day such as \"2026-06-17\"";

    fn read(text: &str) -> Result<Self, String> {
        let fits = |(index, byte): (usize, u8)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        let has_form = text.len() == 10 && text.bytes().enumerate().all(fits);
        match has_form && text.parse::<jiff::civil::Date>().is_ok() {
            true => Ok(Self(text.to_owned())),
            false => Err(format!("`{text}` is not a date")),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" })
    }
}

/// How many nodes are paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machines(pub u32);

impl Scalar for Machines {
    const HELP: &'static str = "write how many nodes are paid for, from 1 to 100000";

    fn read(text: &str) -> Result<Self, String> {
        let count = vocabulary::Count::parse(text).map(vocabulary::Count::get);
        match count {
            Ok(nodes) if (1..=MOST_MACHINES).contains(&nodes) => Ok(Self(nodes as u32)),
            _ => Err(format!("`{text}` is not a valid number of nodes")),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": MOST_MACHINES },
            { "type": "string" },
        ] })
    }
}

impl Serialize for Machines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0)
    }
}

scalars! {
    Price: "Price",
    Currency: "Currency",
    Day: "Day",
    Machines: "Machines",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_above_zero_and_finite() {
        for (text, price) in [("0.2", 0.2), ("1", 1.0), ("1e-3", 0.001), ("1k", 1000.0)] {
            assert_eq!(Price::read(text), Ok(Price(price)), "{text}");
        }
        for (text, why) in [
            ("0", "above 0"),
            ("0.0", "above 0"),
            ("-1.5", "above 0"),
            ("NaN", "not a price"),
            ("inf", "not a price"),
            ("1e30", "too large"),
            ("dear", "dear"),
        ] {
            let error = Price::read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_currency_is_any_word_and_a_day_is_a_day() {
        for word in ["USD", "€", "US$", "credits"] {
            assert_eq!(Currency::read(word), Ok(Currency(word.to_owned())));
        }
        for word in ["", "US dollars", "1", "abcdefghijklm", "a\tb", "<EUR>", "\"x"] {
            assert!(Currency::read(word).is_err(), "{word:?}");
        }
        assert!(Day::read("2026-06-17").is_ok());
        for day in [
            "2026-13-01",
            "2026-02-31",
            "2026-00-10",
            "17.06.2026",
            "2026-6-17",
            "2026-06-1é",
        ] {
            assert!(Day::read(day).is_err(), "{day}");
        }
    }
}
