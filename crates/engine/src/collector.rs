//! Adds up what clients deliver, and reports to the observer interval by interval. It keeps one total per kind of operation
//! and the intervals of the last moments: memory does not grow with time, operations or records.

use std::collections::BTreeMap;

use dbdyno_machine::{OwnUsage, own_resident_bytes};
use dbdyno_record::trial::MOST_ERROR_SAMPLES;

use crate::event::{Event, Interval, Observer};
use crate::report::{Delivery, TailTally};
use crate::tally::Tally;
use crate::work::Stage;

/// The collector of one phase.
pub(crate) struct Collector {
    stage: Stage,
    start_ns: u64,
    interval_ns: u64,
    /// How long after an interval's end its operations are waited for before the observer hears of it.
    grace_ns: u64,
    totals: Tally,
    /// What came after the measured stage.
    tail: TailTally,
    /// Intervals not yet reported, by index, and additions to those already reported.
    waiting: BTreeMap<u64, Tally>,
    reported: u64,
    /// CPU time that the process had used when the last interval was told.
    cpu_seconds: f64,
    /// CPU time that it had used when the head of a slice began that is not over: it does not count.
    head_cpu_seconds: Option<f64>,
    samples: Vec<String>,
    /// Since when nothing but failures came.
    only_failures_since_ns: Option<u64>,
}

impl Collector {
    pub(crate) fn new(stage: Stage, start_ns: u64, interval_ns: u64) -> Self {
        Self {
            stage,
            start_ns,
            interval_ns,
            grace_ns: (interval_ns / 5).min(100_000_000),
            totals: Tally::default(),
            tail: TailTally::default(),
            waiting: BTreeMap::new(),
            reported: 0,
            cpu_seconds: OwnUsage::until(0).cpu_seconds(),
            head_cpu_seconds: None,
            samples: Vec::new(),
            only_failures_since_ns: None,
        }
    }

    /// Takes what a client delivered; of another stage it is nothing to this collector.
    pub(crate) fn accept(&mut self, mut delivery: Delivery) {
        if delivery.stage == self.stage {
            let last_end_ns = delivery.tally.last_end_ns.unwrap_or(0);
            self.judge(delivery.tally.outcomes(), last_end_ns);
            self.totals.merge(&delivery.tally);
            self.waiting
                .entry(delivery.interval_index)
                .or_default()
                .merge(&delivery.tally);
        }
        delivery.tally.reset();
        // A full channel or a client that is gone: the memory is freed.
        let _ = delivery.recycle.try_send(delivery.tally);
    }

    pub(crate) fn accept_sample(&mut self, message: String) {
        if self.samples.len() < MOST_ERROR_SAMPLES && !self.samples.contains(&message) {
            self.samples.push(message);
        }
    }

    /// Takes operations that are not measured any more.
    pub(crate) fn accept_tail(&mut self, tail: TailTally) {
        let outcomes = (tail.operations - tail.failed, 0, tail.failed);
        self.judge(outcomes, tail.last_end_ns);
        self.tail += tail;
    }

    /// What came after the measured stage so far.
    pub(crate) fn tail(&self) -> TailTally {
        self.tail
    }

    /// So many operations succeeded, found nothing and failed, the last of them then.
    fn judge(&mut self, outcomes: (u64, u64, u64), last_end_ns: u64) {
        match outcomes {
            (0, 0, 1..) => {
                self.only_failures_since_ns.get_or_insert(last_end_ns);
            }
            _ => self.only_failures_since_ns = None,
        }
    }

    /// For how long nothing but failures came.
    pub(crate) fn only_failures_for_ns(&self, now_ns: u64) -> u64 {
        self.only_failures_since_ns
            .map_or(0, |since_ns| now_ns.saturating_sub(since_ns))
    }

    /// The end of the last operation so far, 0 when there is none.
    pub(crate) fn last_end_ns(&self) -> u64 {
        self.totals.last_end_ns.unwrap_or(0)
    }

