//! How much: counts, clients, rates.

use std::fmt;

use dbdyno_vocabulary::{self as vocabulary, parse_up_to};
use dbdyno_workload::MOST_CLIENTS;
use serde::{Serialize, Serializer};

use crate::Scalar;
use crate::scalar::scalars;

/// What a number of records is, for the help of a mistake.
pub const COUNT_HELP: &str = "write a whole number of at least 1, e.g. 50000, \"50k\" or \"1M\"";
/// The most trials of a cell: more than anybody waits for would only fill the memory with their plan.
pub const TRIALS: u32 = 10_000;
/// How a rate says that the loop is closed.
pub const UNLIMITED: &str = "unlimited";
/// How a rate says that pilots find it.
pub const COMMON: &str = "common";
/// How a number of operations says that it is that of the records.
const AS_RECORDS: &str = "records";

/// The schema of a whole number of at least `least`.
#[cfg(feature = "schema")]
fn whole(least: u64) -> serde_json::Value {
    serde_json::json!({ "anyOf": [
        { "type": "integer", "minimum": least },
        { "type": "string", "pattern": "^[0-9][0-9_]*(\\.[0-9]+)?(e[0-9]+)?[kMGBT]?$" },
    ] })
}

/// TOML's integers have 63 bits; larger ones are written as text, which is read alike.
pub(super) fn write_whole<S: Serializer>(number: u64, serializer: S) -> Result<S::Ok, S::Error> {
    match i64::try_from(number) {
        Ok(number) => serializer.serialize_i64(number),
        Err(_) => serializer.collect_str(&number),
    }
}

/// A number of records or operations, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub u64);

impl Scalar for Count {
    const HELP: &'static str = COUNT_HELP;

    fn read(text: &str) -> Result<Self, String> {
        match vocabulary::Count::parse_positive(text) {
            Ok(count) => Ok(Self(count.get())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        whole(1)
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_whole(self.0, serializer)
    }
}

/// How many operations end a measured phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operations {
    /// This many.
    Count(u64),
    /// As many as there are records.
    AsRecords,
}

impl fmt::Display for Operations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(formatter, "{count}"),
            Self::AsRecords => formatter.write_str(AS_RECORDS),
        }
    }
}

impl Scalar for Operations {
    const HELP: &'static str = "write whole numbers of at least 1, e.g. 50000 or \"1M\", or \"records\" for as many as there are records";

    fn read(text: &str) -> Result<Self, String> {
        if text == AS_RECORDS {
            return Ok(Self::AsRecords);
        }
        Count::read(text).map(|count| Self::Count(count.0))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "anyOf": [{ "const": AS_RECORDS }, whole(1)] })
    }
}

impl Serialize for Operations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Count(count) => write_whole(count, serializer),
            Self::AsRecords => serializer.serialize_str(AS_RECORDS),
        }
    }
}

/// A number of clients, or of threads for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Clients(pub u32);

impl Scalar for Clients {
    const HELP: &'static str = "write a whole number from 1 to 10000";

    fn read(text: &str) -> Result<Self, String> {
        parse_up_to(MOST_CLIENTS, text)
            .map(Self)
            .map_err(|error| error.to_string())
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        whole(1)
    }
}

/// How often each cell is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Trials(pub u32);

impl Scalar for Trials {
    const HELP: &'static str = "write a whole number from 1 to 10000";

    fn read(text: &str) -> Result<Self, String> {
        parse_up_to(TRIALS, text)
            .map(Self)
            .map_err(|error| error.to_string())
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        whole(1)
    }
}

/// How often a disturbed trial is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Repeats(pub u32);

impl Scalar for Repeats {
    const HELP: &'static str = "write a whole number; 0 to keep disturbed trials as they are";

    fn read(text: &str) -> Result<Self, String> {
        text.parse()
            .map(Self)
            .map_err(|error| format!("`{text}` cannot be read: {error}"))
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "type": "integer", "minimum": 0 })
    }
}

/// A seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Scalar for Seed {
    const HELP: &'static str = "write any whole number";

    fn read(text: &str) -> Result<Self, String> {
        match vocabulary::Count::parse(text) {
            Ok(seed) => Ok(Self(seed.get())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        whole(0)
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_whole(self.0, serializer)
    }
}

/// How operations are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// A closed loop: each client sends its next request as soon as the last one returned.
    Unlimited,
    /// An open loop of this many operations per second.
    PerSecond(f64),
    /// An open loop at one rate for all systems, found by pilots.
    Common,
}

impl Rate {
    /// The rate of an open loop that is known.
    #[must_use]
    pub const fn per_second(self) -> Option<f64> {
        match self {
            Self::PerSecond(rate) => Some(rate),
            Self::Unlimited | Self::Common => None,
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => formatter.write_str(UNLIMITED),
            Self::PerSecond(rate) => write!(formatter, "{rate}"),
            Self::Common => formatter.write_str(COMMON),
        }
    }
}

impl Scalar for Rate {
    const HELP: &'static str = "write operations per second, e.g. 500 or \"20k\", \"unlimited\" for a closed loop, or \"common\" for one rate that pilots find";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            UNLIMITED => return Ok(Self::Unlimited),
            COMMON => return Ok(Self::Common),
            _ => {}
        }
        match vocabulary::Rate::parse(text) {
            Ok(rate) if rate.get() == 0.0 => Err("a rate of 0 never sends anything".to_owned()),
            Ok(rate) => Ok(Self::PerSecond(rate.get())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[cfg(feature = "schema")]
    fn schema() -> serde_json::Value {
        serde_json::json!({ "anyOf": [
            { "enum": [UNLIMITED, COMMON] },
            { "type": "number", "exclusiveMinimum": 0 },
            { "type": "string", "pattern": "^[0-9][0-9_]*(\\.[0-9]+)?(e[0-9]+)?[kMGBT]? ?(ops/s|/s)?$" },
        ] })
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Unlimited => serializer.serialize_str(UNLIMITED),
            Self::Common => serializer.serialize_str(COMMON),
            // All of its digits, as in the records.
            Self::PerSecond(rate) => serializer.collect_str(&rate),
        }
    }
}

scalars! {
    Count: "Count",
    Operations: "Operations",
    Clients: "Clients",
    Trials: "Trials",
    Repeats: "Repeats",
    Seed: "Seed",
    Rate: "Rate",
}
