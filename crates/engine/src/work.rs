//! One piece of work for all clients: a sequence of operations with its begin and its ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::time::Duration;

use dbdyno_trial::TrialSpec;
use dbdyno_workload::Sequence;

use crate::event::Phase;
use crate::gate::Gate;
use crate::in_flight::Board;

/// [`SharedSequence::first_measured`] while the warm-up lasts, and while a client looks up where it ends.
const NOT_KNOWN: u64 = u64::MAX;
const ANNOUNCED: u64 = u64::MAX - 1;

/// A part of a piece of work whose operations are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Load,
    WarmUp,
    Measure,
    /// Other load generators have sent their shares: nothing of it is measured.
    Tail,
}

impl Stage {
    pub(crate) fn phase(self) -> Phase {
        match self {
            Self::Load => Phase::Load,
            Self::WarmUp => Phase::WarmUp,
            Self::Measure => Phase::Measure,
            Self::Tail => Phase::Drain,
        }
    }
}

/// What clients share while they carry out a sequence. Read by all, written almost never.
pub(crate) struct SharedSequence {
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
    /// Whether other operations remove records.
    pub(crate) deletes: bool,
    /// No operation that is due (without a pace: no claim that is made) at or after this time is sent.
    deadline_ns: AtomicU64,
    /// What is claimed at or after this time is sent, and is not measured any more.
    tail_from_ns: AtomicU64,
    /// How long after the deadline operations that were due before it may still be sent.
    drain_ns: u64,
    /// What is due is not sent any more after the deadline: there is too much of it.
    hopelessly_late: AtomicBool,
    /// Sends of the warm-up may trail by so much behind their schedule, and it still goes on as it is.
    slack_ns: u64,
    /// By how much the schedule of the measured operations is moved: by what the warm-up could not keep up with, and between slices by
    /// the time in which their last answers were waited for.
    shift_ns: AtomicU64,
    /// Claims of operations that were not to be sent any more.
    returned: AtomicU64,
    /// The operations that clients have in flight.
    pub(crate) board: Board,
    /// The number of the first measured operation (of the slice, where there are slices), or [`NOT_KNOWN`] or [`ANNOUNCED`].
    first_measured: AtomicU64,
    /// How many operations are measured from there on.
    operations: AtomicU64,
    /// Where clients wait between the turns of their trial.
    pub(crate) gate: Gate,
    /// Inserts that failed: numbers that the table may lack.
    pub(crate) failed_inserts: AtomicU64,
}

/// When a slice ends.
#[derive(Clone, Copy)]
pub(crate) struct SliceEnd {
    /// When its clients park, or with the last one stop.
    pub(crate) at_ns: u64,
    /// After so many measured operations, where their number is limited.
    pub(crate) operations: Option<u64>,
    /// The work ends with it.
    pub(crate) last: bool,
}

/// Shorter intervals would cost more than they show.
const SHORTEST_INTERVAL_NS: u64 = 10_000_000;

/// The parts of a [`SharedSequence`].
pub(crate) struct WorkSetup {
    pub(crate) sequence: Sequence,
    pub(crate) load: bool,
    pub(crate) start_ns: u64,
    /// What is asked of the clients. A load has neither warm-up nor pace, and ends after its records.
    pub(crate) spec: TrialSpec,
    pub(crate) interval: Duration,
    pub(crate) warmup_interval: Option<Duration>,
    pub(crate) drain: Duration,
    pub(crate) notice_ns: u64,
    pub(crate) verifies: bool,
    pub(crate) deletes: bool,
    /// The measured stage is cut into slices: it begins when the trial's first turn does, and a duration says nothing of its
    /// end.
    pub(crate) sliced: bool,
}

/// Operations that are due and that nobody claimed.
pub(crate) struct Unsent {
    pub(crate) first: u64,
    pub(crate) count: u64,
    /// When the first is due, and the (mean) time from one to the next.
    pub(crate) from_ns: u64,
    pub(crate) gap_ns: f64,
}

pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl SharedSequence {
    pub(crate) fn new(setup: WorkSetup) -> Arc<Self> {
        let TrialSpec { warmup, limit, .. } = &setup.spec;
        let measure_from_ns = setup.start_ns + nanoseconds(warmup.longest);
        let warms_up = !warmup.longest.is_zero() || setup.sliced;
        let duration = limit.duration.filter(|_| !setup.sliced);
        Arc::new(Self {
            sequence: setup.sequence,
            load: setup.load,
            start_ns: setup.start_ns,
            measure_from_ns: AtomicU64::new(measure_from_ns),
            interval_ns: nanoseconds(setup.interval).max(SHORTEST_INTERVAL_NS),
            warmup_interval_ns: nanoseconds(setup.warmup_interval.unwrap_or(setup.interval))
                .max(SHORTEST_INTERVAL_NS),
            paced: setup.spec.pace.is_some(),
            verifies: setup.verifies,
            deletes: setup.deletes,
            deadline_ns: AtomicU64::new(duration.map_or(u64::MAX, |duration| {
                measure_from_ns.saturating_add(nanoseconds(duration))
            })),
            tail_from_ns: AtomicU64::new(u64::MAX),
            drain_ns: nanoseconds(setup.drain),
            hopelessly_late: AtomicBool::new(false),
            slack_ns: setup.notice_ns,
            shift_ns: AtomicU64::new(0),
            returned: AtomicU64::new(0),
            board: Board::new(setup.spec.clients),
            first_measured: AtomicU64::new(if warms_up { NOT_KNOWN } else { 0 }),
            operations: AtomicU64::new(limit.operations.unwrap_or(u64::MAX)),
            gate: Gate::new(setup.sliced, measure_from_ns),
            failed_inserts: AtomicU64::new(0),
        })
    }

    pub(crate) fn first_stage(&self) -> Stage {
        if self.load {
            Stage::Load
        } else if self.gate.sliced || self.measure_from_ns() > self.start_ns {
            Stage::WarmUp
        } else {
            Stage::Measure
        }
    }

    /// The length of a stage's intervals.
    pub(crate) fn interval_ns(&self, stage: Stage) -> u64 {
        match stage {
            Stage::WarmUp => self.warmup_interval_ns,
            Stage::Load | Stage::Measure | Stage::Tail => self.interval_ns,
        }
    }

    /// When the intervals of a stage begin to count. With slices, that of the measured stage moves with each of them, so that
    /// intervals count measured time.
    pub(crate) fn stage_start_ns(&self, stage: Stage) -> u64 {
        match stage {
            Stage::Load | Stage::WarmUp => self.start_ns,
            Stage::Measure | Stage::Tail => self
                .measure_from_ns()
                .saturating_sub(self.gate.measured_before_ns()),
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
        self.gate.close_by(measure_from_ns);
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

    /// Opens the gate now for a slice whose measured part begins at `measure_from_ns`, after slices that measured for
    /// `measured_before_ns`. All clients are parked.
    pub(crate) fn begin_slice(
        &self,
        slice: u64,
        now_ns: u64,
        measured_before_ns: u64,
        measure_from_ns: u64,
        ends: SliceEnd,
    ) {
        self.skip_what_no_slice_measures(now_ns);
        self.measure_from_ns.store(measure_from_ns, Ordering::Relaxed);
        self.first_measured.store(NOT_KNOWN, Ordering::SeqCst);
        if let Some(operations) = ends.operations {
            self.operations.store(operations, Ordering::Relaxed);
        }
        let closes_ns = if ends.last {
            self.deadline_ns.fetch_min(ends.at_ns, Ordering::Relaxed);
            u64::MAX
        } else {
            ends.at_ns
        };
        self.gate
            .open(slice, measured_before_ns, measure_from_ns, closes_ns);
    }

    /// Lets the schedule of a pace go on from now where what is due has no place in a slice: a warm-up that could not keep up has left
    /// its backlog behind, and while the last answers of a slice were waited for its schedule stood still. What was due in a slice stays
    /// due.
    fn skip_what_no_slice_measures(&self, now_ns: u64) {
        if !self.paced {
            return;
        }
        let next_ns = self.start_ns + self.sequence.claimed_until_ns() + self.shift_ns();
        let is_of_a_slice = self.gate.first_measured_ns() != u64::MAX && next_ns < self.gate.closes_ns();
        if !is_of_a_slice {
            self.shift_ns
                .fetch_add(now_ns.saturating_sub(next_ns), Ordering::SeqCst);
        }
    }

    /// The stage of an operation with an intended start, where the measured stage is cut into slices.
    pub(crate) fn stage_of_slice(&self, first: u64, intended_ns: u64) -> Stage {
        if !self.gate.is_measured(intended_ns, self.measure_from_ns()) {
            return Stage::WarmUp;
        }
        // NOT_KNOWN is larger than every number.
        self.first_measured.fetch_min(first, Ordering::SeqCst);
        Stage::Measure
    }

    /// The stage in which an operation counts that began in this one and failed at `end_ns`. In slices of a closed loop the time counts
    /// for which it outlasts the head, and so does its failure: a system that hangs while others have their turns fails nothing else.
    #[cold]
    pub(crate) fn stage_of_failure(&self, stage: Stage, end_ns: u64) -> Stage {
        let in_slices = self.gate.sliced && !self.paced && self.gate.first_measured_ns() != u64::MAX;
        if in_slices && stage == Stage::WarmUp && end_ns > self.measure_from_ns() {
            Stage::Measure
        } else {
            stage
        }
    }

    /// The time of the host on the clock of this work, which stands still between turns.
    pub(crate) fn own_ns(&self, host_ns: u64) -> u64 {
        host_ns.saturating_sub(self.gate.skipped_ns())
    }

    /// When clients stop sending even what is due.
    #[inline(always)]
    pub(crate) fn last_send_ns(&self) -> u64 {
        let deadline_ns = self.deadline_ns();
        if self.paced && !self.hopelessly_late.load(Ordering::Relaxed) {
            deadline_ns.saturating_add(self.drain_ns)
        } else {
            deadline_ns
        }
    }

    /// What ends later is no throughput of the measured time. A load takes as long as its last insert, and slices of a closed loop count
    /// the time until the last answer.
    #[inline(always)]
    pub(crate) fn drained_after_ns(&self) -> u64 {
        if self.load || (self.gate.sliced && !self.paced) {
            u64::MAX
        } else {
            self.measured_until_ns()
        }
    }

    /// When the tail begins; `u64::MAX` without one.
    #[inline(always)]
    pub(crate) fn tail_from_ns(&self) -> u64 {
        self.tail_from_ns.load(Ordering::Relaxed)
    }

    /// What is sent from now on is not measured any more.
    pub(crate) fn begin_tail(&self, now_ns: u64) {
        self.tail_from_ns.fetch_min(now_ns, Ordering::Relaxed);
    }

    /// When the measured stage ends at the latest.
    pub(crate) fn measured_until_ns(&self) -> u64 {
        self.deadline_ns().min(self.tail_from_ns())
    }

    /// Ends it at this time, and sends nothing more of what is due.
    pub(crate) fn break_off(&self, now_ns: u64) {
        self.end_by(now_ns);
        self.hopelessly_late.store(true, Ordering::Relaxed);
    }

    /// Ends it at this time, when it would not end earlier by itself.
    pub(crate) fn end_by(&self, deadline_ns: u64) {
        self.deadline_ns.fetch_min(deadline_ns, Ordering::Relaxed);
    }

    /// The deadline has come: sends what is due no longer when more of it has gathered than the drain has time for, at the
    /// pace of all sends so far.
    pub(crate) fn look_at_the_backlog(&self, now_ns: u64) {
        if !self.paced {
            return;
        }
        let lasted_ns = now_ns.saturating_sub(self.start_ns).max(1) as f64;
        let within_drain = self.sequence.claimed() as f64 / lasted_ns * self.drain_ns as f64;
        if self.unsent().count as f64 > within_drain {
            self.hopelessly_late.store(true, Ordering::Relaxed);
        }
    }

    /// The measured operations that are due before the deadline and that nobody claimed.
    pub(crate) fn unsent(&self) -> Unsent {
        let (first, gap_ns) = (self.sequence.claimed(), self.sequence.mean_gap_ns());
        let natural_ns = self.start_ns + self.sequence.claimed_until_ns();
        // A warm-up that nobody came out of has left its own operations behind.
        let from_ns = natural_ns
            .saturating_add(self.shift_ns())
            .max(self.measured_since_ns());
        let deadline_ns = self.deadline_ns();
        let due = if self.paced && deadline_ns != u64::MAX {
            (deadline_ns.saturating_sub(from_ns) as f64 / gap_ns).ceil() as u64
        } else {
            0
        };
        let left = match self.first_measured.load(Ordering::SeqCst) {
            NOT_KNOWN | ANNOUNCED => self.operations(),
            line => line.saturating_add(self.operations()).saturating_sub(first),
        };
        Unsent {
            first,
            count: due.min(left),
            from_ns,
            gap_ns,
        }
    }

    /// When the measured stage began: its first slice, where it has slices.
    fn measured_since_ns(&self) -> u64 {
        if self.gate.sliced {
            self.gate.first_measured_ns()
        } else {
            self.measure_from_ns()
        }
    }

    #[inline(always)]
    fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// How many measured operations were sent, without slices.
    pub(crate) fn sent(&self) -> u64 {
        let (claimed, returned) = (self.sequence.claimed(), self.returned.load(Ordering::Relaxed));
        match self.first_measured.load(Ordering::SeqCst) {
            NOT_KNOWN | ANNOUNCED => 0,
            line => claimed.saturating_sub(line).saturating_sub(returned),
        }
    }

    /// Whether every operation that is to be measured was sent. False without an operation limit, and where the deadline came
    /// first.
    pub(crate) fn is_complete(&self) -> bool {
        self.sent() >= self.operations()
    }

    /// A client leaves a claim alone, for the end has come.
    #[cold]
    pub(crate) fn note_returned(&self) {
        self.returned.fetch_add(1, Ordering::Relaxed);
    }

    /// By how much measured operations are due later than the sequence says.
    pub(crate) fn shift_ns(&self) -> u64 {
        self.shift_ns.load(Ordering::Relaxed)
    }

    /// Whether an operation of an open loop that a client of the warm-up has just claimed is measured. As a rule the schedule
    /// draws the line. When the warm-up could not keep up, the operations of the measured phase are due from its begin on,
    /// as if the schedule had stood still meanwhile: its backlog is the warm-up's own and is not waited for.
    pub(crate) fn is_measured_at(&self, first: u64, intended_ns: u64, now_ns: u64) -> bool {
        if self.gate.sliced {
            return false;
        }
        let measure_from_ns = self.measure_from_ns();
        let line = &self.first_measured;
        let become_line = |value| {
            line.compare_exchange(NOT_KNOWN, value, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        loop {
            match line.load(Ordering::SeqCst) {
                NOT_KNOWN if intended_ns >= measure_from_ns => {
                    if become_line(first) {
                        return true;
                    }
                }
                NOT_KNOWN if now_ns >= measure_from_ns && intended_ns + self.slack_ns < measure_from_ns => {
                    if become_line(ANNOUNCED) {
                        let natural_ns = self.start_ns + self.sequence.claimed_until_ns();
                        let shift_ns = measure_from_ns.saturating_sub(natural_ns).max(1);
                        self.shift_ns.store(shift_ns, Ordering::SeqCst);
                        line.store(self.sequence.claimed(), Ordering::SeqCst);
                    }
                }
                NOT_KNOWN => return false,
                ANNOUNCED => std::hint::spin_loop(),
                drawn if self.shift_ns() > 0 => return first >= drawn,
                _ => {
                    // The numbers rise with the schedule; the first client to look need not have claimed the lowest.
                    let due = intended_ns >= measure_from_ns;
                    if due {
                        line.fetch_min(first, Ordering::SeqCst);
                    }
                    return due;
                }
            }
        }
    }

    /// A client of the warm-up of a closed loop is about to make a claim: if the measured stage has begun by now and nobody has said so,
    /// what is claimed from here on is measured, this client's claim first.
    pub(crate) fn draw_line(&self, now_ns: u64) {
        let announced = || {
            let line = &self.first_measured;
            line.compare_exchange(NOT_KNOWN, ANNOUNCED, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        if now_ns >= self.measure_from_ns() && announced() {
            fence(Ordering::SeqCst);
            self.first_measured
                .store(self.sequence.claimed(), Ordering::SeqCst);
        }
    }

    /// Whether a claim of a closed loop that a client of the warm-up has just made is measured. Which claims are depends on
    /// their numbers alone, so that exactly the asked number of operations is measured, whatever the threads do.
    pub(crate) fn is_measured(&self, first: u64) -> bool {
        // A claim is a change of the sequence's counter followed by this look at the line. Who draws it announces so
        // first and looks at the counter then: a claim beyond what was seen there was made after the announcement.
        fence(Ordering::SeqCst);
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
            .saturating_add(self.operations())
    }

    pub(crate) fn note_failed_insert(&self) {
        self.failed_inserts.fetch_add(1, Ordering::Relaxed);
    }
}
