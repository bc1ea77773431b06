//! What a client thread keeps of its operations until the collector takes it: no lock, no shared counter.

use std::cell::RefCell;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded};
use dbdyno_driver::DbError;
use dbdyno_machine::ThreadUsage;
use dbdyno_record::ThreadCost;
use dbdyno_workload::OperationKind;

use crate::report::{ClientSlice, Delivery, Report, Reports, TailTally};
use crate::tally::{Tally, record};
use crate::thread_name;
use crate::work::{SharedSequence, Stage};

/// Distinct error messages one thread passes on.
const ERROR_SAMPLES: usize = 8;

/// The recorder of one thread. Its clients take turns: they share the thread.
///
/// It holds the current interval only. The first operation that ends after an interval's end hands the interval over
/// (a client that is held up in an operation delivers late) and goes on with recycled memory.
pub(crate) struct Recorder(RefCell<State>);

struct State {
    tally: Box<Tally>,
    /// What is not measured any more.
    tail: TailTally,
    stage: Stage,
    interval_index: u64,
    interval_end_ns: u64,
    work: Option<Arc<SharedSequence>>,
    reports: Reports,
    recycle: (Sender<Box<Tally>>, Receiver<Box<Tally>>),
    samples: Vec<String>,
    /// Resources that this thread had used when the measured stage began on it.
    usage: Option<ThreadUsage>,
    /// The slice that the thread is in, where the work is cut into slices.
    slice: Option<u64>,
}

/// When an operation happened.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    /// When the schedule wanted it; open loop only.
    pub(crate) intended_ns: Option<u64>,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    /// It ended after the phase's deadline.
    pub(crate) drained: bool,
}

/// The result of an operation that did not fail.
pub(crate) enum Reply {
    /// Success; so many records came back from a scan.
    Done(u32),
    /// The record was not there.
    NotFound,
    /// The record was not there, and its insert had not been acknowledged when the operation was sent.
    TooEarly,
}

impl Recorder {
    pub(crate) fn new(reports: Reports) -> Self {
        Self(RefCell::new(State {
            tally: Box::default(),
            tail: TailTally::default(),
            stage: Stage::Load,
            interval_index: 0,
            interval_end_ns: u64::MAX,
            work: None,
            reports,
            recycle: bounded(4),
            samples: Vec::new(),
            usage: None,
            slice: None,
        }))
    }

