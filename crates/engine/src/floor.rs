//! The tool's own cost on this machine: what one operation takes when the database does nothing.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session};
use dbdyno_record::Floor;
use dbdyno_trial::{Limit, SystemSpec, TrialSpec};
use dbdyno_workload::Workload;

use crate::clock::{MonotonicTime, ThreadClock};
use crate::host::block_on;
use crate::recorder::Recorder;
use crate::report::{Report, Reports};
use crate::tally::Tally;
use crate::work::{SharedSequence, WorkSetup};
use crate::worker::run_client;

/// A session that says yes to everything and does nothing.
struct Empty;

impl Session for Empty {
    #[inline(always)]
    async fn read(&mut self, _: &Key, _: Fields, _: &mut Row) -> Result<Found, DbError> {
        Ok(Found::Yes)
    }

    #[inline(always)]
    async fn scan(&mut self, _: &Key, limit: u32, _: Fields, _: &mut Rows) -> Result<u32, DbError> {
        Ok(limit)
    }

    #[inline(always)]
    async fn insert(&mut self, _: &Key, _: &Row) -> Result<(), DbError> {
        Ok(())
    }

    #[inline(always)]
    async fn update(&mut self, _: &Key, _: &Row) -> Result<(), DbError> {
        Ok(())
    }

    #[inline(always)]
    async fn delete(&mut self, _: &Key) -> Result<(), DbError> {
        Ok(())
    }
}

/// How long the empty driver runs at a time, and how many times. The fastest run counts: a floor is what an operation takes at least,
/// and another process, a cold cache or a slow clock frequency only adds to it.
const RUN: Duration = Duration::from_millis(1);
const RUNS: usize = 5;

/// The floor of this workload: one client, closed loop, in a few milliseconds. Measured once per workload and process.
#[must_use]
pub fn measure(workload: &Arc<Workload>) -> Floor {
    static KNOWN: LazyLock<Mutex<Vec<(String, Floor)>>> = LazyLock::new(Mutex::default);
    let name = format!("{:?}", workload.specification());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, floor)) = known.iter().find(|(other, _)| *other == name) {
        return floor.clone();
    }
    let sequence = || workload.run(workload.specification().records, None, None);
    let runs = (0..RUNS).map(|_| empty_run(sequence(), false, None, RUN).floor());
    let floor = fastest(runs);
    known.push((name, floor.clone()));
    floor
}

fn fastest(runs: impl Iterator<Item = Floor>) -> Floor {
    runs.min_by(|one, other| one.operation_ns.total_cmp(&other.operation_ns))
        .unwrap_or_default()
}

/// The operations of a run against the empty driver, and their latencies.
#[derive(Debug)]
pub struct EmptyRun {
    /// Operations.
    pub operations: u64,
    /// From the first start to the last end.
    pub elapsed: Duration,
    /// Their latencies.
    pub latency: dbdyno_record::Latency,
}

impl EmptyRun {
    fn floor(&self) -> Floor {
        Floor {
            operation_ns: self.elapsed.as_nanos() as f64 / self.operations.max(1) as f64,
            clock_ns: clock_ns(),
            latency_p50_ns: self.latency.percentile_ns(50.0).unwrap_or(0),
            latency_p99_ns: self.latency.percentile_ns(99.0).unwrap_or(0),
        }
    }
}

/// Runs a sequence against the empty driver on this thread, as one client would.
#[must_use]
pub fn empty_run(
    sequence: dbdyno_workload::Sequence,
    load: bool,
    operations: Option<u64>,
    at_most: Duration,
) -> EmptyRun {
    let time = MonotonicTime::start();
    let start_ns = time.now_ns();
    let work = SharedSequence::new(WorkSetup {
        sequence,
        load,
        start_ns,
        spec: TrialSpec {
            limit: Limit {
                operations,
                duration: Some(at_most),
            },
            ..TrialSpec::new(SystemSpec::default(), "", 0)
        },
        interval: Duration::from_secs(1),
        warmup_interval: None,
        drain: Duration::ZERO,
        notice_ns: 0,
        verifies: false,
        deletes: false,
        sliced: false,
    });
    let (reports, mut received) = Reports::channel();
    let recorder = Recorder::new(reports);
    recorder.begin(&work, start_ns);
    block_on(run_client(&mut Empty, &work, &ThreadClock::new(time), &recorder));
    let mut tally = Tally::default();
    while let Ok(report) = received.try_recv() {
        if let Report::Delivery(delivery) = report {
            tally.merge(&delivery.tally);
        }
    }
    let elapsed = Duration::from_nanos(tally.last_end_ns.unwrap_or(start_ns).saturating_sub(start_ns));
    let mut latency = dbdyno_record::Latency::new();
    for record in tally.into_records(false).values() {
        latency.merge(&record.service);
    }
    EmptyRun {
        operations: latency.count(),
        elapsed,
        latency,
    }
}

/// The cost of one reading of the clock.
fn clock_ns() -> f64 {
    const READINGS: u32 = 2_000;
    let time = MonotonicTime::start();
    let before_ns = time.now_ns();
    for _ in 0..READINGS {
        std::hint::black_box(time.now_ns());
    }
    time.now_ns().saturating_sub(before_ns) as f64 / f64::from(READINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_held_up_does_not_raise_the_floor() {
        let floor = |operation_ns| Floor {
            operation_ns,
            ..Floor::default()
        };
        let floors = [900.0, 240.0, 236.0, 612.0].map(floor);
        assert_eq!(fastest(floors.into_iter()).operation_ns, 236.0);
    }
}
