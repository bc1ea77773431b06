//! One piece of work for all clients: a sequence of operations with its begin and its ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

use dbdyno_workload::Sequence;

use crate::event::Phase;

/// [`Work::first_measured`] while the warm-up lasts, and while a client looks up where it ends.
const NOT_KNOWN: u64 = u64::MAX;
const ANNOUNCED: u64 = u64::MAX - 1;

/// A part of a piece of work whose operations are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Load,
    WarmUp,
    Measure,
}

impl Stage {
    pub(crate) fn phase(self) -> Phase {
        match self {
            Self::Load => Phase::Load,
            Self::WarmUp => Phase::WarmUp,
            Self::Measure => Phase::Measure,
        }
    }
}

/// What clients share while they carry out a sequence. Read by all, written almost never.
pub(crate) struct Work {
    pub(crate) sequence: Sequence,
    pub(crate) load: bool,
    /// When it begins.
    pub(crate) start_ns: u64,
    /// When the measured stage begins: the start, without a warm-up.
    measure_from_ns: AtomicU64,
    interval_ns: u64,
    warmup_interval_ns: u64,
    /// Whether every operation has an intended start.
    pub(crate) paced: bool,
    /// Whether values read back are compared with what was written.
    pub(crate) verifies: bool,
    /// No operation that is due (without a pace: no claim that is made) at or after this time is sent.
    deadline_ns: AtomicU64,
    /// How long after the deadline operations that were due before it may still be sent.
    drain_ns: u64,
    /// The number of the first measured operation, or [`NOT_KNOWN`] or [`ANNOUNCED`].
    first_measured: AtomicU64,
    /// How many operations are measured.
    operations: u64,
    /// Inserts that failed: numbers that the table may lack.
    pub(crate) failed_inserts: AtomicU64,
}

/// Shorter intervals would cost more than they show.
const SHORTEST_INTERVAL_NS: u64 = 10_000_000;

/// What a [`Work`] is made of.
pub(crate) struct WorkSetup {
    pub(crate) sequence: Sequence,
    pub(crate) load: bool,
    pub(crate) start_ns: u64,
    pub(crate) warmup: Duration,
    pub(crate) operations: Option<u64>,
    pub(crate) duration: Option<Duration>,
    pub(crate) interval: Duration,
    pub(crate) warmup_interval: Option<Duration>,
    pub(crate) drain: Duration,
    pub(crate) paced: bool,
    pub(crate) verifies: bool,
}

pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl Work {
    pub(crate) fn new(setup: WorkSetup) -> Arc<Self> {
        let measure_from_ns = setup.start_ns + nanoseconds(setup.warmup);
        let warms_up = !setup.warmup.is_zero();
        Arc::new(Self {
            sequence: setup.sequence,
            load: setup.load,
            start_ns: setup.start_ns,
            measure_from_ns: AtomicU64::new(measure_from_ns),
            interval_ns: nanoseconds(setup.interval).max(SHORTEST_INTERVAL_NS),
            warmup_interval_ns: nanoseconds(setup.warmup_interval.unwrap_or(setup.interval))
                .max(SHORTEST_INTERVAL_NS),
            paced: setup.paced,
            verifies: setup.verifies,
            deadline_ns: AtomicU64::new(setup.duration.map_or(u64::MAX, |duration| {
                measure_from_ns.saturating_add(nanoseconds(duration))
            })),
            drain_ns: nanoseconds(setup.drain),
            first_measured: AtomicU64::new(if warms_up { NOT_KNOWN } else { 0 }),
            operations: setup.operations.unwrap_or(u64::MAX),
            failed_inserts: AtomicU64::new(0),
        })
    }

    pub(crate) fn first_stage(&self) -> Stage {
        if self.load {
            Stage::Load
        } else if self.measure_from_ns() > self.start_ns {
            Stage::WarmUp
        } else {
            Stage::Measure
        }
    }

    /// The length of a stage's intervals.
    pub(crate) fn interval_ns(&self, stage: Stage) -> u64 {
        match stage {
            Stage::WarmUp => self.warmup_interval_ns,
            Stage::Load | Stage::Measure => self.interval_ns,
        }
    }

    /// When the intervals of a stage begin to count.
    pub(crate) fn stage_start_ns(&self, stage: Stage) -> u64 {
        match stage {
            Stage::Load | Stage::WarmUp => self.start_ns,
            Stage::Measure => self.measure_from_ns(),
        }
    }

    /// When the measured stage begins; it may be drawn nearer while the warm-up lasts.
    #[inline(always)]
    pub(crate) fn measure_from_ns(&self) -> u64 {
        self.measure_from_ns.load(Ordering::Relaxed)
    }

    /// Ends the warm-up at this time, when it would not end earlier by itself, and the measured stage as much earlier. All
    /// clients must see it before that time comes.
    pub(crate) fn warm_at(&self, measure_from_ns: u64) {
        let earlier = self.measure_from_ns.fetch_min(measure_from_ns, Ordering::Relaxed);
        let saved_ns = earlier.saturating_sub(measure_from_ns);
        // A work that was ended during its warm-up stays ended, one without a time limit has no deadline to move.
        let moved = |deadline_ns: u64| {
            (deadline_ns != u64::MAX && deadline_ns > earlier).then(|| deadline_ns - saved_ns)
        };
        let _ = self
            .deadline_ns
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, moved);
    }

    #[inline(always)]
    pub(crate) fn deadline_ns(&self) -> u64 {
        self.deadline_ns.load(Ordering::Relaxed)
    }

    /// When clients stop sending even what is due.
    #[inline(always)]
    pub(crate) fn last_send_ns(&self) -> u64 {
        let deadline_ns = self.deadline_ns();
        if self.paced {
            deadline_ns.saturating_add(self.drain_ns)
        } else {
            deadline_ns
        }
    }

    /// Ends it at this time, when it would not end earlier by itself.
    pub(crate) fn end_by(&self, deadline_ns: u64) {
        self.deadline_ns.fetch_min(deadline_ns, Ordering::Relaxed);
    }

    /// Whether a claim that a client of the warm-up has just made is measured. Which claims are depends on their
    /// numbers alone, so that exactly the asked number of operations is measured, whatever the threads do.
    ///
    /// `due_ns` is when its first operation is intended or, without a pace, the time of the claim.
    pub(crate) fn is_measured(&self, first: u64, due_ns: u64) -> bool {
        let due = due_ns >= self.measure_from_ns();
        if self.paced {
            // The schedule draws the line; the numbers rise with it.
            if due {
                self.first_measured.fetch_min(first, Ordering::Relaxed);
            }
            return due;
        }
        // A claim is a change of the sequence's counter followed by this look at the line. Who draws it announces so
        // first and looks at the counter then: a claim beyond what was seen there was made after the announcement.
        fence(Ordering::SeqCst);
        let announced = || {
            let line = &self.first_measured;
            line.compare_exchange(NOT_KNOWN, ANNOUNCED, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        if due && announced() {
            fence(Ordering::SeqCst);
            self.first_measured
                .store(self.sequence.claimed(), Ordering::SeqCst);
        }
        loop {
            match self.first_measured.load(Ordering::SeqCst) {
                NOT_KNOWN => return false,
                ANNOUNCED => std::hint::spin_loop(),
                line => return first >= line,
            }
        }
    }

    /// The number of the first operation that is not to be sent.
    #[inline(always)]
    pub(crate) fn end_number(&self) -> u64 {
        self.first_measured
            .load(Ordering::Relaxed)
            .saturating_add(self.operations)
    }

    pub(crate) fn note_failed_insert(&self) {
        self.failed_inserts.fetch_add(1, Ordering::Relaxed);
    }
}
