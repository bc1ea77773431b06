//! The clock of a piece of work that leaves out what is not its own time.

use std::cell::Cell;

use super::Clock;

/// The clock of a piece of work: it stands still while the clients are parked.
pub(crate) struct OwnClock<'a, C> {
    clock: &'a C,
    skipped_ns: Cell<u64>,
}

impl<'a, C: Clock> OwnClock<'a, C> {
    /// Nothing is left out yet.
    pub(crate) fn new(clock: &'a C) -> Self {
        Self {
            clock,
            skipped_ns: Cell::new(0),
        }
    }

    /// From now on so much is left out.
    pub(crate) fn skip(&self, skipped_ns: u64) {
        self.skipped_ns.set(skipped_ns);
    }
}

impl<C: Clock> Clock for OwnClock<'_, C> {
    #[inline(always)]
    fn now_ns(&self) -> u64 {
        self.clock.now_ns() - self.skipped_ns.get()
    }

    #[inline(always)]
    async fn sleep_until(&self, deadline_ns: u64) {
        self.clock
            .sleep_until(deadline_ns.saturating_add(self.skipped_ns.get()))
            .await;
    }

    #[inline(always)]
    async fn breathe(&self, now_ns: u64) {
        self.clock.breathe(now_ns + self.skipped_ns.get()).await;
    }
}
