//! How well a schedule was kept: the achieved rate, the backlog, and lower bounds for operations that never ended.

use std::collections::BTreeMap;

use dbdyno_record::{Latency, Pacing};
use dbdyno_workload::OperationKind;

use crate::phase::PhaseResult;
use crate::work::Work;

/// The most that sends may trail behind their schedule at the end of a phase that sustained its rate.
const TOLERANCE: f64 = 0.01;
/// Operations never sent are looked at one by one up to this number; of more, every so many-th stands for its neighbours.
const MOST_LOOKED_AT: u64 = 50_000;

/// What never ended.
#[derive(Default)]
pub(crate) struct Unfinished {
    /// Operations that were due before the deadline and that nobody sent.
    pub(crate) never_sent: u64,
    /// How long these, and those in flight, had been waited for.
    pub(crate) waited: BTreeMap<OperationKind, Latency>,
}

/// What has not ended of the measured operations when the trial gives up on them at `now_ns`.
pub(crate) fn unfinished(work: &Work, now_ns: u64) -> Unfinished {
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

/// Compares what the schedule asked for with what was sent. Judged by the sends: an operation that takes long is
/// the database's latency, one that is sent late is a rate not kept.
pub(crate) fn pacing(rate: f64, work: &Work, result: &PhaseResult) -> Pacing {
    let tally = &result.tally;
    let begin_ns = work.measure_from_ns();
    let scheduled_ns = tally.last_intended_ns.saturating_sub(begin_ns) as f64 + 1e9 / rate;
    let trailing_ns = tally.last_send_ns.saturating_sub(tally.last_intended_ns) as f64;
    let never_sent = result.unfinished.never_sent;
    let backlog = tally.sent_after_deadline + never_sent;
    let sent = work.sent();
    let (in_time, length_ns) = if result.ran_to_deadline {
        let length_ns = result.end_ns.saturating_sub(begin_ns) as f64;
        (sent.saturating_sub(tally.sent_after_deadline), length_ns)
    } else {
        (sent, scheduled_ns + trailing_ns)
    };
    Pacing {
        asked_rate: rate,
        achieved_rate: in_time as f64 / (length_ns.max(1.0) / 1e9),
        sustained: trailing_ns <= TOLERANCE * scheduled_ns + 1e6
            && backlog as f64 <= (TOLERANCE * (sent + never_sent) as f64).max(1.0)
            && sent > 0
            && result.stuck == 0,
        backlog,
        scheduling_lag: tally.lag.clone().unwrap_or_default(),
    }
}
