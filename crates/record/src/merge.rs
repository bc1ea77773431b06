//! Measured phases of several load generators as the one phase that they were: counts and histograms add up, and percentiles come from
//! the sum only.

use crate::trial::MOST_ERROR_SAMPLES;
use crate::{
    ClientCost, Drain, Floor, Latency, LoadRecord, MeasureRecord, OperationRecord, Pacing, Tail, ThreadCost,
};

/// Parts whose lengths differ by less than this share of them ended together.
const TOGETHER: f64 = 1e-3;

impl OperationRecord {
    /// Adds the operations of another part of the phase.
    pub fn merge(&mut self, other: &Self) {
        self.ok += other.ok;
        self.drained += other.drained;
        self.not_found += other.not_found;
        self.too_early += other.too_early;
        for (class, count) in &other.errors {
            *self.errors.entry(class.clone()).or_default() += count;
        }
        self.verification_failures += other.verification_failures;
        self.verified += other.verified;
        self.records_scanned += other.records_scanned;
        self.service.merge(&other.service);
        self.failed.merge(&other.failed);
        for (own, others) in [
            (&mut self.response, &other.response),
            (&mut self.unfinished, &other.unfinished),
            (&mut self.waited, &other.waited),
        ] {
            if let Some(others) = others {
                own.get_or_insert_with(Latency::new).merge(others);
            }
        }
    }
}

impl LoadRecord {
    /// The load whose parts these are: it lasted as long as the longest. `None` without any.
    #[must_use]
    pub fn together<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        together(parts, |whole, part| {
            whole.duration_ns = whole.duration_ns.max(part.duration_ns);
            whole.inserts.merge(&part.inserts);
        })
    }
}

impl MeasureRecord {
    /// The phase whose parts these are, which began together. At a rate it lasted as long as the longest. Without one, parts that sent
    /// their operations earlier sent none while the others still did: the phase is as fast as all of them at work, and what came after
    /// it is the [`Tail`]. `None` without any.
    #[must_use]
    pub fn together<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let parts: Vec<&Self> = parts.into_iter().collect();
        let mut whole = together(parts.iter().copied(), Self::add)?;
        if let Some(duration_ns) = at_work_ns(&parts) {
            whole.duration_ns = duration_ns;
        }
        let run_time_ns = parts.iter().map(|part| part.run_time_ns()).max().unwrap_or(0);
        let tail = Tail {
            operations: parts
                .iter()
                .filter_map(|part| part.tail)
                .map(|tail| tail.operations)
                .sum(),
            duration_ns: run_time_ns.saturating_sub(whole.duration_ns),
        };
        let is_seen = tail.operations > 0 || tail.duration_ns as f64 > whole.duration_ns as f64 * TOGETHER;
        whole.tail = Some(tail).filter(|_| is_seen);
        Some(whole)
    }

    fn add(&mut self, part: &Self) {
        self.duration_ns = self.duration_ns.max(part.duration_ns);
        self.drain = Drain {
            duration_ns: self.drain.duration_ns.max(part.drain.duration_ns),
            stuck: self.drain.stuck + part.drain.stuck,
            never_sent: self.drain.never_sent + part.drain.never_sent,
        };
        for (kind, record) in &part.operations {
            self.operations.entry(kind.clone()).or_default().merge(record);
        }
        if let (Some(own), Some(other)) = (&mut self.pacing, &part.pacing) {
            own.merge(other);
        }
        self.client.merge(&part.client);
        // Nobody but the machine that runs the servers knows what they used.
        self.server = self.server.take().or_else(|| part.server.clone());
        let drifts = [self.clock_drift_ppm, part.clock_drift_ppm].into_iter().flatten();
        self.clock_drift_ppm = drifts.max_by(|a, b| a.abs().total_cmp(&b.abs()));
        for sample in &part.error_samples {
            if self.error_samples.len() < MOST_ERROR_SAMPLES && !self.error_samples.contains(sample) {
                self.error_samples.push(sample.clone());
            }
        }
    }
}

