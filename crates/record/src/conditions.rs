//! Under what conditions a trial was measured: whether the system was steady, and what else the machine did.

use serde::{Deserialize, Serialize};

use crate::{Interleaving, Steadiness, SteadyState};

/// Readings beside the operations. A reading that was not taken, or could not be, is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// The start of the servers that the trial ran on; absent where the lab did not start them, and for embedded stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<ServerStart>,
    /// Whether the measured phase was steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyState>,
    /// How long the warm-up took, where it ended by itself, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_ns: Option<u64>,
    /// The share of the servers' CPU time that just-in-time compilers took in the measured phase, from 0 to 1; absent without
    /// compilers, and where less than half a second was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compilers_share: Option<f64>,
    /// How fast the machine was around the trial; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceWork>,
    /// The turns in which it was measured beside others; absent where it was measured in one stretch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interleaving: Option<Interleaving>,
    /// The activity of the machine during the measured phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostRecord>,
    /// Codes of the findings that say that something outside the trial took part; empty when nothing did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed_by: Vec<String>,
}

impl Conditions {
    /// Whether there is nothing to keep.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether something outside the trial took part.
    #[must_use]
    pub fn is_disturbed(&self) -> bool {
        !self.disturbed_by.is_empty()
    }

    /// Whether the measured phase never reached a steady state of itself: levels that come and go with the CPUs of the machine say
    /// nothing of the system. Pauses do not come from there.
    #[must_use]
    pub fn never_steady(&self) -> bool {
        let steady = self.steady.as_ref();
        let Some(steady) = steady.filter(|steady| steady.steadiness == Steadiness::Never) else {
            return false;
        };
        let explains = |turns: &Interleaving| turns.explains(&steady.levels);
        steady.is_judged_by_pauses() || !self.interleaving.as_ref().is_some_and(explains)
    }
}

/// One start of a system's servers. Trials on one start are not independent: they share what chance made of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerStart {
    /// Its number in the result folder, from 1.
    pub id: u32,
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// How long the servers were warmed up before their first trial, until they were steady, nanoseconds; absent where they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_ns: Option<u64>,
}

/// CPU time of a fixed piece of work, done while the system was idle: the longer, the slower the machine was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceWork {
    /// Before the trial, nanoseconds.
    pub before_ns: f64,
    /// After it, nanoseconds.
    pub after_ns: f64,
}

impl ReferenceWork {
    /// The geometric mean of both, nanoseconds; `None` unless both are above zero.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        let mean = (self.before_ns * self.after_ns).sqrt();
        (self.before_ns > 0.0 && mean > 0.0 && mean.is_finite()).then_some(mean)
    }
}

/// What the machine did during the measured phase. Shares are of the time of all processors, 0 to 1, unless they say
/// otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostRecord {
    /// The time between the two looks at the machine, seconds.
    pub seconds: f64,
    /// Time that the hypervisor gave to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_share: Option<f64>,
    /// Time that processes used which belong neither to dbdyno nor to the system under test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_cpu_share: Option<f64>,
    /// The name of the one that used most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_other: Option<String>,
    /// Bytes that such processes read from and wrote to storage, per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_io_bytes_per_second: Option<f64>,
    /// Share of the time in which the control group's processor limit held a processor's work back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_share: Option<f64>,
    /// Share of the time in which some task waited for memory (pressure stall information).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_stalled_share: Option<f64>,
    /// Share of the time in which some task waited for storage. The system under test causes this, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_stalled_share: Option<f64>,
    /// Pages swapped in and out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swapped_pages: Option<u64>,
}
