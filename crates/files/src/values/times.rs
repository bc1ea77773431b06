//! Lengths of time.

use std::time::Duration;

use dbdyno_vocabulary::Time;
use serde::{Serialize, Serializer};

use crate::Scalar;
use crate::scalar::scalars;

/// How a warm-up says that it ends when the system is steady.
pub const AUTO: &str = "auto";

#[cfg(feature = "schema")]
fn schema() -> serde_json::Value {
    serde_json::json!({ "type": "string", "pattern": "^([0-9._]+ ?(ns|us|µs|ms|s|m|min|h|d) ?)+$" })
}

/// The length of a phase: more than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTime(pub Duration);

impl Scalar for PhaseTime {
    const HELP: &'static str = "write a time with its unit, e.g. \"500ms\", \"90s\" or \"5m\"";

    fn read(text: &str) -> Result<Self, String> {
        match Time::parse(text) {
            Ok(time) if time.get().is_zero() => Err("a phase of no time measures nothing".to_owned()),
            Ok(time) => Ok(Self(time.get())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        schema()
    }
}

impl Serialize for PhaseTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Time::new(self.0))
    }
}

/// What goes before the measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// It lasts so long.
    Fixed(Duration),
    /// It ends when the system is steady.
    Auto,
}

impl Scalar for WarmUp {
    const HELP: &'static str = "write a time with its unit, e.g. \"500ms\", \"90s\" or \"5m\"; \"auto\" warms up until the throughput is steady";

    fn read(text: &str) -> Result<Self, String> {
        if text == AUTO {
            return Ok(Self::Auto);
        }
        Time::parse(text)
            .map(|time| Self::Fixed(time.get()))
            .map_err(|error| error.to_string())
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "anyOf": [{ "const": AUTO }, schema()] })
    }
}

impl Serialize for WarmUp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Fixed(duration) => serializer.collect_str(&Time::new(duration)),
            Self::Auto => serializer.serialize_str(AUTO),
        }
    }
}

scalars! { PhaseTime: "Time", WarmUp: "WarmUp" }