    /// Turns to a new piece of work; the first client of the thread to begin it does it for all.
    pub(crate) fn begin(&self, work: &Arc<SharedSequence>, now_ns: u64) {
        let mut state = self.0.borrow_mut();
        if state
            .work
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, work))
        {
            return;
        }
        state.samples.clear();
        (state.slice, state.usage) = (None, None);
        state.work = Some(Arc::clone(work));
        state.enter(work.first_stage(), now_ns);
    }

    /// The measured phase begins for a client of this thread; operations of the stage before count no more.
    pub(crate) fn enter(&self, stage: Stage, now_ns: u64) {
        let mut state = self.0.borrow_mut();
        if state.stage != stage {
            state.deliver();
            state.enter(stage, now_ns);
        }
    }

    /// A client of this thread stops until the gate opens after this opening; its slice is over.
    #[cold]
    pub(crate) fn park(&self, opening: u64, slice: ClientSlice) {
        let mut state = self.0.borrow_mut();
        state.deliver();
        state.reports.send(Report::Parked { opening, slice });
    }

    /// A client of this thread goes on in a slice. With a pace, which operations are measured follows from when they were due;
    /// without one, the measured stage is entered later.
    #[cold]
    pub(crate) fn resume(&self, slice: u64, paced: bool, now_ns: u64) {
        let mut state = self.0.borrow_mut();
        if state.slice == Some(slice) {
            return;
        }
        state.slice = Some(slice);
        state.stage = Stage::WarmUp;
        if paced {
            state.enter(Stage::Measure, now_ns);
        }
    }

    /// Keeps an operation that the database answered; `true` when the interval was handed over, which took time.
    #[inline(always)]
    pub(crate) fn answered(&self, stage: Stage, kind: OperationKind, times: Times, answer: Reply) -> bool {
        let mut state = self.0.borrow_mut();
        let rolled = state.roll(times.end_ns);
        if stage != state.stage {
            state.note_tail(stage, times.end_ns, false);
            return rolled;
        }
        let service_ns = times.end_ns.saturating_sub(times.start_ns);
        state.tally.last_end_ns = Some(times.end_ns);
        let tally = state.tally.kind(kind);
        match answer {
            Reply::Done(records) => {
                record(&mut tally.service, service_ns);
                tally.records_scanned += u64::from(records);
                tally.drained += u64::from(times.drained);
                if let Some(intended_ns) = times.intended_ns {
                    let response_ns = times.end_ns.saturating_sub(intended_ns);
                    record(tally.response.get_or_insert_default(), response_ns);
                }
            }
            Reply::NotFound => {
                tally.not_found += 1;
                tally.drained_failures += u64::from(times.drained);
                record(tally.failed.get_or_insert_default(), service_ns);
            }
            Reply::TooEarly => {
                tally.too_early += 1;
                tally.drained_failures += u64::from(times.drained);
                record(tally.failed.get_or_insert_default(), service_ns);
            }
        }
        rolled
    }

    /// Keeps an operation that failed.
    #[cold]
    pub(crate) fn failed(&self, stage: Stage, kind: OperationKind, times: Times, error: &DbError) -> bool {
        let mut state = self.0.borrow_mut();
        let rolled = state.roll(times.end_ns);
        if stage == Stage::Measure && state.stage == Stage::WarmUp {
            // It outlasted the head of a slice.
            state.deliver();
            state.enter(stage, times.end_ns);
        }
        if stage != state.stage {
            state.note_tail(stage, times.end_ns, true);
            return rolled;
        }
        state.tally.last_end_ns = Some(times.end_ns);
        let tally = state.tally.kind(kind);
        tally.errors[error.class as usize] += 1;
        tally.drained_failures += u64::from(times.drained);
        record(
            tally.failed.get_or_insert_default(),
            times.end_ns.saturating_sub(times.start_ns),
        );
        let from_ns = times.intended_ns.unwrap_or(times.start_ns);
        record(
            tally.waited.get_or_insert_default(),
            times.end_ns.saturating_sub(from_ns),
        );
        if state.samples.len() < ERROR_SAMPLES {
            let message = format!("{}: {error}", kind.name());
            if !state.samples.contains(&message) {
                state.samples.push(message.clone());
                state.reports.send(Report::ErrorSample(message));
            }
        }
        rolled
    }

    /// Keeps what comparing a record's values gave.
    pub(crate) fn verified(&self, stage: Stage, kind: OperationKind, checked: u32, failed: u32) {
        let mut state = self.0.borrow_mut();
        if stage == state.stage {
            let tally = state.tally.kind(kind);
            tally.verified += u64::from(checked);
            tally.verification_failures += u64::from(failed);
        }
    }

    /// Keeps how an operation of an open loop was sent. `waited`: a free client had waited for its time.
    pub(crate) fn sent(
        &self,
        stage: Stage,
        intended_ns: u64,
        start_ns: u64,
        waited: bool,
        after_deadline: bool,
    ) {
        let mut state = self.0.borrow_mut();
        if stage != state.stage {
            return;
        }
        let tally = &mut *state.tally;
        tally.last_send_ns = tally.last_send_ns.max(start_ns);
        tally.last_intended_ns = tally.last_intended_ns.max(intended_ns);
        tally.sent += 1;
        tally.sent_after_deadline += u64::from(after_deadline);
        if waited {
            tally.last_awaited_ns = tally.last_awaited_ns.max(intended_ns);
            record(
                tally.lag.get_or_insert_default(),
                start_ns.saturating_sub(intended_ns),
            );
        }
    }

    /// Hands over what is there: a client of this thread has finished.
    pub(crate) fn flush(&self, now_ns: u64) {
        let mut state = self.0.borrow_mut();
        state.deliver();
        if let Some(usage) = &state.usage {
            state.reports.send(Report::ThreadCost(ThreadCost {
                name: thread_name::role(),
                cpu_share: ThreadUsage::until(now_ns).share_since(usage),
            }));
        }
    }
}

impl State {
    fn enter(&mut self, stage: Stage, now_ns: u64) {
        self.stage = stage;
        if stage == Stage::Measure && self.usage.is_none() {
            self.usage = Some(ThreadUsage::until(now_ns));
        }
        self.enter_interval(now_ns);
    }

    #[inline(always)]
    fn roll(&mut self, end_ns: u64) -> bool {
        if end_ns < self.interval_end_ns {
            return false;
        }
        self.next_interval(end_ns);
        true
    }

    #[cold]
    fn next_interval(&mut self, end_ns: u64) {
        self.deliver();
        self.enter_interval(end_ns);
    }

    fn enter_interval(&mut self, now_ns: u64) {
        if let Some(work) = &self.work {
            let since_ns = now_ns.saturating_sub(work.stage_start_ns(self.stage));
            let interval_ns = work.interval_ns(self.stage);
            self.interval_index = since_ns / interval_ns;
            self.interval_end_ns = work.stage_start_ns(self.stage) + (self.interval_index + 1) * interval_ns;
        }
    }

    /// An operation ended that is not of the stage that is recorded.
    #[cold]
    fn note_tail(&mut self, stage: Stage, end_ns: u64, failed: bool) {
        if stage == Stage::Tail {
            self.tail.note(end_ns, failed);
        }
    }

    fn deliver(&mut self) {
        if self.tail.operations > 0 {
            self.reports.send(Report::Tail(std::mem::take(&mut self.tail)));
        }
        if self.tally.is_empty() {
            return;
        }
        let next = self.recycle.1.try_recv().unwrap_or_default();
        let tally = std::mem::replace(&mut self.tally, next);
        self.reports.send(Report::Delivery(Delivery {
            stage: self.stage,
            interval_index: self.interval_index,
            tally,
            recycle: self.recycle.0.clone(),
        }));
    }
}
