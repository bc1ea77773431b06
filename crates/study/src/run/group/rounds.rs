//! How long slices are, how many there are, and who is next.

use std::time::Duration;

use dbdyno_engine::{Event, Phase, Slice};
use dbdyno_record::Latency;

use super::RunningTrial;
use crate::plan::order;

/// What is measured of a slice, where operations are short: long enough for the switch to cost little, short against the spells of a
/// shared machine (`docs/analysis.md` has ratios by slice length).
const MEASURED: Duration = Duration::from_millis(250);
/// The longest, for operations that are slow.
const LONGEST: Duration = Duration::from_secs(2);
/// How many stalls a slice has room for. Stalls are the longest operations, which together take [`STALLED`] of the time.
const STALLS: u32 = 10;
/// Less than this share of the time, and a stall that a slice cuts off changes little.
const STALLED: f64 = 0.05;
/// The most rounds, as a multiple of those that were asked for: trials that measure hardly anything in a slice end after these.
const MOST_ROUNDS: u32 = 3;
/// A slice is at least so many times as long as all but one in a hundred operations of the warm-up.
const OPERATIONS: u32 = 25;
/// The head of a slice, as a share of what is measured of it.
const HEAD: f64 = 0.1;

/// The rounds of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rounds {
    measured: Duration,
    head: Duration,
    /// The time that each trial is to measure in all; `None`: its operations end it.
    duration: Option<Duration>,
}

