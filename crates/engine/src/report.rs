//! What clients tell the trial that started them.

use std::ops::AddAssign;

use crossbeam_channel::Sender;
use dbdyno_driver::DbError;
use dbdyno_record::ThreadCost;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::head::HeadTally;
use crate::tally::Tally;
use crate::work::Stage;

/// One message.
pub(crate) enum Report {
    /// A client has its session.
    Ready,
    /// A client got no session.
    NotReady(DbError),
    /// Some operations of one interval.
    Delivery(Delivery),
    /// Some operations that are not measured any more.
    Tail(TailTally),
    /// An error message that this thread had not seen before.
    ErrorSample(String),
    /// Resources that this thread has used since the measured stage began on it; the last report counts.
    ThreadCost(ThreadCost),
    /// A client did all its work; what it recorded has been delivered.
    Done(ClientSlice),
    /// A client waits for its trial's next turn; what it recorded has been delivered.
    Parked {
        /// The opening of the gate that is over for it: where the gate has opened anew, it waits no more.
        opening: u64,
        /// In the slice that ended for it.
        slice: ClientSlice,
    },
    /// A thread could not be set up: the system refused it what it needs.
    Refused(std::io::Error),
    /// A thread or task of clients ended by a panic.
    Broken(String),
}

/// The slice that ended for a client, or for several; nothing without slices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClientSlice {
    /// How long it measured.
    pub(crate) measured_ns: u64,
    /// Its head.
    pub(crate) head: HeadTally,
}

impl AddAssign for ClientSlice {
    fn add_assign(&mut self, other: Self) {
        self.measured_ns += other.measured_ns;
        self.head += other.head;
    }
}

/// Some operations that ended in one interval of a stage.
pub(crate) struct Delivery {
    pub(crate) stage: Stage,
    pub(crate) interval_index: u64,
    pub(crate) tally: Box<Tally>,
    /// Where the emptied tally goes back to.
    pub(crate) recycle: Sender<Box<Tally>>,
}

/// Operations that ended in the tail, whatever came of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TailTally {
    pub(crate) operations: u64,
    /// Those of them that failed.
    pub(crate) failed: u64,
    pub(crate) last_end_ns: u64,
}

impl TailTally {
    pub(crate) fn note(&mut self, end_ns: u64, failed: bool) {
        self.operations += 1;
        self.failed += u64::from(failed);
        self.last_end_ns = self.last_end_ns.max(end_ns);
    }
}

impl AddAssign for TailTally {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.failed += other.failed;
        self.last_end_ns = self.last_end_ns.max(other.last_end_ns);
    }
}

/// The clients' end. Sending never waits.
#[derive(Clone)]
pub(crate) struct Reports(UnboundedSender<Report>);

impl Reports {
    pub(crate) fn channel() -> (Self, UnboundedReceiver<Report>) {
        let (sender, receiver) = unbounded_channel();
        (Self(sender), receiver)
    }

    pub(crate) fn send(&self, report: Report) {
        // Nobody listens only when the trial has given up on its clients.
        let _ = self.0.send(report);
    }
}
