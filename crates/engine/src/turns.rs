//! Trials that are measured in turns: systems take slices of time one after the other, so that what the machine does in the
//! meantime happens to all of them alike.
//!
//! The trial connects, loads and warms up in one stretch. From then on it runs in its turns alone: between them its clients
//! are parked, and its clock stands still. The caller decides when the turns are.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_record::SliceHead;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A slice of time in which a trial may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// How long after it is given it begins: load generators that share a trial begin their slices together.
    pub lead: Duration,
    /// Its beginning, which is not measured: caches, branch predictors and connections come back to speed.
    pub head: Duration,
    /// The measured part, right after the head.
    pub measured: Duration,
    /// The trial ends with it.
    pub last: bool,
}

/// What a trial reports to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum TurnReport {
    /// It has connected, loaded and warmed up; its clients are parked.
    Ready,
    /// Its turn is over, its clients are parked.
    Parked(SliceOutcome),
}

/// The result of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceOutcome {
    /// Successful operations of the measured part.
    pub ok: u64,
    /// Time for which they count, nanoseconds.
    pub measured_ns: u64,
    /// From the beginning of the slice until the last operation in flight was answered, nanoseconds.
    pub took_ns: u64,
    /// The speed in its head, beside that of the rest; closed loop only.
    pub head: Option<SliceHead>,
}

type Report = dyn Fn(TurnReport) + Send + Sync;

/// The turns of one trial. The trial ends when its [`TurnSender`] is dropped.
#[derive(Clone)]
pub struct Turns {
    slices: Arc<Mutex<UnboundedReceiver<Slice>>>,
    report: Arc<Report>,
}

/// Gives turns to one trial.
pub struct TurnSender(UnboundedSender<Slice>);

impl Turns {
    /// Turns and their sender. `report` is called on a thread of the trial.
    pub fn new(report: impl Fn(TurnReport) + Send + Sync + 'static) -> (Self, TurnSender) {
        let (sender, slices) = unbounded_channel();
        let turns = Self {
            slices: Arc::new(Mutex::new(slices)),
            report: Arc::new(report),
        };
        (turns, TurnSender(sender))
    }

    /// Waits for the next turn; `None` when there are no more. The engine calls it, or whoever passes the turns on to load generators.
    pub async fn next(&self) -> Option<Slice> {
        self.slices.lock().await.recv().await
    }

    /// Reports to the caller, in the same way.
    pub fn report(&self, report: TurnReport) {
        (self.report)(report);
    }
}

impl TurnSender {
    /// Lets the trial run for a slice. Nothing happens when it has ended.
    pub fn send(&self, slice: Slice) {
        let _ = self.0.send(slice);
    }
}

impl std::fmt::Debug for Turns {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Turns")
    }
}
