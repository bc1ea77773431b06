//! Operations that had not ended when a trial gave up: their waits are lower bounds of latencies.

use std::collections::BTreeMap;

use dbdyno_record::Latency;
use dbdyno_workload::OperationKind;

use crate::work::SharedSequence;

/// Operations never sent are looked at one by one up to this number; of more, every so many-th stands for its neighbours.
const MOST_LOOKED_AT: u64 = 50_000;

/// Operations that never ended, and those that were never sent.
#[derive(Default)]
pub(crate) struct Unfinished {
    /// Operations that were due before the deadline and that nobody sent.
    pub(crate) never_sent: u64,
    /// How long these, and those in flight, had been waited for.
    pub(crate) waited: BTreeMap<OperationKind, Latency>,
}

/// The measured operations that have not ended when the trial gives up on them at `now_ns`.
pub(crate) fn unfinished(work: &SharedSequence, now_ns: u64) -> Unfinished {
    let unsent = work.unsent();
    let mut waited: BTreeMap<OperationKind, Latency> = BTreeMap::new();
    let mut add = |kind, since_ns: u64, count| {
        let latency = waited.entry(kind).or_default();
        latency.record_many(now_ns.saturating_sub(since_ns), count);
    };
    for (since_ns, kind) in work.board.in_flight() {
        add(kind, since_ns, 1);
    }
    let groups = unsent.count.min(MOST_LOOKED_AT);
    let begin = |group: u64| (u128::from(unsent.count) * u128::from(group) / u128::from(groups)) as u64;
    for group in 0..groups {
        // The last of each group has waited for the shortest time.
        let (first, last) = (begin(group), begin(group + 1) - 1);
        let due_ns = unsent.from_ns + (last as f64 * unsent.gap_ns) as u64;
        add(work.sequence.kind(unsent.first + last), due_ns, last + 1 - first);
    }
    Unfinished {
        never_sent: unsent.count,
        waited,
    }
}
