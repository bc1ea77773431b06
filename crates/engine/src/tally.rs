//! Counts and latencies of some operations: what a recorder fills, what the collector adds up.

use std::collections::BTreeMap;

use dbdyno_driver::ErrorClass;
use dbdyno_record::{Latency, OperationRecord};
use dbdyno_workload::OperationKind;

use crate::event::IntervalOperation;

/// Adds a latency to a histogram that grows as needed.
#[inline(always)]
pub(crate) fn record(latency: &mut Latency, nanoseconds: u64) {
    // Growing fails only beyond what an i64 holds, 292 years.
    if latency.0.record(nanoseconds).is_err() {
        latency.0.saturating_record(nanoseconds);
    }
}

/// One kind of operation.
#[derive(Default)]
pub(crate) struct KindTally {
    /// Its count is the number of successful operations.
    pub(crate) service: Latency,
    pub(crate) response: Option<Latency>,
    pub(crate) failed: Option<Latency>,
    /// Successful operations that ended after the phase's deadline.
    pub(crate) drained: u64,
    /// Operations without success that ended after it.
    pub(crate) drained_failures: u64,
    /// Failed operations only, from their intended start where there is one.
    pub(crate) waited: Option<Latency>,
    pub(crate) not_found: u64,
    pub(crate) too_early: u64,
    pub(crate) errors: [u64; ErrorClass::ALL.len()],
    pub(crate) verified: u64,
    pub(crate) verification_failures: u64,
    pub(crate) records_scanned: u64,
}

/// All kinds, and what concerns the phase as a whole.
#[derive(Default)]
pub(crate) struct Tally {
    kinds: [Option<Box<KindTally>>; OperationKind::ALL.len()],
    /// How late free clients sent; open loop only.
    pub(crate) lag: Option<Latency>,
    /// The end of the last operation.
    pub(crate) last_end_ns: Option<u64>,
    /// The last send and the last intended start; open loop only.
    pub(crate) last_send_ns: u64,
    pub(crate) last_intended_ns: u64,
    /// The last intended start that a free client waited for; open loop only.
    pub(crate) last_awaited_ns: u64,
    /// Operations that were sent; open loop only.
    pub(crate) sent: u64,
    /// Of these, those that were due before the phase's deadline and sent after it.
    pub(crate) sent_after_deadline: u64,
}

fn reset_if_used(latency: &mut Latency) {
    if !latency.0.is_empty() {
        latency.0.reset();
    }
}

fn merge_optional(into: &mut Option<Latency>, from: Option<&Latency>) {
    if let Some(from) = from.filter(|from| !from.0.is_empty()) {
        into.get_or_insert_default().merge(from);
    }
}

impl KindTally {
    fn is_empty(&self) -> bool {
        self.service.0.is_empty() && self.not_found == 0 && self.too_early == 0 && self.error_count() == 0
    }

    fn error_count(&self) -> u64 {
        self.errors.iter().sum()
    }

    /// The classes of errors that occurred.
    fn errors_by_class(&self) -> impl Iterator<Item = (ErrorClass, u64)> {
        let classes = ErrorClass::ALL.into_iter().zip(self.errors);
        classes.filter(|(_, count)| *count > 0)
    }

    fn reset(&mut self) {
        reset_if_used(&mut self.service);
        self.response.as_mut().map(reset_if_used);
        self.failed.as_mut().map(reset_if_used);
        self.waited.as_mut().map(reset_if_used);
        let Self {
            service,
            response,
            failed,
            waited,
            ..
        } = std::mem::take(self);
        *self = Self {
            service,
            response,
            failed,
            waited,
            ..Self::default()
        };
    }

    fn merge(&mut self, other: &Self) {
        self.service.merge(&other.service);
        merge_optional(&mut self.response, other.response.as_ref());
        merge_optional(&mut self.failed, other.failed.as_ref());
        self.drained += other.drained;
        self.drained_failures += other.drained_failures;
        merge_optional(&mut self.waited, other.waited.as_ref());
        self.not_found += other.not_found;
        self.too_early += other.too_early;
        for (sum, count) in self.errors.iter_mut().zip(other.errors) {
            *sum += count;
        }
        self.verified += other.verified;
        self.verification_failures += other.verification_failures;
        self.records_scanned += other.records_scanned;
    }