/// How long a phase lasts that does what these parts did at the sum of their throughputs; `None` where that is the longest of them.
fn at_work_ns(parts: &[&MeasureRecord]) -> Option<u64> {
    let longest_ns = parts.iter().map(|part| part.duration_ns).max()? as f64;
    let is_shorter = |part: &&MeasureRecord| (part.duration_ns as f64) < longest_ns * (1.0 - TOGETHER);
    if !parts.iter().any(is_shorter) || parts.iter().any(|part| part.pacing.is_some()) {
        return None;
    }
    let ok: u64 = parts.iter().map(|part| part.ok_in_time()).sum();
    let per_second: f64 = parts.iter().filter_map(|part| part.throughput_per_second()).sum();
    (ok > 0 && per_second > 0.0).then(|| (ok as f64 * 1e9 / per_second).round() as u64)
}

/// The first of these parts with all others added.
fn together<'a, T: Clone + 'a>(
    parts: impl IntoIterator<Item = &'a T>,
    mut add: impl FnMut(&mut T, &T),
) -> Option<T> {
    let mut parts = parts.into_iter();
    let mut whole = parts.next()?.clone();
    parts.for_each(|part| add(&mut whole, part));
    Some(whole)
}

impl Pacing {
    /// Adds the rate of another part of the phase: together they keep theirs if each does.
    fn merge(&mut self, other: &Self) {
        self.asked_rate += other.asked_rate;
        self.achieved_rate += other.achieved_rate;
        self.sustained &= other.sustained;
        self.backlog += other.backlog;
        self.scheduling_lag.merge(&other.scheduling_lag);
    }
}

impl Floor {
    /// That of several load generators is the highest of any.
    pub fn be_at_least(&mut self, other: &Self) {
        self.operation_ns = self.operation_ns.max(other.operation_ns);
        self.clock_ns = self.clock_ns.max(other.clock_ns);
        self.latency_p50_ns = self.latency_p50_ns.max(other.latency_p50_ns);
        self.latency_p99_ns = self.latency_p99_ns.max(other.latency_p99_ns);
    }
}

