//! Whether a measured phase was steady: its levels, and the times in which nothing was answered.

use serde::{Deserialize, Serialize};

/// How the measured phase went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steadiness {
    /// One level from begin to end.
    Steady,
    /// Its last level lasted for at least half of it; what came before is warm-up that was measured.
    Late,
    /// Its last level lasted for less than half of it, or it drifted, or pauses made up much of it.
    Never,
    /// Too short to say.
    NotJudged,
}

/// The levels of the measured phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadyState {
    /// How it went.
    pub steadiness: Steadiness,
    /// What its levels are of: `throughput`, or `latency` with a rate, which fixes the throughput, and in a closed loop in which
    /// only latency was unsteady. `pauses` where these made up much of it.
    pub judged_by: String,
    /// Windows that were looked at.
    pub windows: u64,
    /// Length of a window, nanoseconds.
    pub window_ns: u64,
    /// Every level in its order.
    pub levels: Vec<Level>,
    /// The times in which nothing was answered; absent where there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pauses: Option<Pauses>,
}

/// [`SteadyState::judged_by`] of a phase of which pauses made up much.
pub const JUDGED_BY_PAUSES: &str = "pauses";

impl SteadyState {
    /// Whether pauses made up much of the phase.
    #[must_use]
    pub fn is_judged_by_pauses(&self) -> bool {
        self.judged_by == JUDGED_BY_PAUSES
    }
}

/// Times of a measured phase in which nothing was answered, although answers were to be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pauses {
    /// How many there were.
    pub count: u64,
    /// How long they were together, nanoseconds.
    pub total_ns: u64,
    /// How long half of them were at least, nanoseconds.
    pub median_ns: u64,
    /// How long the longest was, nanoseconds.
    pub longest_ns: u64,
    /// From the begin of one to the begin of the next, on average, nanoseconds; absent where there was only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_ns: Option<u64>,
}

/// A time without a change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Where it begins, nanoseconds since the start of the measured phase.
    pub from_ns: u64,
    /// Successful operations per second in it.
    pub throughput_per_second: f64,
    /// Median over its windows of their median latency, nanoseconds (of several kinds of operations, the geometric mean of
    /// their medians); absent without operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p50_ns: Option<f64>,
}