    fn into_record(self, paced: bool) -> OperationRecord {
        let errors = self.errors_by_class();
        let errors = errors
            .map(|(class, count)| (class.name().to_owned(), count))
            .collect();
        OperationRecord {
            ok: self.service.count(),
            drained: self.drained,
            not_found: self.not_found,
            too_early: self.too_early,
            errors,
            verification_failures: self.verification_failures,
            verified: self.verified,
            records_scanned: self.records_scanned,
            service: self.service,
            response: self.response.or_else(|| paced.then(Latency::new)),
            failed: self.failed.unwrap_or_default(),
            unfinished: None,
            waited: self.waited.filter(|waited| !waited.0.is_empty()),
            stated: None,
        }
    }

    fn into_interval(self) -> IntervalOperation {
        IntervalOperation {
            ok: self.service.count(),
            not_found: self.not_found,
            too_early: self.too_early,
            errors: self.error_count(),
            errors_by_class: self.errors_by_class().collect(),
            service: self.service,
            response: self.response,
        }
    }
}

impl Tally {
    /// The tally of a kind; made at its first use.
    #[inline(always)]
    pub(crate) fn kind(&mut self, kind: OperationKind) -> &mut KindTally {
        self.kinds[kind as usize].get_or_insert_default()
    }

    /// Forgets everything, keeps the histograms' memory.
    pub(crate) fn reset(&mut self) {
        self.kinds.iter_mut().flatten().for_each(|kind| kind.reset());
        self.lag.as_mut().map(reset_if_used);
        (self.last_end_ns, self.last_send_ns, self.last_intended_ns) = (None, 0, 0);
        (self.last_awaited_ns, self.sent, self.sent_after_deadline) = (0, 0, 0);
    }

    /// Whether nothing ended.
    pub(crate) fn is_empty(&self) -> bool {
        self.last_end_ns.is_none()
    }

    /// Adds another tally. Exact.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (kind, other) in self.kinds.iter_mut().zip(&other.kinds) {
            if let Some(other) = other.as_ref().filter(|other| !other.is_empty()) {
                kind.get_or_insert_default().merge(other);
            }
        }
        merge_optional(&mut self.lag, other.lag.as_ref());
        self.last_end_ns = self.last_end_ns.max(other.last_end_ns);
        self.last_send_ns = self.last_send_ns.max(other.last_send_ns);
        self.last_intended_ns = self.last_intended_ns.max(other.last_intended_ns);
        self.sent += other.sent;
        self.last_awaited_ns = self.last_awaited_ns.max(other.last_awaited_ns);
        self.sent_after_deadline += other.sent_after_deadline;
    }

    fn used_kinds(&mut self) -> impl Iterator<Item = (OperationKind, KindTally)> {
        let kinds = OperationKind::ALL.into_iter().zip(&mut self.kinds);
        kinds.filter_map(|(kind, tally)| {
            let tally = tally.take().filter(|tally| !tally.is_empty())?;
            Some((kind, *tally))
        })
    }

    /// All but the slowest hundredth of the successes took no longer, of the kind that takes longest; 0 without one.
    pub(crate) fn usual_ns(&self) -> u64 {
        let kinds = self.kinds.iter().flatten();
        let slow = kinds.filter_map(|kind| kind.service.percentile_ns(99.0));
        slow.max().unwrap_or(0)
    }

    /// Successful operations, answers "not found" (too early or not), and failures of all kinds together.
    pub(crate) fn outcomes(&self) -> (u64, u64, u64) {
        self.kinds
            .iter()
            .flatten()
            .fold((0, 0, 0), |(ok, absent, failed), kind| {
                (
                    ok + kind.service.count(),
                    absent + kind.not_found + kind.too_early,
                    failed + kind.error_count(),
                )
            })
    }

    /// Operations that ended after the phase's deadline.
    pub(crate) fn ended_after_deadline(&self) -> u64 {
        let kinds = self.kinds.iter().flatten();
        kinds.map(|kind| kind.drained + kind.drained_failures).sum()
    }

    /// The tally as the record of a phase.
    pub(crate) fn into_records(mut self, paced: bool) -> BTreeMap<OperationKind, OperationRecord> {
        let kinds = self.used_kinds();
        kinds
            .map(|(kind, tally)| (kind, tally.into_record(paced)))
            .collect()
    }

    /// The tally as an interval of an observer.
    pub(crate) fn into_interval(mut self) -> BTreeMap<OperationKind, IntervalOperation> {
        let kinds = self.used_kinds();
        kinds.map(|(kind, tally)| (kind, tally.into_interval())).collect()
    }
}
