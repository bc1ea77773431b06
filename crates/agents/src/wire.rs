//! What coordinator and agents say to each other. Messages are JSON; what is none of these is ignored, or refused where an answer is
//! expected.

use std::collections::BTreeMap;

use dbdyno_driver::{ErrorClass, SystemFacts};
use dbdyno_engine::{
    EngineErrorClass, Event, Inserts, Interval, IntervalOperation, Outcome, Phase, Said, Slice, TurnReport,
};
use dbdyno_record::{HostRecord, Latency};
use dbdyno_workload::OperationKind;
use serde::{Deserialize, Serialize};

use crate::address::Labels;
use crate::order::{SentTarget, TrialOrder};

/// What must be the same on both sides: the version of dbdyno, and that of these messages.
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/5");

/// An agent, as it describes itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Card {
    /// Its own, new with each start.
    pub(crate) id: String,
    pub(crate) name: String,
    /// Its number among those that were started together.
    pub(crate) number: Option<u32>,
    pub(crate) version: String,
    pub(crate) host: String,
    pub(crate) boot: String,
    pub(crate) process: u32,
    pub(crate) cpus: u32,
    pub(crate) labels: Labels,
    /// The study that it is busy with.
    pub(crate) study: Option<String>,
    /// Its time of day, nanoseconds since 1970.
    pub(crate) wall_ns: u64,
}

/// A question to one agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Who are you?
    Describe,
    /// Be this coordinator's.
    Lease {
        coordinator: String,
        study: String,
        version: String,
    },
    /// Are you there, and what does your clock show? The lease begins anew with it.
    Beat {
        coordinator: String,
        /// How many notices the coordinator has sent to all its agents.
        said: u64,
        /// What the agent's clock shows more than the coordinator's.
        offset_ns: Option<i64>,
    },
    /// May you send load to this database?
    MayServe {
        coordinator: String,
        target: Box<SentTarget>,
    },
    /// Run a share of a trial.
    Begin {
        coordinator: String,
        order: Box<TrialOrder>,
    },
    /// Be free again.
    Release { coordinator: String },
}

/// An agent's answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Card(Card),
    /// What its clock shows.
    Beat {
        now_ns: u64,
    },
    Done,
    Refused(String),
}

/// What a coordinator says to all its agents in a trial. Times are those of its clock, nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Notice {
    /// Its number among all notices of the coordinator, from 1.
    pub(crate) number: u64,
    pub(crate) trial: String,
    pub(crate) notice: NoticeKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum NoticeKind {
    /// All have come to a meeting.
    Met {
        meeting: u32,
        /// What they said, together.
        said: Said,
        /// When they go on.
        at_ns: u64,
    },
    /// The warm-up ends then.
    WarmAt { at_ns: u64 },
    /// One agent has sent its share of a number of operations.
    OneHasEnded,
    /// How far all inserts are.
    Inserts(Inserts),
    /// A slice begins then.
    Slice { at_ns: u64, slice: Slice },
    /// There are no more slices.
    NoMoreSlices,
    /// End as after Ctrl-C.
    Stop,
    /// The trial is over: another agent cannot go on.
    Disband(String),
}

/// What an agent says to its coordinator in a trial.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The agent's id.
    pub(crate) agent: String,
    pub(crate) trial: String,
    /// Its number among the agent's reports of this trial, from 1.
    pub(crate) number: u64,
    pub(crate) report: ReportKind,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ReportKind {
    /// It has come to a meeting.
    Came { meeting: u32, said: Said },
    /// How far its inserts are.
    Inserts(Inserts),
    /// It is parked.
    Turn(TurnReport),
    /// Something happened.
    Event(SentEvent),
    /// It is over.
    Ended(Box<Ended>),
}

/// What came of an agent's share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) outcome: Result<Outcome, Failure>,
    /// By how much it missed the agreed start of a phase, nanoseconds.
    pub(crate) late_ns: u64,
    /// What its machine did in the measured phase.
    pub(crate) machine: Option<HostRecord>,
}

