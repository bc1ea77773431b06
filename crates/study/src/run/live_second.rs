//! The second that is not over yet, as `live.jsonl` says it: a line of everything, and lines for each kind of operation.

use std::collections::BTreeMap;

use dbdyno_driver::ErrorClass;
use dbdyno_engine::{Interval, ServerUse};
use dbdyno_record::live::{LatencyRow, LiveEvent, OutcomeRow};
use dbdyno_record::live_buckets::LatencyBuckets;
use dbdyno_workload::OperationKind;

use crate::run::recording::OpenInterval;

/// A second that grows.
pub(super) struct LiveSecond {
    row: OpenInterval,
    operations: BTreeMap<OperationKind, LiveOperation>,
}

/// One kind of operation.
#[derive(Default)]
struct LiveOperation {
    latency: LatencyBuckets,
    not_found: u64,
    too_early: u64,
    errors: u64,
    errors_by_class: BTreeMap<ErrorClass, u64>,
}

impl LiveSecond {
    pub(super) fn new(interval: &Interval) -> Self {
        let mut second = Self {
            row: OpenInterval::new(interval),
            operations: BTreeMap::new(),
        };
        second.add_operations(interval);
        second
    }

    /// Whether an interval belongs to this second.
    pub(super) fn holds(&self, interval: &Interval) -> bool {
        self.row.holds(interval)
    }

    pub(super) fn add(&mut self, interval: &Interval) {
        self.row.add(interval);
        self.add_operations(interval);
    }

    /// Takes in what servers used, if it belongs to this second.
    pub(super) fn servers(&mut self, servers: &ServerUse) {
        if self.row.holds_servers(servers) {
            self.row.add_servers(servers);
        }
    }

    fn add_operations(&mut self, interval: &Interval) {
        for (kind, operation) in &interval.operations {
            let sum = self.operations.entry(*kind).or_default();
            sum.latency
                .add(operation.response.as_ref().unwrap_or(&operation.service));
            sum.not_found += operation.not_found;
            sum.too_early += operation.too_early;
            sum.errors += operation.errors;
            for (class, count) in &operation.errors_by_class {
                *sum.errors_by_class.entry(*class).or_default() += count;
            }
        }
    }

    /// The lines.
    pub(super) fn events(&self) -> Vec<LiveEvent> {
        let row = self.row.row();
        let (phase, offset_s) = (row.phase.clone(), row.start_s);
        let mut events = vec![LiveEvent::Second(row)];
        for (kind, operation) in &self.operations {
            if operation.latency.count() > 0 {
                events.push(LiveEvent::Latencies(LatencyRow {
                    phase: phase.clone(),
                    offset_s,
                    operation: kind.name().to_owned(),
                    buckets: operation.latency.iter().collect(),
                    sum_s: operation.latency.sum_s(),
                }));
            }
            if operation.not_found + operation.too_early + operation.errors > 0 {
                events.push(LiveEvent::Outcomes(OutcomeRow {
                    phase: phase.clone(),
                    offset_s,
                    operation: kind.name().to_owned(),
                    not_found: operation.not_found,
                    too_early: operation.too_early,
                    errors: operation.errors,
                    errors_by_class: operation
                        .errors_by_class
                        .iter()
                        .map(|(class, count)| (class.name().to_owned(), *count))
                        .collect(),
                }));
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_engine::{IntervalOperation, Phase};
    use dbdyno_record::Latency;
    use dbdyno_record::live_buckets;

    use super::*;

    fn interval(start_ms: u64, kind: OperationKind, operation: IntervalOperation) -> Interval {
        Interval {
            phase: Phase::Measure,
            start_ns: start_ms * 1_000_000,
            duration_ns: 250_000_000,
            operations: BTreeMap::from([(kind, operation)]),
            client_cpu_seconds: 0.25,
            resident_memory_bytes: 1,
            late: false,
        }
    }

    #[test]
    fn each_kind_has_its_latencies_and_what_did_not_succeed() {
        let mut reads = IntervalOperation {
            ok: 3,
            ..IntervalOperation::default()
        };
        reads.service.record_many(1_000, 3);
        let mut updates = IntervalOperation {
            ok: 1,
            errors: 2,
            errors_by_class: BTreeMap::from([(ErrorClass::Timeout, 2)]),
            ..IntervalOperation::default()
        };
        updates.service.record(1_000);
        // With a rate, the response time counts.
        let mut response = Latency::new();
        response.record(5_000_000);
        updates.response = Some(response);
        let mut second = LiveSecond::new(&interval(1000, OperationKind::Read, reads));
        let later = interval(1250, OperationKind::Update, updates);
        assert!(second.holds(&later));
        second.add(&later);
        let events = second.events();
        let LiveEvent::Second(row) = &events[0] else {
            panic!("{events:?}");
        };
        assert_eq!((row.ok, row.errors, row.start_s), (4, 2, 1.0));
        let LiveEvent::Latencies(reads) = &events[1] else {
            panic!("{events:?}");
        };
        assert_eq!((reads.operation.as_str(), reads.offset_s), ("read", 1.0));
        assert_eq!(reads.buckets, [(live_buckets::index(1_000), 3)]);
        let LiveEvent::Latencies(updates) = &events[2] else {
            panic!("{events:?}");
        };
        assert_eq!(updates.buckets.iter().map(|(_, count)| count).sum::<u64>(), 1);
        assert!((updates.sum_s - 0.005).abs() < 1e-5, "{}", updates.sum_s);
        let LiveEvent::Outcomes(failed) = &events[3] else {
            panic!("{events:?}");
        };
        assert_eq!((failed.operation.as_str(), failed.errors), ("update", 2));
        assert_eq!(
            failed.errors_by_class,
            BTreeMap::from([("timeout".to_owned(), 2)])
        );
        assert_eq!(events.len(), 4);
    }
}