impl Rounds {
    /// The rounds of these trials, which have warmed up.
    pub(super) fn of(trials: &[RunningTrial<'_>], design: RoundDesign) -> Self {
        let durations = trials.iter().map(|trial| trial.member.plan.spec.limit.duration);
        let usual = trials.iter().map(|trial| usual(&trial.warm)).max();
        let wanted = design.slice.or(usual).unwrap_or(MEASURED);
        Self::new(wanted, durations.max().flatten())
    }

    /// Rounds in slices of about this length, until each trial has measured for so long.
    fn new(wanted: Duration, duration: Option<Duration>) -> Self {
        let measured = duration.map_or(wanted, |duration| {
            let count = (duration.as_secs_f64() / wanted.as_secs_f64()).round().max(1.0) as u32;
            duration / count
        });
        Self {
            measured,
            head: measured.mul_f64(HEAD),
            duration,
        }
    }

    /// The slice of this round for a trial that has measured for so long: the last one fills its duration.
    pub(super) fn slice(&self, round: u32, measured_ns: u64) -> Slice {
        let left = self
            .duration
            .map(|duration| duration.saturating_sub(Duration::from_nanos(measured_ns)));
        let most = self.duration.map_or(u32::MAX, |duration| {
            let count = duration.as_secs_f64() / self.measured.as_secs_f64();
            MOST_ROUNDS.saturating_mul(count.round() as u32)
        });
        let fills = left.is_some_and(|left| left < self.measured.mul_f64(1.5));
        Slice {
            lead: Duration::ZERO,
            head: self.head,
            measured: left.filter(|_| fills).unwrap_or(self.measured),
            last: fills || round + 1 >= most,
        }
    }

    pub(super) fn head_ns(&self) -> u64 {
        nanoseconds(self.head)
    }

    pub(super) fn measured_ns(&self) -> u64 {
        nanoseconds(self.measured)
    }
}

/// What is measured of a slice where the study does not say, after a warm-up with these latencies: long against all but one operation
/// in a hundred, and against the stalls.
fn usual(warm: &Latency) -> Duration {
    let slow = Duration::from_nanos(warm.percentile_ns(99.0).unwrap_or(0)) * OPERATIONS;
    slow.clamp(MEASURED, LONGEST).max(stall(warm) * STALLS)
}

/// The latency from which on operations take [`STALLED`] of the time together.
fn stall(warm: &Latency) -> Duration {
    let mut rest_ns = warm.sum_ns() * STALLED;
    let mut counts: Vec<(u64, u64)> = warm.counts().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let longest = counts.into_iter().find(|&(latency_ns, count)| {
        rest_ns -= latency_ns as f64 * count as f64;
        rest_ns <= 0.0
    });
    Duration::from_nanos(longest.map_or(0, |(latency_ns, _)| latency_ns))
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Adds what an interval of the warm-up says of latencies.
pub(super) fn note_warm_up(warm: &mut Latency, event: &Event) {
    if let Event::Interval(interval) = event
        && interval.phase == Phase::WarmUp
    {
        for operation in interval.operations.values() {
            warm.merge(&operation.service);
        }
    }
}

/// The rounds of a group, as a study asks for them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundDesign {
    /// The study's.
    pub(crate) seed: u64,
    /// The group's number in the study.
    pub(crate) group: u32,
    /// The measured part of each slice; `None`: as the operations need.
    pub(crate) slice: Option<Duration>,
}

impl RoundDesign {
    /// The order in which so many trials have their turns.
    pub(super) fn of_round(self, round: u32, trials: usize) -> Vec<usize> {
        order::of_round(self.seed, self.group, round, trials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// A warm-up with so many operations of each of these latencies.
    fn warm(latencies: &[(Duration, u64)]) -> Latency {
        let mut warm = Latency::new();
        for (latency, count) in latencies {
            warm.record_many(nanoseconds(*latency), *count);
        }
        warm
    }

    /// The slices of a trial that measures as it is asked to, milliseconds.
    fn slices(wanted: Duration, duration: Duration) -> Vec<u64> {
        let rounds = Rounds::new(wanted, Some(duration));
        let mut measured = Duration::ZERO;
        let mut slices = Vec::new();
        for round in 0.. {
            let slice = rounds.slice(round, nanoseconds(measured));
            measured += slice.measured;
            slices.push(slice.measured.as_millis() as u64);
            if slice.last {
                break;
            }
        }
        assert_eq!(measured.as_micros(), duration.as_micros());
        slices
    }

    #[test]
    fn slices_fill_the_time_that_was_asked_for() {
        assert_eq!(slices(MS * 250, MS * 1000), [250; 4]);
        assert_eq!(slices(MS * 250, MS * 1100), [275; 4]);
        assert_eq!(slices(MS * 250, MS * 50), [50], "a short phase is one slice");
        assert_eq!(slices(MS * 400, MS * 1000), [333; 3]);
        assert_eq!(slices(MS * 2000, MS * 4000), [2000; 2]);
        let rounds = Rounds::new(MS * 250, Some(MS * 1000));
        assert_eq!(rounds.slice(0, 0).head, MS * 25);
        assert!(!Rounds::new(MS * 250, None).slice(1000, u64::MAX).last);
    }

    #[test]
    fn trials_that_measured_more_or_less_than_they_were_asked_to_end_when_their_time_is_full() {
        let rounds = Rounds::new(MS * 250, Some(MS * 1000));
        let stalled = rounds.slice(2, nanoseconds(MS * 900));
        assert!(stalled.last && stalled.measured == MS * 100, "{stalled:?}");
        let behind = rounds.slice(3, nanoseconds(MS * 500));
        assert!(!behind.last && behind.measured == MS * 250, "{behind:?}");
        let over = rounds.slice(3, nanoseconds(MS * 1200));
        assert!(over.last && over.measured == Duration::ZERO, "{over:?}");
        assert!(rounds.slice(11, 0).last, "it measures nothing");
    }

    #[test]
    fn slices_are_long_against_slow_operations_and_against_stalls() {
        assert_eq!(usual(&warm(&[])), MS * 250);
        assert_eq!(usual(&warm(&[(MS, 1000)])), MS * 250);
        let slow = usual(&warm(&[(MS * 20, 1000)]));
        assert!((MS * 490..MS * 510).contains(&slow), "{slow:?}");
        assert_eq!(usual(&warm(&[(MS * 120, 1000)])), MS * 2000);
        // Stalls of 300 ms after every 200 ms.
        let stalls = usual(&warm(&[(Duration::from_micros(200), 1000), (MS * 300, 1)]));
        assert!((MS * 2900..MS * 3100).contains(&stalls), "{stalls:?}");
        let rare = usual(&warm(&[(Duration::from_micros(200), 100_000), (MS * 300, 1)]));
        assert_eq!(rare, MS * 250);
    }
}
