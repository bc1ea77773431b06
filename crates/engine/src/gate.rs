//! Where the clients of a trial that is measured in turns wait for their next one, and how its clock leaves the time in
//! between out. A trial that runs in one stretch has a gate that never closes.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

/// The gate of one piece of work. Times are on the work's own clock.
pub(crate) struct Gate {
    /// Whether the measured stage is cut into slices.
    pub(crate) sliced: bool,
    /// Clients that look at or after this time park.
    closes_ns: AtomicU64,
    /// When it closed before the slice that is open.
    closed_before_ns: AtomicU64,
    /// When the first slice's measured part began.
    first_measured_ns: AtomicU64,
    /// How long was measured in the slices before the one that is open.
    measured_before_ns: AtomicU64,
    /// The time that the work's clock has left out so far.
    skipped_ns: AtomicU64,
    /// The number of the opening that lasts: it changes when parked clients may go on.
    opened: watch::Sender<Opening>,
}

/// Lets clients go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opening {
    number: u64,
    /// The slice, from 0.
    pub(crate) slice: u64,
}

impl Gate {
    /// Sliced: closes for the first time at this time. Otherwise it never does.
    pub(crate) fn new(sliced: bool, closes_ns: u64) -> Self {
        Self {
            sliced,
            closes_ns: AtomicU64::new(if sliced { closes_ns } else { u64::MAX }),
            closed_before_ns: AtomicU64::new(0),
            first_measured_ns: AtomicU64::new(u64::MAX),
            measured_before_ns: AtomicU64::new(0),
            skipped_ns: AtomicU64::new(0),
            opened: watch::Sender::new(Opening::default()),
        }
    }

    /// When clients park.
    #[inline(always)]
    pub(crate) fn closes_ns(&self) -> u64 {
        self.closes_ns.load(Ordering::Relaxed)
    }

    /// Closes at this time if it would not close earlier.
    pub(crate) fn close_by(&self, closes_ns: u64) {
        if self.sliced {
            self.closes_ns.fetch_min(closes_ns, Ordering::Relaxed);
        }
    }

    /// The time that the work's clock has left out so far.
    pub(crate) fn skipped_ns(&self) -> u64 {
        self.skipped_ns.load(Ordering::Acquire)
    }

    /// How long was measured in the slices before the one that is open.
    pub(crate) fn measured_before_ns(&self) -> u64 {
        self.measured_before_ns.load(Ordering::Relaxed)
    }

    /// When the first slice's measured part began; `u64::MAX` before.
    pub(crate) fn first_measured_ns(&self) -> u64 {
        self.first_measured_ns.load(Ordering::Relaxed)
    }

    /// Leaves so much more out: all clients were parked meanwhile.
    pub(crate) fn skip(&self, parked_ns: u64) {
        self.skipped_ns.fetch_add(parked_ns, Ordering::Release);
    }

    /// Lets parked clients go on until `closes_ns` in a slice whose measured part begins at `measure_from_ns`, after slices that
    /// measured for `measured_before_ns`.
    pub(crate) fn open(&self, slice: u64, measured_before_ns: u64, measure_from_ns: u64, closes_ns: u64) {
        let before_ns = self.closes_ns.swap(closes_ns, Ordering::Relaxed);
        self.closed_before_ns.store(before_ns, Ordering::Relaxed);
        self.first_measured_ns
            .fetch_min(measure_from_ns, Ordering::Relaxed);
        self.measured_before_ns
            .store(measured_before_ns, Ordering::Relaxed);
        self.let_go(slice);
    }

    /// Leaves the slice that is open on for longer: an operation of it is held up. Clients that have parked go on.
    pub(crate) fn extend(&self, slice: u64, closes_ns: u64) {
        self.closes_ns.store(closes_ns, Ordering::Relaxed);
        self.let_go(slice);
    }

    fn let_go(&self, slice: u64) {
        self.opened.send_modify(|opening| {
            *opening = Opening {
                number: opening.number + 1,
                slice,
            };
        });
    }

    /// The number of the opening that lasts.
    pub(crate) fn opening(&self) -> u64 {
        self.opened.borrow().number
    }

    /// Whether an operation that was due then belongs to the measured part of a slice. What was due in an earlier slice does: it
    /// had to wait.
    pub(crate) fn is_measured(&self, intended_ns: u64, measure_from_ns: u64) -> bool {
        intended_ns >= measure_from_ns
            || (intended_ns < self.closed_before_ns.load(Ordering::Relaxed)
                && intended_ns >= self.first_measured_ns())
    }

    /// A client's own place in front of it.
    pub(crate) fn ticket(&self) -> Ticket {
        let openings = self.opened.subscribe();
        let seen = *openings.borrow();
        Ticket { openings, seen }
    }
}

/// One client in front of the gate.
pub(crate) struct Ticket {
    openings: watch::Receiver<Opening>,
    seen: Opening,
}

impl Ticket {
    /// The client stops in front of the gate: what has opened so far is over for it.
    pub(crate) fn arrive(&mut self) {
        self.seen = *self.openings.borrow_and_update();
    }

    /// The number of the opening that is over for the client.
    pub(crate) fn opening(&self) -> u64 {
        self.seen.number
    }

    /// Waits until the gate opens again; the slice that is open then. The same slice goes on where it was extended.
    pub(crate) async fn wait(&mut self) -> u64 {
        let seen = self.seen.number;
        let opening = self.openings.wait_for(|opening| opening.number > seen).await;
        // The gate outlives its clients: they share the work that holds it.
        if let Ok(opening) = opening {
            self.seen = *opening;
        }
        self.seen.slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_stopped_before_a_slice_went_on_waits_for_no_other() {
        let gate = Gate::new(true, 10);
        let (mut early, mut late) = (gate.ticket(), gate.ticket());
        early.arrive();
        gate.extend(0, 20);
        late.arrive();
        // What the first one says of its stop is about an opening that lasts no more.
        assert_eq!((early.opening(), late.opening()), (0, gate.opening()));
        assert_eq!(early.wait().await, 0);
        gate.extend(1, 30);
        assert_eq!(late.wait().await, 1);
    }
}