impl ClientCost {
    /// Adds what another load generator used, on a machine of its own: shares and memory are those of the busiest machine.
    fn merge(&mut self, other: &Self) {
        self.cpu_seconds += other.cpu_seconds;
        self.cpu_share = self.cpu_share.max(other.cpu_share);
        self.peak_memory_bytes = self.peak_memory_bytes.max(other.peak_memory_bytes);
        self.involuntary_switches += other.involuntary_switches;
        let threads = [self.busiest_thread.take(), other.busiest_thread.clone()];
        let share = |thread: &ThreadCost| thread.cpu_share;
        self.busiest_thread = threads
            .into_iter()
            .flatten()
            .max_by(|a, b| share(a).total_cmp(&share(b)));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A phase with one operation for each of these latencies.
    fn phase(latencies_ns: &[u64], duration_ns: u64, pacing: Option<Pacing>) -> MeasureRecord {
        let mut reads = OperationRecord {
            ok: latencies_ns.len() as u64,
            errors: BTreeMap::from([("timeout".to_owned(), 1)]),
            ..OperationRecord::default()
        };
        for latency_ns in latencies_ns {
            reads.service.record(*latency_ns);
        }
        MeasureRecord {
            duration_ns,
            tail: None,
            drain: Drain::default(),
            operations: BTreeMap::from([("read".to_owned(), reads)]),
            pacing,
            client: ClientCost {
                cpu_seconds: 1.0,
                cpu_share: latencies_ns.len() as f64 / 10.0,
                ..ClientCost::default()
            },
            server: None,
            clock_drift_ppm: None,
            error_samples: vec![format!("{duration_ns}")],
        }
    }

    #[test]
    fn parts_are_the_whole_by_counts() {
        let latencies_ns: Vec<u64> = (1..=60).map(|n| n * n * 1_000).collect();
        let whole = phase(&latencies_ns, 2_000, None);
        let parts = [
            phase(&latencies_ns[..10], 1_999, None),
            phase(&latencies_ns[10..55], 2_000, None),
            phase(&latencies_ns[55..], 2_000, None),
        ];
        let together = MeasureRecord::together(&parts).unwrap();
        let (read, expected) = (&together.operations["read"], &whole.operations["read"]);
        assert_eq!((read.ok, &read.service), (expected.ok, &expected.service));
        assert_eq!(read.errors["timeout"], 3);
        assert_eq!(together.duration_ns, 2_000);
        assert_eq!(together.throughput_per_second(), whole.throughput_per_second());
        assert_eq!(together.client.cpu_seconds, 3.0);
        assert_eq!(together.client.cpu_share, 4.5);
        assert_eq!(together.error_samples, ["1999", "2000"]);
        assert_eq!(MeasureRecord::together([]), None);
    }

    #[test]
    fn only_the_time_in_which_all_work_is_measured() {
        // The first sent 1,000 in a second, the second 500; then it sent another 100 in 0.2 s.
        let ended = phase(&[1; 1_000], 1_000_000_000, None);
        let slow = MeasureRecord {
            tail: Some(Tail {
                operations: 100,
                duration_ns: 200_000_000,
            }),
            ..phase(&[1; 505], 1_010_000_000, None)
        };
        let together = MeasureRecord::together([&ended, &slow]).unwrap();
        let throughput = together.throughput_per_second().unwrap();
        assert!((throughput - 1_500.0).abs() < 0.01, "{throughput}");
        assert_eq!(together.operations["read"].ok, 1_505);
        assert_eq!(together.run_time_ns(), 1_210_000_000);
        assert_eq!(together.tail.unwrap().operations, 100);
        assert_eq!(ended.run_time_ns(), 1_000_000_000);
    }

    #[test]
    fn parts_that_nobody_told_of_the_end_count_as_fast_as_they_were() {
        let [quick, slow] = [10_000_000, 40_000_000].map(|ns| phase(&[1; 100], ns, None));
        let together = MeasureRecord::together([&quick, &slow]).unwrap();
        let throughput = together.throughput_per_second().unwrap();
        assert!((throughput - 12_500.0).abs() < 0.01, "{throughput}");
        assert_eq!(together.run_time_ns(), 40_000_000);
        // At a rate the schedule says when a part ends.
        let pacing = Pacing {
            asked_rate: 100.0,
            achieved_rate: 100.0,
            sustained: true,
            backlog: 0,
            scheduling_lag: Latency::new(),
        };
        let paced = [90, 100].map(|ns| phase(&[1], ns, Some(pacing.clone())));
        let together = MeasureRecord::together(&paced).unwrap();
        assert_eq!((together.duration_ns, together.tail), (100, None));
    }

    #[test]
    fn a_rate_is_kept_if_every_part_keeps_its_own() {
        let pacing = |sustained| {
            Some(Pacing {
                asked_rate: 100.0,
                achieved_rate: 99.5,
                sustained,
                backlog: 2,
                scheduling_lag: Latency::new(),
            })
        };
        let parts = [phase(&[1], 1, pacing(true)), phase(&[1], 1, pacing(false))];
        let together = MeasureRecord::together(&parts).unwrap().pacing.unwrap();
        assert_eq!((together.asked_rate, together.achieved_rate), (200.0, 199.0));
        assert_eq!((together.sustained, together.backlog), (false, 4));
    }

    #[test]
    fn a_load_lasts_as_long_as_its_longest_part() {
        let part = |duration_ns, ok| LoadRecord {
            duration_ns,
            inserts: OperationRecord {
                ok,
                ..OperationRecord::default()
            },
        };
        let together = LoadRecord::together(&[part(5, 10), part(9, 20)]).unwrap();
        assert_eq!((together.duration_ns, together.inserts.ok), (9, 30));
    }
}
