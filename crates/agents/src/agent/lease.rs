//! Whose an agent is, and for how long.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Without a heartbeat for so long, the coordinator is gone.
const LEASE_NS: u64 = 2_000_000_000;

/// A coordinator's right to an agent.
pub(super) struct Lease {
    pub(super) coordinator: String,
    pub(super) study: String,
    until_ns: u64,
    offset: Offset,
    /// The last notice that it heard; `None` before the first heartbeat says how many there have been.
    heard: Option<u64>,
    /// Notices that the coordinator had sent at the last heartbeat.
    owed: u64,
}

/// How a notice stands to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It is the next one.
    Next,
    /// Others before it were lost.
    AfterGap,
    /// A duplicate of an earlier one.
    Again,
}

/// What this clock shows more than the coordinator's, as that knows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Offset(Arc<AtomicI64>);

impl Offset {
    /// A time of the coordinator's clock on this one.
    pub(super) fn here_ns(&self, theirs_ns: u64) -> u64 {
        theirs_ns.saturating_add_signed(self.0.load(Ordering::Relaxed))
    }
}

impl Lease {
    pub(super) fn new(coordinator: String, study: String, now_ns: u64) -> Self {
        Self {
            coordinator,
            study,
            until_ns: now_ns + LEASE_NS,
            offset: Offset::default(),
            heard: None,
            owed: 0,
        }
    }

    /// A notice came. They come in order.
    pub(super) fn hear(&mut self, number: u64) -> Heard {
        let Some(before) = self.heard else {
            return Heard::Next;
        };
        self.heard = Some(before.max(number));
        match number {
            _ if number <= before => Heard::Again,
            _ if number > before + 1 => Heard::AfterGap,
            _ => Heard::Next,
        }
    }

    /// Whether notices of the coordinator were lost, now that it has sent so many. What it had sent at the heartbeat before has come by
    /// now; what it has sent since may be on its way.
    pub(super) fn has_missed(&mut self, said: u64) -> bool {
        let owed = std::mem::replace(&mut self.owed, said);
        let is_lost = self.heard.is_some_and(|heard| heard < owed);
        if is_lost || self.heard.is_none() {
            self.heard = Some(said);
        }
        is_lost
    }

    /// A heartbeat came.
    pub(super) fn renew(&mut self, now_ns: u64, offset_ns: Option<i64>) {
        self.until_ns = now_ns + LEASE_NS;
        if let Some(offset_ns) = offset_ns {
            self.offset.0.store(offset_ns, Ordering::Relaxed);
        }
    }

    pub(super) fn has_ended(&self, now_ns: u64) -> bool {
        now_ns > self.until_ns
    }

    pub(super) fn offset(&self) -> Offset {
        self.offset.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_ends_two_seconds_after_the_last_heartbeat() {
        let mut lease = Lease::new("c".to_owned(), "s".to_owned(), 5);
        assert!(!lease.has_ended(5 + LEASE_NS) && lease.has_ended(6 + LEASE_NS));
        lease.renew(LEASE_NS, None);
        assert!(!lease.has_ended(2 * LEASE_NS) && lease.has_ended(2 * LEASE_NS + 1));
    }

    #[test]
    fn what_was_lost_is_missed() {
        let mut lease = Lease::new("c".to_owned(), "s".to_owned(), 0);
        assert_eq!(
            lease.hear(2),
            Heard::Next,
            "what came before the lease concerns nobody here"
        );
        assert!(!lease.has_missed(3));
        assert_eq!(lease.hear(4), Heard::Next);
        assert!(!lease.has_missed(5), "it may be on its way");
        assert_eq!(lease.hear(5), Heard::Next);
        assert!(!lease.has_missed(6));
        assert!(lease.has_missed(6), "it did not come");
        assert!(!lease.has_missed(6), "once is enough");
        assert_eq!(
            [7, 7, 4].map(|number| lease.hear(number)),
            [Heard::Next, Heard::Again, Heard::Again]
        );
        assert_eq!(lease.hear(9), Heard::AfterGap, "8 is missing");
    }

    #[test]
    fn a_clock_may_be_behind() {
        let mut lease = Lease::new("c".to_owned(), "s".to_owned(), 0);
        let offset = lease.offset();
        assert_eq!(offset.here_ns(7), 7);
        lease.renew(0, Some(-3));
        assert_eq!((offset.here_ns(7), offset.here_ns(1)), (4, 0));
    }
}
