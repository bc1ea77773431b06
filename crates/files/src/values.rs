//! The values that keys take: how they are written, and what is shown of one that is not.

mod levels;
mod money;
mod needs;
mod shares;
mod sizes;
mod times;

pub use levels::{ArrivalSpacing, Consistency, Durability, Kind, NoiseSource, Order, Restart};
pub use money::{Currency, Day, Machines, Price};
pub use needs::{Draws, Nodes, Times, Weight, WeightSpread};
pub use shares::{CommonRate, Noise, Percentage, Precision, RepeatBudget, Step};
pub use sizes::{
    COMMON, COUNT_HELP, Clients, Count, Operations, Rate, Repeats, Seed, TRIALS, Trials, UNLIMITED,
};
pub use times::{AUTO, PhaseTime, WarmUp};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::Scalar;
use crate::mistake;
use crate::scalar::scalars;

/// Any text; a number is read as the text that it is written as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text(pub String);

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Scalar for Text {
    const HELP: &'static str = "";

    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "string" })
    }
}

scalars! { Text: "Text" }

/// `true` or `false`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Switch(pub bool);

struct SwitchVisitor;

impl SwitchVisitor {
    fn refuse<E: Error>() -> Result<bool, E> {
        Err(E::custom(mistake::wrong_type("`true` or `false`")))
    }
}

impl<'de> Visitor<'de> for SwitchVisitor {
    type Value = bool;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("`true` or `false`")
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<bool, E> {
        Ok(switch)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<bool, E> {
        Self::refuse()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<bool, E> {
        Self::refuse()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<bool, E> {
        Self::refuse()
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, _: A) -> Result<bool, A::Error> {
        Self::refuse()
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, _: A) -> Result<bool, A::Error> {
        Self::refuse()
    }
}

impl<'de> Deserialize<'de> for Switch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SwitchVisitor).map(Self)
    }
}
