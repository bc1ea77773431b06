//! The time of this process, and how the clock of another one stands to it.
//!
//! Both are monotonic clocks, so a wrong time of day matters to nobody. One exchange of messages bounds the difference: the other clock
//! was read somewhere between sending and receiving. The exchange with the shortest round trip says most (Cristian, 1989), so that
//! is taken from those of the last half minute; older ones are forgotten because clocks drift.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use dbdyno_record::GeneratorClock;
use tokio::sync::mpsc::{Receiver, channel};

/// Exchanges that are older say less than the drift of clocks may be by now.
const MEMORY_NS: u64 = 30_000_000_000;

/// A monotonic clock that begins with this process's part in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

#[expect(
    clippy::disallowed_methods,
    reason = "the time that load generators agree on; no operation is timed with it"
)]
fn now() -> Instant {
    Instant::now()
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self(now())
    }

    /// Nanoseconds since its start.
    pub(crate) fn now_ns(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Something every so often, for loops that wait for other things, too. What is missed is not made up for.
pub(crate) fn ticks(every: Duration) -> Receiver<()> {
    let (sender, receiver) = channel(1);
    tokio::spawn(async move {
        while sender.send(()).await.is_ok() {
            tokio::time::sleep(every).await;
        }
    });
    receiver
}

/// One exchange: sent and received by this clock, read in between by the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) sent_ns: u64,
    pub(crate) received_ns: u64,
    pub(crate) theirs_ns: u64,
}

impl Exchange {
    fn round_trip_ns(&self) -> u64 {
        self.received_ns.saturating_sub(self.sent_ns)
    }

    /// What the other clock shows more than this one.
    fn offset_ns(&self) -> i64 {
        let middle_ns = self.sent_ns.midpoint(self.received_ns);
        self.theirs_ns.wrapping_sub(middle_ns).cast_signed()
    }
}

/// What is known of another clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offsets {
    exchanges: VecDeque<Exchange>,
}

impl Offsets {
    pub(crate) fn learn(&mut self, exchange: Exchange) {
        while let Some(oldest) = self.exchanges.front()
            && oldest.received_ns + MEMORY_NS < exchange.received_ns
        {
            self.exchanges.pop_front();
        }
        self.exchanges.push_back(exchange);
    }

    fn best(&self) -> Option<&Exchange> {
        self.exchanges
            .iter()
            .min_by_key(|exchange| exchange.round_trip_ns())
    }

    /// What the other clock shows more than this one; `None` before the first exchange.
    pub(crate) fn offset_ns(&self) -> Option<i64> {
        self.best().map(Exchange::offset_ns)
    }

    /// The shortest round trip.
    pub(crate) fn round_trip_ns(&self) -> Option<u64> {
        self.best().map(Exchange::round_trip_ns)
    }

    /// How well the other clock is known now, against what was known `before`.
    pub(crate) fn known_since(&self, before: Option<i64>) -> GeneratorClock {
        let round_trip_ns = self.round_trip_ns().unwrap_or(0);
        GeneratorClock {
            round_trip_ns,
            uncertainty_ns: round_trip_ns.div_ceil(2),
            moved_ns: match (before, self.offset_ns()) {
                (Some(before), Some(now)) => now.wrapping_sub(before),
                _ => 0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    /// An exchange with a clock that is a minute ahead, whose message took so long there and back.
    fn exchange(sent_ns: u64, there_ns: u64, back_ns: u64) -> Exchange {
        Exchange {
            sent_ns,
            received_ns: sent_ns + there_ns + back_ns,
            theirs_ns: sent_ns + there_ns + 60 * SECOND_NS,
        }
    }

    #[test]
    fn the_shortest_round_trip_counts() {
        let mut offsets = Offsets::default();
        assert_eq!(offsets.offset_ns(), None);
        offsets.learn(exchange(0, 9_000_000, 1_000_000));
        offsets.learn(exchange(SECOND_NS, 100_000, 100_000));
        offsets.learn(exchange(2 * SECOND_NS, 1_000_000, 30_000_000));
        assert_eq!(offsets.offset_ns(), Some(60_000_000_000));
        let known = offsets.known_since(Some(60_000_000_500));
        assert_eq!((known.round_trip_ns, known.uncertainty_ns), (200_000, 100_000));
        assert_eq!(known.moved_ns, -500);
    }

    #[test]
    fn an_offset_is_never_further_off_than_half_the_round_trip() {
        for (there_ns, back_ns) in [(0, 10), (10, 0), (7, 7), (1_000_000, 3)] {
            let exchange = exchange(5, there_ns, back_ns);
            let wrong_ns = exchange.offset_ns().abs_diff(60_000_000_000);
            assert!(wrong_ns <= exchange.round_trip_ns().div_ceil(2), "{exchange:?}");
        }
    }

    #[test]
    fn what_is_old_is_forgotten() {
        let mut offsets = Offsets::default();
        offsets.learn(exchange(0, 1, 1));
        offsets.learn(exchange(40 * SECOND_NS, 500, 500));
        assert_eq!(offsets.round_trip_ns(), Some(1_000));
    }

    #[test]
    fn a_clock_that_is_behind_has_an_offset_below_zero() {
        let mut offsets = Offsets::default();
        offsets.learn(Exchange {
            sent_ns: 100,
            received_ns: 120,
            theirs_ns: 10,
        });
        assert_eq!(offsets.offset_ns(), Some(-100));
    }
}
