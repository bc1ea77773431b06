//! Values that only need files have: draws, weights, what keeping an objective is worth.

use dbdyno_vocabulary::{self as vocabulary, parse_number};
use serde::{Serialize, Serializer};

use crate::Scalar;
use crate::scalar::scalars;

/// Sums of larger weights might not be numbers any more.
const LARGEST_WEIGHT: f64 = 1e6;
/// The largest doubt about weights: beyond it, draws of a weight of one half are mostly 0 or 1.
const LARGEST_SPREAD: f64 = 0.4;
/// Fewer draws show too little, more take too long.
const DRAWS: std::ops::RangeInclusive<u64> = 1_000..=100_000;

/// The schema of a number within these bounds, which may be written as a text, too.
#[cfg(feature = "schema")]
fn number(bounds: serde_json::Value) -> serde_json::Value {
    let mut number = serde_json::json!({ "type": "number" });
    if let (Some(number), serde_json::Value::Object(bounds)) = (number.as_object_mut(), bounds) {
        number.extend(bounds);
    }
    serde_json::json!({ "anyOf": [number, { "type": "string", "pattern": "^[0-9][0-9_]*(\\.[0-9]+)?(e-?[0-9]+)?[kMGBT]?$" }] })
}

/// Whole numbers are written as such: `weight = 3`.
fn write_number<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && number.abs() <= LARGEST_WEIGHT {
        serializer.serialize_i64(number as i64)
    } else {
        serializer.serialize_f64(number)
    }
}

/// How far weights may be off: the standard deviation of a weight of one half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightSpread(pub f64);

impl Scalar for WeightSpread {
    const HELP: &'static str = "write a number from 0 (weights are exact) to 0.4, e.g. 0.1: the standard deviation of a weight of one half";

    fn read(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(spread) if (0.0..=LARGEST_SPREAD).contains(&spread) => Ok(Self(spread)),
            _ => Err(format!("`{text}` is not a valid spread of weights")),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        number(serde_json::json!({ "minimum": 0, "maximum": LARGEST_SPREAD }))
    }
}

impl Serialize for WeightSpread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_number(self.0, serializer)
    }
}

/// How often measurements and weights are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Draws(pub u32);

impl Scalar for Draws {
    const HELP: &'static str = "write a number from 1000 to 100000";

    fn read(text: &str) -> Result<Self, String> {
        let count = vocabulary::Count::parse(text).map(vocabulary::Count::get);
        match count {
            Ok(draws) if DRAWS.contains(&draws) => Ok(Self(draws as u32)),
            _ => Err(format!("`{text}` is not a valid number of draws")),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        number(serde_json::json!({ "minimum": DRAWS.start(), "maximum": DRAWS.end() }))
    }
}

/// A number of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes(pub u64);

impl Scalar for Nodes {
    const HELP: &'static str = "write a number of nodes, e.g. 3";

    fn read(text: &str) -> Result<Self, String> {
        match vocabulary::Count::parse(text) {
            Ok(nodes) => Ok(Self(nodes.get())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        number(serde_json::json!({ "minimum": 0 }))
    }
}

impl Serialize for Nodes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        super::sizes::write_whole(self.0, serializer)
    }
}

/// How much a goal counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight(pub f64);

impl Scalar for Weight {
    const HELP: &'static str =
        "write a number from 0 to 1000000: it counts against the weights of the other goals";

    fn read(text: &str) -> Result<Self, String> {
        match parse_number(text) {
            Ok(weight) if weight > LARGEST_WEIGHT => Err(format!("`{text}` is too much")),
            Ok(weight) => Ok(Self(weight)),
            Err(error) => Err(error.to_string()),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        number(serde_json::json!({ "minimum": 0, "maximum": LARGEST_WEIGHT }))
    }
}

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_number(self.0, serializer)
    }
}

/// How many times as good it is to keep an objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times(pub f64);

impl Scalar for Times {
    const HELP: &'static str = "write how many times as good it is to keep the objective, above 1, e.g. 2";

    fn read(text: &str) -> Result<Self, String> {
        match parse_number(text) {
            Ok(times) if times > 1.0 => Ok(Self(times)),
            Ok(_) => Err(format!("{text} is not above 1")),
            Err(error) => Err(error.to_string()),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        number(serde_json::json!({ "exclusiveMinimum": 1 }))
    }
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_number(self.0, serializer)
    }
}

scalars! {
    WeightSpread: "WeightSpread",
    Draws: "Draws",
    Nodes: "Nodes",
    Weight: "Weight",
    Times: "Times",
}
