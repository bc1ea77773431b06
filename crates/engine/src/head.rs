//! The head of a slice, in a closed loop: its operations do not count, but how long they take shows how long a system needs to come
//! back to speed after others had their turns.

use std::ops::AddAssign;

use dbdyno_record::{FEWEST_LATE_OPERATIONS, SliceHead};

/// Whole operations, and the time from the start of the first to the end of the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) operations: u64,
    pub(crate) took_ns: u64,
}

/// The head of one client, or of several together; nothing where no operation of it ended before the slice did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeadTally {
    /// Until the first measured operation.
    whole: Stretch,
    /// From the first operation of its second half until the first measured operation.
    late: Stretch,
}

/// Watches one client in the head of a slice.
#[derive(Default)]
pub(crate) struct HeadWatch {
    began: Option<Mark>,
    /// When the second half of the head begins,
    half_ns: u64,
    /// and when the client's first operation of it did.
    late: Option<Mark>,
    tally: HeadTally,
}

/// A moment between two operations of a client.
#[derive(Clone, Copy)]
struct Mark {
    /// How many it had done.
    operations: u64,
    at_ns: u64,
}

impl HeadWatch {
    /// A client that has done so many operations goes on now, in a slice whose head ends at `measure_from_ns`.
    pub(crate) fn begin(&mut self, operations: u64, now_ns: u64, measure_from_ns: u64) {
        *self = Self {
            began: Some(Mark {
                operations,
                at_ns: now_ns,
            }),
            half_ns: now_ns + measure_from_ns.saturating_sub(now_ns) / 2,
            ..Self::default()
        };
    }

    /// The client begins an operation of the head.
    #[inline(always)]
    pub(crate) fn look(&mut self, operations: u64, now_ns: u64) {
        if self.late.is_none() && now_ns >= self.half_ns {
            self.late = Some(Mark {
                operations,
                at_ns: now_ns,
            });
        }
    }

    /// The client begins its first measured operation.
    pub(crate) fn end(&mut self, operations: u64, now_ns: u64) {
        let since = |mark: Option<Mark>| {
            mark.map_or_else(Stretch::default, |mark| Stretch {
                operations: operations - mark.operations,
                took_ns: now_ns.saturating_sub(mark.at_ns),
            })
        };
        self.tally = HeadTally {
            whole: since(self.began),
            late: since(self.late.filter(|_| self.began.is_some())),
        };
    }

    /// The head of this slice, as far as it was seen.
    pub(crate) fn tally(&self) -> HeadTally {
        self.tally
    }
}

impl HeadTally {
    /// Beside what so many clients measured in the slice together; `None` where either had no operation.
    pub(crate) fn beside(&self, measured: Stretch, clients: u32) -> Option<SliceHead> {
        if self.whole.operations == 0 || measured.operations == 0 {
            return None;
        }
        let usual_ns = measured.took_ns as f64 / measured.operations as f64;
        let lost_ns = self.whole.took_ns as f64 - usual_ns * self.whole.operations as f64;
        let late_ns = self.late.took_ns as f64 / self.late.operations.max(1) as f64;
        let is_known = self.late.operations >= FEWEST_LATE_OPERATIONS && usual_ns > 0.0;
        Some(SliceHead {
            lost_ns: (lost_ns / f64::from(clients.max(1))) as i64,
            late_ratio: is_known.then(|| late_ns / usual_ns),
        })
    }
}

impl AddAssign for Stretch {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.took_ns += other.took_ns;
    }
}

impl AddAssign for HeadTally {
    fn add_assign(&mut self, other: Self) {
        self.whole += other.whole;
        self.late += other.late;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_before_the_first_slice_are_of_no_head() {
        let mut watch = HeadWatch::default();
        watch.look(5, 50);
        watch.end(10, 100);
        assert_eq!(watch.tally(), HeadTally::default());
        let measured = Stretch {
            operations: 10,
            took_ns: 100,
        };
        assert_eq!(watch.tally().beside(measured, 1), None);
    }

    #[test]
    fn a_slow_begin_is_lost_and_the_second_half_is_at_speed() {
        // Of 4,000 ns, the first thousand go by without an operation; then one takes 10 ns.
        let mut watch = HeadWatch::default();
        watch.begin(7, 10_000, 14_000);
        watch.look(7, 10_000);
        watch.look(57, 11_500);
        watch.look(107, 12_000);
        watch.end(307, 14_000);
        let measured = Stretch {
            operations: 4_000,
            took_ns: 40_000,
        };
        let head = watch.tally().beside(measured, 1).unwrap();
        assert_eq!(head.lost_ns, 1_000);
        assert!((head.late_ratio.unwrap() - 1.0).abs() < 1e-9, "{head:?}");
        // The next slice is slow to its end, and only one of two clients saw its head.
        watch.begin(307, 20_000, 24_000);
        watch.look(357, 22_000);
        watch.end(457, 24_000);
        let mut both = HeadTally::default();
        both += watch.tally();
        both += HeadTally::default();
        let head = both.beside(measured, 2).unwrap();
        assert_eq!(head.lost_ns, 1_250);
        assert!((head.late_ratio.unwrap() - 2.0).abs() < 1e-9, "{head:?}");
    }
}
