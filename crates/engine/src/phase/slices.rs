//! The measured stage of a trial that takes turns with others: slice after slice, and the clock stands still in between.
//!
//! In a closed loop a slice counts, for each client, from its first measured operation until its last one is answered: whole
//! operations over the time that they took, without a loss at either end, and a stall is paid for whatever its length. A client
//! that is held up when the head ends, longer than its operations usually take, counts from then on: stalls that began in the head are
//! paid for, too, and a client that waits for a CPU is as slow as it seems. With a rate a slice counts the time of the schedule; where
//! an operation is held up beyond the slice, the slice goes on, or the operations due meanwhile would never have to wait.

use dbdyno_machine::OwnUsage;

use super::{Course, Follow, LOOK_NS};
use crate::collector::Collector;
use crate::error::EngineError;
use crate::event::{Event, Phase};
use crate::head::Stretch;
use crate::host::Host;
use crate::report::ClientSlice;
use crate::turns::{Slice, SliceOutcome, TurnReport, Turns};
use crate::work::{SharedSequence, SliceEnd, Stage, nanoseconds};

/// With a rate, an operation that is in flight for so long after its slice is held up,
const HELD_UP_NS: u64 = 10_000_000;
/// or, where operations usually take longer, for so many times as long as all but the slowest hundredth of them.
const HELD_UP: u64 = 2;

/// The slices of a work.
#[derive(Default)]
pub(super) struct Slices {
    /// The first has begun.
    pub(super) begun: bool,
    /// The head of a slice is not over yet.
    pub(super) in_head: bool,
    /// Measured time of the slices that are over.
    pub(super) measured_ns: u64,
    /// Attempts and successes of these.
    attempts: u64,
    ok: u64,
    /// All but the slowest hundredth of the warm-up's operations took no longer.
    warm_usual_ns: u64,
    /// Resources that the process had used when the clients parked.
    parked: OwnUsage,
}

