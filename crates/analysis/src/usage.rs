//! What client and servers used, over time and on the whole: CPUs, memory, disks.

use dbdyno_record::{Interleaving, ParkedIo, TrialRecord};
use serde::Serialize;

use super::starts::median;
use crate::TimelinePoint;

/// What was used in a stretch of time; nothing where it was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// CPUs that the client process kept busy: CPU time by time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_cpus: Option<f64>,
    /// Largest resident memory of the client process, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_memory_bytes: Option<f64>,
    /// CPUs that the servers kept busy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_cpus: Option<f64>,
    /// Largest resident memory of the servers, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_memory_bytes: Option<f64>,
    /// Read from storage by the servers, bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_read_bytes_per_second: Option<f64>,
    /// Written to storage with the servers' data, bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_written_bytes_per_second: Option<f64>,
}

impl Usage {
    /// What was used over several intervals: sums by time, and the largest memory.
    pub fn of<'a>(rows: impl Iterator<Item = &'a TimelinePoint> + Clone) -> Self {
        let per_second = |of: &dyn Fn(&TimelinePoint) -> Option<f64>| {
            let known = rows.clone().filter_map(|row| Some((of(row)?, row.duration_s)));
            let (used, seconds) = known.reduce(|sum, own| (sum.0 + own.0, sum.1 + own.1))?;
            (seconds > 0.0).then(|| used / seconds)
        };
        let largest = |of: &dyn Fn(&TimelinePoint) -> Option<u64>| {
            let known = rows.clone().filter_map(of);
            known.max().map(|bytes| bytes as f64)
        };
        let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64);
        Self {
            client_cpus: per_second(&|row| row.client_cpu_seconds),
            client_memory_bytes: largest(&|row| row.client_memory_bytes),
            server_cpus: per_second(&|row| row.server_cpu_seconds),
            server_memory_bytes: largest(&|row| row.server_memory_bytes),
            server_read_bytes_per_second: per_second(&|row| bytes(row.server_read_bytes)),
            server_written_bytes_per_second: per_second(&|row| bytes(row.server_written_bytes)),
        }
    }

    /// The same with every value rounded.
    pub fn rounded(self, round: fn(f64) -> f64) -> Self {
        Self {
            client_cpus: self.client_cpus.map(round),
            client_memory_bytes: self.client_memory_bytes.map(round),
            server_cpus: self.server_cpus.map(round),
            server_memory_bytes: self.server_memory_bytes.map(round),
            server_read_bytes_per_second: self.server_read_bytes_per_second.map(round),
            server_written_bytes_per_second: self.server_written_bytes_per_second.map(round),
        }
    }
}

/// What the client side cost over the completed trials.
#[derive(Clone, Debug, Serialize)]
pub struct ClientSummary {
    /// Median share of all processors, 0 to 1.
    pub cpu_share: f64,
    /// Median CPU time for one successful operation, nanoseconds.
    pub cpu_per_operation_ns: f64,
    /// Largest resident memory, bytes.
    pub peak_memory_bytes: u64,
}

/// CPU time and storage traffic of a system that took turns with others, over all completed trials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ParkedUse {
    /// In its own turns, seconds.
    pub own_cpu_seconds: f64,
    /// In the turns of others, seconds.
    pub parked_cpu_seconds: f64,
    /// What its servers read from storage and wrote to it; absent for embedded stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io: Option<ParkedIo>,
}

impl ParkedUse {
    /// Of these trials; `None` where one of them does not know it.
    pub fn of(trials: &[&TrialRecord]) -> Option<Self> {
        let turns = trials
            .iter()
            .filter_map(|trial| trial.conditions.interleaving.as_ref());
        let work: Vec<_> = turns.map(|turns| turns.work).collect::<Option<_>>()?;
        (!work.is_empty()).then(|| Self {
            own_cpu_seconds: work.iter().map(|work| work.own_cpu_seconds).sum(),
            parked_cpu_seconds: work.iter().map(|work| work.parked_cpu_seconds).sum(),
            io: work
                .iter()
                .map(|work| work.io)
                .reduce(|sum, own| {
                    let (sum, own) = (sum?, own?);
                    Some(ParkedIo {
                        own_bytes: sum.own_bytes + own.own_bytes,
                        parked_bytes: sum.parked_bytes + own.parked_bytes,
                    })
                })
                .flatten(),
        })
    }
}

/// What the switches between systems that took turns cost one of them, as the heads of its slices show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SwitchCost {
    /// By how much longer the operations of a head took than as many measured ones, nanoseconds: the median of the trials, 0 at least.
    pub lost_ns: f64,
    /// How much of each slice is not measured, nanoseconds: the least of the trials.
    pub head_ns: u64,
}

impl SwitchCost {
    /// Of these trials; `None` where none of them knows it.
    pub fn of(trials: &[&TrialRecord]) -> Option<Self> {
        let turns = || {
            trials
                .iter()
                .filter_map(|trial| trial.conditions.interleaving.as_ref())
        };
        let lost = turns().filter_map(Interleaving::lost_in_heads_ns).collect();
        Some(Self {
            lost_ns: median(lost)?.max(0.0),
            head_ns: turns().map(|turns| turns.head_ns).min()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(duration_s: f64, cpu_seconds: Option<f64>, memory_bytes: u64) -> TimelinePoint {
        TimelinePoint {
            duration_s,
            server_cpu_seconds: cpu_seconds,
            server_memory_bytes: Some(memory_bytes),
            server_written_bytes: Some(1000),
            ..TimelinePoint::default()
        }
    }

    #[test]
    fn use_is_summed_by_time_and_memory_is_the_largest() {
        let rows = [row(1.0, Some(1.5), 300), row(0.5, Some(0.0), 200)];
        let usage = Usage::of(rows.iter());
        assert_eq!(usage.server_cpus, Some(1.0));
        assert_eq!(usage.server_memory_bytes, Some(300.0));
        assert_eq!(usage.server_written_bytes_per_second, Some(2000.0 / 1.5));
        assert_eq!(usage.client_cpus, None);
    }

    #[test]
    fn an_interval_without_a_measurement_is_no_zero() {
        let rows = [row(1.0, Some(1.5), 300), row(1.0, None, 300)];
        assert_eq!(Usage::of(rows.iter()).server_cpus, Some(1.5));
        assert_eq!(Usage::of([].iter()), Usage::default());
    }
}
