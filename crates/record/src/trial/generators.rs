//! The load generators that ran a trial together.

use serde::{Deserialize, Serialize};

use super::MeasureRecord;
use crate::{HostRecord, Latency};

/// One load generator of a trial, with what it did. What all of them did together is the trial's own record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorRecord {
    /// Its name, unique in the trial.
    pub name: String,
    /// The machine on which it ran, as that calls itself.
    pub host: String,
    /// Processors that it may use.
    pub cpus: u32,
    /// Clients that it had.
    pub clients: u32,
    /// How well its clock was known.
    pub clock: GeneratorClock,
    /// By how much it missed the agreed start of a phase, nanoseconds, at most: what it was told to do came too late.
    pub late_ns: u64,
    /// What its machine did in the measured phase; absent where that is the command's own, which the trial's conditions describe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<HostRecord>,
    /// Its part of the measured phase; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<MeasureRecord>,
}

/// How well the coordinator knew a load generator's clock: what begins together begins so far apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorClock {
    /// The shortest round trip of a message to it and back, nanoseconds.
    pub round_trip_ns: u64,
    /// By how much the difference of the clocks may be wrong, nanoseconds: half of that round trip.
    pub uncertainty_ns: u64,
    /// By how much the difference of the clocks changed during the trial, nanoseconds.
    pub moved_ns: i64,
}

impl GeneratorRecord {
    /// How far from the agreed time it may have begun a phase, nanoseconds.
    #[must_use]
    pub fn apart_ns(&self) -> u64 {
        self.late_ns
            .max(self.clock.uncertainty_ns)
            .max(self.clock.moved_ns.unsigned_abs())
    }

    /// The latencies of all its operations, response times where there was a rate; none where nothing was measured.
    #[must_use]
    pub fn latency(&self) -> Latency {
        let mut latency = Latency::new();
        for operation in self
            .measure
            .iter()
            .flat_map(|measure| measure.operations.values())
        {
            latency.merge(operation.response.as_ref().unwrap_or(&operation.service));
        }
        latency
    }

    /// Successful operations per second of one of its clients; `None` where nothing was measured.
    #[must_use]
    pub fn client_throughput(&self) -> Option<f64> {
        let throughput = self.measure.as_ref()?.throughput_per_second()?;
        Some(throughput / f64::from(self.clients.max(1)))
    }
}
