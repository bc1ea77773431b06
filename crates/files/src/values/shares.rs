//! Parts of a whole.

use dbdyno_vocabulary::{QuantityError, Share};
use serde::{Serialize, Serializer};

use crate::Scalar;
use crate::scalar::scalars;

/// The smallest and largest step between two rates.
const STEPS: std::ops::RangeInclusive<f64> = 0.01..=0.5;

#[cfg(feature = "schema")]
fn schema() -> serde_json::Value {
    serde_json::json!({ "anyOf": [
        { "type": "number", "minimum": 0 },
        { "type": "string", "pattern": "^[0-9.]+ ?%?$" },
    ] })
}

macro_rules! shares {
    ($($(#[$doc:meta])* $share:ident: $name:literal, $help:literal, $read:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $share(pub f64);

        impl Scalar for $share {
            const HELP: &'static str = $help;

            fn read(text: &str) -> Result<Self, String> {
                let read: fn(&str) -> Result<Share, QuantityError> = $read;
                let share = read(text).map_err(|error| error.to_string())?;
                Ok(Self(share.get()))
            }

            #[cfg(feature = "schema")]
            fn schema() -> serde_json::Value {
                schema()
            }
        }

        impl Serialize for $share {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&Share::new(self.0))
            }
        }

        scalars! { $share: $name }
    )*};
}

shares! {
    /// Half the width that intervals may have.
    Precision: "Precision",
        "write half the width that the intervals may have, e.g. \"5%\" or 0.05, less than 100%", Share::parse_proper;
    /// The common rate, as a share of the slowest system's closed-loop throughput.
    CommonRate: "CommonRate",
        "write the share of the slowest system's closed-loop throughput, e.g. \"50%\" or 0.5, less than 100%", Share::parse_proper;
    /// The noise that a plan is made for.
    Noise: "Noise", "write a share, e.g. \"8%\"", Share::parse_proper;
    /// How much of a study's estimated time repetitions may take.
    RepeatBudget: "RepeatBudget",
        "a share of the study's estimated time, e.g. \"20%\"; \"0%\" repeats nothing",
        |text| Share::parse_within(text, 0.0..=100.0);
    /// Any share of a whole, less than all of it.
    Percentage: "Percentage", "write a percentage, e.g. \"5%\"", |text| Share::parse_within(text, 0.0..1.0);
    /// The relative step between two rates of a search.
    Step: "Step", "write a percentage from 1% to 50%, e.g. \"5%\"", |text| Share::parse_within(text, STEPS);
}