    /// When the next interval is due to be reported.
    pub(crate) fn next_tick_ns(&self) -> u64 {
        self.start_ns + (self.reported + 1) * self.interval_ns + self.grace_ns
    }

    /// Tells the observer of every interval that is over, and of late additions; whether there was an interval.
    pub(crate) fn tick(&mut self, now_ns: u64, observer: &mut dyn Observer) -> bool {
        self.tell_late(observer);
        let reported = self.reported;
        while self.next_tick_ns() <= now_ns {
            self.tell(self.interval_ns, observer);
        }
        self.reported > reported
    }

    /// A slice begins, whose phase would have begun at `start_ns` without the time between slices: what the process uses from the
    /// moment when it had used `parked_cpu_seconds` until the head is over is not the phase's.
    pub(crate) fn begin_slice(&mut self, start_ns: u64, parked_cpu_seconds: f64) {
        self.start_ns = start_ns;
        self.head_cpu_seconds = Some(parked_cpu_seconds);
    }

    /// The head of the slice is over, now that the process has used so much.
    pub(crate) fn leave_head(&mut self, cpu_seconds: f64) {
        if let Some(before) = self.head_cpu_seconds.take() {
            self.cpu_seconds += (cpu_seconds - before).max(0.0);
        }
    }

    /// Attempts and successes so far.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let (ok, absent, failed) = self.totals.outcomes();
        (ok + absent + failed, ok)
    }

    /// All but the slowest hundredth of the operations so far took no longer; 0 without one.
    pub(crate) fn usual_ns(&self) -> u64 {
        self.totals.usual_ns()
    }

    /// Tells what is left of a phase that ended at `end_ns`.
    pub(crate) fn finish(&mut self, end_ns: u64, observer: &mut dyn Observer) {
        self.tell_late(observer);
        while self.start_ns + self.reported * self.interval_ns < end_ns {
            let start_ns = self.start_ns + self.reported * self.interval_ns;
            self.tell(self.interval_ns.min(end_ns - start_ns), observer);
        }
        // The last operation may end in an interval that begins where the phase ends.
        self.tell_late(observer);
        while let Some(last) = self.waiting.keys().next_back() {
            debug_assert!(*last >= self.reported);
            self.tell(self.interval_ns, observer);
        }
    }

    fn tell_late(&mut self, observer: &mut dyn Observer) {
        while let Some(entry) = self
            .waiting
            .first_entry()
            .filter(|entry| *entry.key() < self.reported)
        {
            let (index, tally) = entry.remove_entry();
            self.event(index, self.interval_ns, tally, true, observer);
        }
    }

    fn tell(&mut self, duration_ns: u64, observer: &mut dyn Observer) {
        let index = self.reported;
        let tally = self.waiting.remove(&index).unwrap_or_default();
        self.reported += 1;
        self.event(index, duration_ns, tally, false, observer);
    }

    fn event(&mut self, index: u64, duration_ns: u64, tally: Tally, late: bool, observer: &mut dyn Observer) {
        let cpu_seconds = self
            .head_cpu_seconds
            .unwrap_or_else(|| OwnUsage::until(0).cpu_seconds());
        let client_cpu_seconds = if late {
            0.0
        } else {
            (cpu_seconds - self.cpu_seconds).max(0.0)
        };
        if !late {
            self.cpu_seconds = cpu_seconds;
        }
        observer.event(&Event::Interval(Interval {
            phase: self.stage.phase(),
            start_ns: index * self.interval_ns,
            duration_ns,
            operations: tally.into_interval(),
            client_cpu_seconds,
            resident_memory_bytes: own_resident_bytes(),
            late,
        }));
    }

    /// The phase as a whole, and the error messages it met.
    pub(crate) fn into_totals(self) -> (Tally, Vec<String>) {
        (self.totals, self.samples)
    }
}
