//! What an observer hears while a trial runs.

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_driver::{ErrorClass, SystemFacts};
use dbdyno_record::Latency;
use dbdyno_workload::OperationKind;
use serde::{Deserialize, Serialize};

/// A part of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Reaching the database, preparing the table, making one session per client.
    Connect,
    /// One insert per record.
    Load,
    /// The workload, not measured.
    WarmUp,
    /// The workload, measured.
    Measure,
    /// What was sent before the end is waited for.
    Drain,
}

impl Phase {
    /// The name in files and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Load => "load",
            Self::WarmUp => "warm-up",
            Self::Measure => "measure",
            Self::Drain => "drain",
        }
    }
}

/// Hears of progress, from one thread, about once per interval and at phase changes. It may take its time (up to
/// an interval): clients do not wait for it.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, event: &Event);

    /// Whether the warm-up has lasted long enough: asked after each of its intervals. It lasts for the
    /// specified [`warmup`](dbdyno_trial::TrialSpec::warmup) at most.
    fn warm(&mut self) -> bool {
        false
    }
}

/// An observer that does not listen.
impl Observer for () {
    fn event(&mut self, _: &Event) {}
}

/// One thing that happened in a trial.
#[derive(Clone, Debug)]
pub enum Event {
    /// A phase begins.
    PhaseStarted {
        /// Which.
        phase: Phase,
        /// How many operations it will have, when that is known.
        expected_operations: Option<u64>,
        /// How long it will take, when that is known.
        expected_duration: Option<Duration>,
    },
    /// Something is made ready before the first phase, in words: a server is fetched or started.
    Preparing(String),
    /// The database answered and described itself.
    Reached(SystemFacts),
    /// What happened in an interval of time. Intervals come in order, one per interval without a gap, also when no
    /// operation ended in it. Only [`late`](Interval::late) ones are extra.
    Interval(Interval),
    /// What the servers used in an interval. The engine knows no servers: whoever watches them adds it for the observers behind
    /// it, about once a second.
    Servers(ServerUse),
    /// What one of several load generators did in an interval. An [`Interval`](Self::Interval) is of all of them together.
    Generator(GeneratorInterval),
    /// The head of a slice is over: from now on the phase is measured, in a trial that takes turns.
    SliceStarted,
    /// A slice is over. What is used until the next one starts is not the phase's.
    SliceEnded,
    /// A phase ended.
    PhaseEnded {
        /// Which.
        phase: Phase,
    },
}

/// What the servers of a trial used since the report before, or since the phase began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerUse {
    /// The phase.
    pub phase: Phase,
    /// Begin of the last interval that it covers, since the phase's start.
    pub start_ns: u64,
    /// Processor time, seconds.
    pub cpu_seconds: f64,
    /// Memory in use at its end, bytes.
    pub resident_bytes: u64,
    /// Read from storage, bytes.
    pub read_bytes: u64,
    /// Written to storage, bytes; `None` where it is not known on which storage the data lie.
    pub written_bytes: Option<u64>,
}

/// The operations of one load generator that ended in one interval of a phase.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratorInterval {
    /// Its name.
    pub generator: String,
    /// The phase.
    pub phase: Phase,
    /// Begin, since the phase's start.
    pub start_ns: u64,
    /// Length; the last interval of a phase may be shorter.
    pub duration_ns: u64,
    /// Successful operations.
    pub ok: u64,
    /// Failures of all classes.
    pub errors: u64,
    /// Processor time of its whole process since the interval before.
    pub cpu_seconds: f64,
}

/// The operations that ended in one interval of a phase.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Load, warm-up or measure. Operations that end while draining belong to the phase that sent them, in intervals
    /// after its end.
    pub phase: Phase,
    /// Begin, since the phase's start.
    pub start_ns: u64,
    /// Length; the last interval of a phase may be shorter.
    pub duration_ns: u64,
    /// By kind; absent kinds had nothing to report.
    pub operations: BTreeMap<OperationKind, IntervalOperation>,
    /// Processor time of the whole process since the interval before.
    pub client_cpu_seconds: f64,
    /// Resident memory of the process at the interval's end.
    pub resident_memory_bytes: u64,
    /// `true`: an addition to an interval that was already reported, from a client that was held up in an operation
    /// across that interval's end. To be added to the interval of the same `start_ns`.
    pub late: bool,
}

/// One kind of operation in one interval. An operation belongs to the interval in which it ended.
#[derive(Clone, Debug, Default)]
pub struct IntervalOperation {
    /// Successful operations.
    pub ok: u64,
    /// The record was not there.
    pub not_found: u64,
    /// The record was not there because its insert had not been acknowledged yet.
    pub too_early: u64,
    /// Failures of all classes.
    pub errors: u64,
    /// Failures by class; absent classes did not occur.
    pub errors_by_class: BTreeMap<ErrorClass, u64>,
    /// Service time of successful operations.
    pub service: Latency,
    /// Response time of successful operations; `None` in a closed loop.
    pub response: Option<Latency>,
}
