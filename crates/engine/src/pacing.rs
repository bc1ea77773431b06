//! How well a schedule was kept: the achieved rate and the backlog.

use dbdyno_record::Pacing;

use crate::phase::PhaseResult;
use crate::work::SharedSequence;

/// The most that sends may trail behind their schedule at the end of a phase that sustained its rate.
const TOLERANCE: f64 = 0.01;

/// Compares what the schedule asked for with what was sent. Judged by the sends: an operation that takes long is
/// the database's latency, one that is sent late is a rate not kept.
pub(crate) fn pacing(rate: f64, work: &SharedSequence, result: &PhaseResult) -> Pacing {
    let tally = &result.tally;
    if work.gate.sliced {
        return of_slices(rate, result);
    }
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

/// The same of a trial that was measured in slices: what was due in one and sent in a later one is in the backlog of none.
fn of_slices(rate: f64, result: &PhaseResult) -> Pacing {
    let tally = &result.tally;
    let trailing_ns = tally.last_send_ns.saturating_sub(tally.last_intended_ns) as f64;
    let backlog = tally.sent_after_deadline + result.unfinished.never_sent;
    let in_time = tally.sent.saturating_sub(tally.sent_after_deadline);
    let all = (tally.sent + result.unfinished.never_sent) as f64;
    Pacing {
        asked_rate: rate,
        achieved_rate: in_time as f64 / (result.lasted_ns.max(1) as f64 / 1e9),
        sustained: trailing_ns <= TOLERANCE * result.lasted_ns as f64 + 1e6
            && backlog as f64 <= (TOLERANCE * all).max(1.0)
            && tally.sent > 0
            && result.stuck == 0,
        backlog,
        scheduling_lag: tally.lag.clone().unwrap_or_default(),
    }
}