impl<H: Host> Course<'_, H> {
    /// Measures in turns after the warm-up, which ended at `now_ns`; returns the time of the end.
    pub(super) async fn take_turns(&mut self, turns: &Turns, now_ns: u64) -> Result<u64, EngineError> {
        let (count, mut end_ns) = (self.count(), now_ns);
        if self.follow.parked < count {
            // Stopped, or held up in the warm-up: there is nothing to measure.
            return self.break_off(end_ns).await;
        }
        self.follow
            .collector
            .finish(self.work.measure_from_ns(), self.follow.observer);
        self.follow
            .observer
            .event(&Event::PhaseEnded { phase: Phase::WarmUp });
        turns.report(TurnReport::Ready);
        for number in 0.. {
            let parked_since_ns = self.host.now_ns();
            self.follow.slices.parked = OwnUsage::until(end_ns);
            let slice = self.next_turn(turns).await;
            if let Some(slice) = slice.filter(|slice| !slice.lead.is_zero()) {
                let begins_ns = self.host.now_ns() + nanoseconds(slice.lead);
                self.host.sleep_until(begins_ns).await;
            }
            self.work.gate.skip(self.host.now_ns() - parked_since_ns);
            let Some(slice) = slice else {
                return self.break_off(end_ns).await;
            };
            let began_ns = end_ns;
            end_ns = self.run_slice(number, slice, began_ns).await?;
            let outcome = self.end_slice(end_ns - began_ns);
            self.follow.observer.event(&Event::SliceEnded);
            let is_over = self.follow.done + self.follow.parked < count || self.follow.done > 0;
            turns.report(TurnReport::Parked(outcome));
            if is_over {
                return self.let_go_of_parked(end_ns).await;
            }
        }
        Ok(end_ns)
    }

    /// Waits for a turn; `None` when there is none any more, or a stop is requested.
    async fn next_turn(&mut self, turns: &Turns) -> Option<Slice> {
        loop {
            if self.stop.is_requested() {
                return None;
            }
            let look_ns = self.host.now_ns() + LOOK_NS;
            tokio::select! {
                biased;
                slice = turns.next() => return slice,
                () = self.host.sleep_until(look_ns) => {}
            }
        }
    }

    async fn run_slice(&mut self, number: u64, slice: Slice, now_ns: u64) -> Result<u64, EngineError> {
        let measure_from_ns = now_ns + nanoseconds(slice.head);
        let mut closes_ns = measure_from_ns + nanoseconds(slice.measured);
        if !self.follow.slices.begun {
            self.follow.begin_slices(self.work);
            self.follow.announce(self.expected);
        }
        let follow = &mut self.follow;
        (follow.parked, follow.slice) = (0, ClientSlice::default());
        follow.slices.in_head = true;
        let (measured_ns, attempts) = (follow.slices.measured_ns, follow.slices.attempts);
        let operations = self.expected.operations;
        let ends = SliceEnd {
            at_ns: closes_ns,
            operations: operations.map(|all| all.saturating_sub(attempts)),
            last: slice.last,
        };
        follow.collector.begin_slice(
            measure_from_ns.saturating_sub(measured_ns),
            follow.slices.parked.cpu_seconds(),
        );
        self.work
            .begin_slice(number, now_ns, measured_ns, measure_from_ns, ends);
        if slice.last || !self.work.paced {
            return self.follow_clients().await;
        }
        let given_up_ns = closes_ns.saturating_add(nanoseconds(self.expected.drain));
        loop {
            let held_up_ns = closes_ns + self.follow.held_up_after_ns(nanoseconds(slice.measured));
            if let Some(end_ns) = self.follow_clients_until(held_up_ns).await? {
                return Ok(end_ns);
            }
            let now_ns = self.now_ns();
            if now_ns >= given_up_ns {
                // All but those who are held up have parked.
                return Ok(now_ns);
            }
            closes_ns = now_ns + nanoseconds(slice.measured);
            self.follow.parked = 0;
            self.work.gate.extend(number, closes_ns);
        }
    }

    /// Books a slice that is over.
    fn end_slice(&mut self, took_ns: u64) -> SliceOutcome {
        let (work, count) = (self.work, self.count());
        let follow = &mut self.follow;
        if follow.slices.in_head {
            // All operations were done before it was over.
            follow.leave_head(work.measure_from_ns());
        }
        let measured_ns = if work.paced {
            let closed_ns = work.gate.closes_ns().min(work.deadline_ns());
            closed_ns.saturating_sub(work.measure_from_ns())
        } else {
            follow.slice.measured_ns / u64::from(count.max(1))
        };
        let (attempts, ok) = follow.collector.counts();
        let ok_before = std::mem::replace(&mut follow.slices.ok, ok);
        let attempts_before = std::mem::replace(&mut follow.slices.attempts, attempts);
        follow.slices.measured_ns += measured_ns;
        let measured = Stretch {
            operations: attempts - attempts_before,
            took_ns: follow.slice.measured_ns,
        };
        SliceOutcome {
            ok: ok - ok_before,
            measured_ns,
            took_ns,
            head: follow.slice.head.beside(measured, count),
        }
    }

    /// Lets parked clients end: the others are done, or held up.
    async fn let_go_of_parked(&mut self, end_ns: u64) -> Result<u64, EngineError> {
        if self.follow.parked == 0 {
            return Ok(end_ns);
        }
        self.break_off(end_ns).await
    }

    /// Ends the work without a further slice.
    async fn break_off(&mut self, now_ns: u64) -> Result<u64, EngineError> {
        self.interrupted |= self.follow.parked == self.count();
        self.work.break_off(now_ns);
        self.follow.parked = 0;
        self.work.gate.extend(0, u64::MAX);
        self.follow_clients().await
    }
}

impl Follow<'_> {
    /// The measured stage begins with the first slice.
    fn begin_slices(&mut self, work: &SharedSequence) {
        self.slices.begun = true;
        self.slices.warm_usual_ns = self.collector.usual_ns();
        self.slices.parked = OwnUsage::until(0);
        self.stage = Stage::Measure;
        self.collector = Collector::new(
            Stage::Measure,
            work.measure_from_ns(),
            work.interval_ns(Stage::Measure),
        );
    }

    /// With a rate, how long after the end of a slice of this length what is still in flight is held up.
    fn held_up_after_ns(&self, slice_ns: u64) -> u64 {
        let usual_ns = match self.collector.usual_ns() {
            0 => self.slices.warm_usual_ns,
            usual_ns => usual_ns,
        };
        (HELD_UP * usual_ns).min(slice_ns).max(HELD_UP_NS)
    }

    /// The head of a slice is over: from now on what the process uses counts.
    pub(super) fn leave_head(&mut self, now_ns: u64) {
        self.slices.in_head = false;
        self.observer.event(&Event::SliceStarted);
        let now = OwnUsage::until(now_ns);
        self.collector.leave_head(now.cpu_seconds());
        if self.slices.measured_ns > 0 {
            self.usage.leave_out(&self.slices.parked, &now);
        } else {
            self.usage = now;
        }
    }
}