/// Why a share could not run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) class: EngineErrorClass,
    pub(crate) message: String,
    /// It went well here, and another agent could not go on.
    pub(crate) disbanded: bool,
}

/// An event of the engine. Nothing is prepared at agents, and nobody watches servers there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum SentEvent {
    PhaseStarted {
        phase: Phase,
        expected_operations: Option<u64>,
        expected_ns: Option<u64>,
    },
    PhaseEnded(Phase),
    Reached(Box<SystemFacts>),
    SliceStarted,
    SliceEnded,
    Interval(SentInterval),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SentInterval {
    pub(crate) phase: Phase,
    pub(crate) start_ns: u64,
    pub(crate) duration_ns: u64,
    pub(crate) operations: BTreeMap<String, SentOperations>,
    pub(crate) client_cpu_seconds: f64,
    pub(crate) resident_memory_bytes: u64,
    pub(crate) late: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SentOperations {
    pub(crate) ok: u64,
    pub(crate) not_found: u64,
    pub(crate) too_early: u64,
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) service: Latency,
    pub(crate) response: Option<Latency>,
}

impl SentEvent {
    /// An event as it is sent; `None` where nobody waits for it.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::PhaseStarted {
                phase,
                expected_operations,
                expected_duration,
            } => Self::PhaseStarted {
                phase: *phase,
                expected_operations: *expected_operations,
                expected_ns: expected_duration
                    .map(|duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)),
            },
            Event::PhaseEnded { phase } => Self::PhaseEnded(*phase),
            Event::Reached(facts) => Self::Reached(Box::new(facts.clone())),
            Event::SliceStarted => Self::SliceStarted,
            Event::SliceEnded => Self::SliceEnded,
            Event::Interval(interval) => Self::Interval(SentInterval::of(interval)),
            Event::Preparing(_) | Event::Servers(_) | Event::Generator(_) => return None,
        })
    }
}

impl SentInterval {
    fn of(interval: &Interval) -> Self {
        let operations = interval.operations.iter().map(|(kind, operations)| {
            let errors = operations.errors_by_class.iter();
            let sent = SentOperations {
                ok: operations.ok,
                not_found: operations.not_found,
                too_early: operations.too_early,
                errors: errors
                    .map(|(class, count)| (class.name().to_owned(), *count))
                    .collect(),
                service: operations.service.clone(),
                response: operations.response.clone(),
            };
            (kind.name().to_owned(), sent)
        });
        Self {
            phase: interval.phase,
            start_ns: interval.start_ns,
            duration_ns: interval.duration_ns,
            operations: operations.collect(),
            client_cpu_seconds: interval.client_cpu_seconds,
            resident_memory_bytes: interval.resident_memory_bytes,
            late: interval.late,
        }
    }

    /// The interval that was sent. Kinds and classes that this version does not know are left out: versions are the same.
    pub(crate) fn interval(self) -> Interval {
        let kind = OperationKind::from_name;
        let operations = self
            .operations
            .into_iter()
            .filter_map(|(name, sent)| Some((kind(&name)?, sent.operations())));
        Interval {
            phase: self.phase,
            start_ns: self.start_ns,
            duration_ns: self.duration_ns,
            operations: operations.collect(),
            client_cpu_seconds: self.client_cpu_seconds,
            resident_memory_bytes: self.resident_memory_bytes,
            late: self.late,
        }
    }
}

impl SentOperations {
    fn operations(self) -> IntervalOperation {
        let class = |name: &str| ErrorClass::ALL.into_iter().find(|class| class.name() == name);
        let errors = self.errors.iter();
        let errors_by_class: BTreeMap<ErrorClass, u64> = errors
            .filter_map(|(name, count)| Some((class(name)?, *count)))
            .collect();
        IntervalOperation {
            ok: self.ok,
            not_found: self.not_found,
            too_early: self.too_early,
            errors: errors_by_class.values().sum(),
            errors_by_class,
            service: self.service,
            response: self.response,
        }
    }
}
