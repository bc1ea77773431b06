//! How well a schedule was kept: the achieved rate and the backlog.

use dbdyno_record::Pacing;

use crate::phase::PhaseResult;
use crate::tally::Tally;
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
    let trailing_ns = trailing_ns(tally) as f64;
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

/// The pacing of a trial that was measured in slices: an operation that was due in one slice and sent in a later one is in no
/// backlog.
fn of_slices(rate: f64, result: &PhaseResult) -> Pacing {
    let tally = &result.tally;
    let trailing_ns = trailing_ns(tally) as f64;
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

/// How far the sends trailed behind the schedule at the end. Not at all where a free client waited for the last operation: what
/// it was late by is the tool's own lag.
fn trailing_ns(tally: &Tally) -> u64 {
    if tally.last_awaited_ns == tally.last_intended_ns {
        return 0;
    }
    tally.last_send_ns.saturating_sub(tally.last_intended_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_alarm_is_not_a_schedule_that_was_not_kept() {
        let tally = |last_awaited_ns| {
            let mut tally = Tally::default();
            (tally.last_send_ns, tally.last_intended_ns) = (1_530_000_000, 1_500_000_000);
            tally.last_awaited_ns = last_awaited_ns;
            tally
        };
        assert_eq!(trailing_ns(&tally(1_500_000_000)), 0);
        assert_eq!(
            trailing_ns(&tally(1_000_000_000)),
            30_000_000,
            "no client was free"
        );
        assert_eq!(trailing_ns(&tally(0)), 30_000_000);
    }
}
