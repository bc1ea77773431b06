//! Latencies of which only some figures are known: a log of another tool prints percentiles, not a histogram.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// In place of a fact that the source of an imported result does not tell. Nothing is known to be equal to it, itself included.
pub const NOT_STATED: &str = "not stated";

/// What somebody else wrote down of latencies. Nothing is added to it: a percentile that is not here is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedLatency {
    /// How many there were.
    pub count: u64,
    /// Their mean, nanoseconds.
    pub mean_ns: Option<f64>,
    /// The smallest.
    pub min_ns: Option<u64>,
    /// The largest.
    pub max_ns: Option<u64>,
    /// Percentiles by their number as it is written, e.g. `99` and `99.9`.
    pub percentiles_ns: BTreeMap<String, u64>,
}

/// Stated figures beside the histograms of one kind of operation, which are empty where these stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// Service time of successful operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<StatedLatency>,
    /// Response time of successful operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<StatedLatency>,
    /// Service time of all other operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<StatedLatency>,
}
