//! How long slices are, how many there are, and who is next.

use std::time::Duration;

use dbdyno_engine::{Event, Phase, Slice};
use dbdyno_record::Latency;

use super::RunningTrial;
use crate::plan::order;

/// What is measured of a slice, where operations are short: long enough for the switch to cost little, short against the spells of a
/// shared machine (`docs/analysis.md` has ratios by slice length).
const MEASURED: Duration = Duration::from_millis(250);
/// The longest.
const LONGEST: Duration = Duration::from_secs(2);
/// A slice is at least so many times as long as all but one in a hundred operations of the warm-up.
const OPERATIONS: u32 = 25;
/// The head of a slice, as a share of what is measured of it.
const HEAD: f64 = 0.1;

/// The rounds of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rounds {
    measured: Duration,
    head: Duration,
    /// Number of rounds; `None`: as many as the operations of every trial take.
    pub(super) count: Option<u32>,
}

impl Rounds {
    /// The rounds of these trials, which have warmed up.
    pub(super) fn of(trials: &[RunningTrial<'_>], design: RoundDesign) -> Self {
        let slowest_ns = trials
            .iter()
            .filter_map(|trial| trial.warm.percentile_ns(99.0))
            .max();
        let durations = trials.iter().map(|trial| trial.member.plan.spec.limit.duration);
        let slowest = Duration::from_nanos(slowest_ns.unwrap_or(0));
        let wanted = design.slice.unwrap_or_else(|| usual(slowest));
        Self::new(wanted, durations.max().flatten())
    }

    /// Rounds in slices of about this length, until each trial has measured for so long.
    fn new(wanted: Duration, duration: Option<Duration>) -> Self {
        let (measured, count) = match duration {
            None => (wanted, None),
            Some(duration) => {
                let count = (duration.as_secs_f64() / wanted.as_secs_f64()).round().max(1.0) as u32;
                (duration / count, Some(count))
            }
        };
        Self {
            measured,
            head: measured.mul_f64(HEAD),
            count,
        }
    }

    /// A slice of this round.
    pub(super) fn slice(&self, round: u32) -> Slice {
        Slice {
            head: self.head,
            measured: self.measured,
            last: self.count.is_some_and(|count| round + 1 >= count),
        }
    }

    pub(super) fn head_ns(&self) -> u64 {
        nanoseconds(self.head)
    }

    pub(super) fn measured_ns(&self) -> u64 {
        nanoseconds(self.measured)
    }
}

/// What is measured of a slice where the study does not say, for operations that seldom take longer than this.
fn usual(slowest: Duration) -> Duration {
    (slowest * OPERATIONS).clamp(MEASURED, LONGEST)
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

/// What a study asks of the rounds of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundDesign {
    /// The study's.
    pub(crate) seed: u64,
    /// The group's number in the study.
    pub(crate) group: u32,
    /// What is measured of each slice; `None`: as the operations need.
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

    #[test]
    fn rounds_fill_the_time_that_was_asked_for() {
        let ms = Duration::from_millis;
        let rounds = |slowest, duration| {
            let rounds = Rounds::new(usual(slowest), duration);
            (rounds.measured, rounds.count)
        };
        assert_eq!(rounds(ms(0), Some(ms(1000))), (ms(250), Some(4)));
        assert_eq!(rounds(ms(1), Some(ms(1100))), (ms(275), Some(4)));
        assert_eq!(
            rounds(ms(0), Some(ms(50))),
            (ms(50), Some(1)),
            "a short phase is one slice"
        );
        assert_eq!(
            rounds(ms(20), Some(ms(4000))),
            (ms(500), Some(8)),
            "slow operations"
        );
        assert_eq!(rounds(ms(900), Some(ms(4000))), (ms(2000), Some(2)));
        assert_eq!(rounds(ms(0), None), (ms(250), None));
        let asked = Rounds::new(ms(400), Some(ms(1000)));
        assert_eq!((asked.measured, asked.count), (ms(1000) / 3, Some(3)));
        let rounds = Rounds::new(usual(ms(0)), Some(ms(1000)));
        assert!(rounds.slice(3).last && !rounds.slice(2).last);
        assert_eq!(rounds.slice(0).head, ms(25));
    }
}
