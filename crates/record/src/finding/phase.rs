//! Findings about a measured phase as a whole: how long it was, how it ended, and whether it kept its rate.

use std::borrow::Cow;
use std::collections::BTreeMap;

use dbdyno_vocabulary::{Statement, number};
use serde::{Deserialize, Serialize};

use super::Facts;

/// The table could not be finished after the measured phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableNotKept {
    /// Why.
    pub error: String,
}

impl Facts for TableNotKept {
    const CODE: &'static str = "table-not-kept";

    fn statement(&self) -> Statement {
        Statement::new("after the measured phase, ").name(self.error.as_str())
    }

    fn remedy(&self) -> Cow<'static, str> {
        "make the system healthy (a full disk?), then load the table anew: what it holds now is not known"
            .into()
    }
}

/// The run was stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interrupted {
    /// How long the measured phase had lasted, nanoseconds.
    pub after_ns: u64,
}

impl Facts for Interrupted {
    const CODE: &'static str = "interrupted";

    fn statement(&self) -> Statement {
        let seconds = self.after_ns as f64 / 1e9;
        Statement::new("the run was stopped after ")
            .figure(seconds, format!("{seconds:.1} s"))
            .words("; the results cover that time only")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "let the run finish".into()
    }
}

/// Clients still waited for an answer when the drain ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientsStuck {
    /// How many waited.
    pub stuck: u32,
    /// Of so many.
    pub clients: u32,
    /// How long the drain was, nanoseconds.
    pub drain_ns: u64,
    /// Operations that were due and never sent.
    pub never_sent: u64,
}

impl Facts for ClientsStuck {
    const CODE: &'static str = "clients-stuck";

    fn statement(&self) -> Statement {
        let seconds = self.drain_ns as f64 / 1e9;
        Statement::default()
            .count(self.stuck.into())
            .words(" of ")
            .asked(f64::from(self.clients), self.clients.to_string())
            .words(" clients were abandoned: their operations in flight were unanswered ")
            .figure(seconds, format!("{seconds:.1} s"))
            .words(" after the deadline, and ")
            .count(self.never_sent)
            .words(" due operations were never sent; their waiting times are lower bounds of their latency")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "find out why the database stopped answering, or set a timeout".into()
    }
}

/// The measured phase was dominated by its beginning and by single events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TooShort {
    /// How long it was, nanoseconds.
    pub duration_ns: u64,
}

impl Facts for TooShort {
    const CODE: &'static str = "too-short";

    fn statement(&self) -> Statement {
        Statement::new("the measured phase lasted ").duration_ns(self.duration_ns)
    }

    fn remedy(&self) -> Cow<'static, str> {
        "measure for at least a second, or better a minute: use --duration 60s or more --operations".into()
    }
}

/// The measured phase has no figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NothingMeasured {
    /// How long it was, nanoseconds.
    pub phase_ns: u64,
    /// Why.
    pub because: NothingMeasuredBecause,
}

/// Why a measured phase has no figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NothingMeasuredBecause {
    /// No operation was due at its rate.
    NothingDue,
    /// Every operation began in the head of a slice and outlasted the slice.
    HeadsOnly,
    /// Operations of the warm-up were in flight for all of it.
    WarmUpOutlasted {
        /// How many.
        operations: u64,
    },
    /// No client began an operation.
    NothingBegan,
    /// All operations were answered after its end.
    AnsweredLate {
        /// How many.
        operations: u64,
        /// When the last was answered, nanoseconds after the end.
        last_ns: u64,
    },
}

/// *1 operation was*, *4 operations sent in the warm-up were*.
fn operations(statement: Statement, count: u64, which: &str) -> Statement {
    match count {
        1 => statement.words(format!("1 operation{which} was")),
        _ => statement.count(count).words(format!(" operations{which} were")),
    }
}

impl Facts for NothingMeasured {
    const CODE: &'static str = "nothing-measured";

    fn statement(&self) -> Statement {
        match &self.because {
            NothingMeasuredBecause::NothingDue => {
                Statement::new("no operation was due in the measured phase")
            }
            NothingMeasuredBecause::HeadsOnly => Statement::new(
                "every operation began in the head of a slice, which is not measured, and was in flight until the slice was over",
            ),
            NothingMeasuredBecause::WarmUpOutlasted { operations: count } => operations(
                Statement::new("no operation began in the measured phase of ")
                    .duration_ns(self.phase_ns)
                    .words(": "),
                *count,
                " sent in the warm-up",
            )
            .words(" in flight until after its end"),
            NothingMeasuredBecause::NothingBegan => {
                Statement::new("no client began an operation in the measured phase of ")
                    .duration_ns(self.phase_ns)
                    .words(": the phase was too short, or the machine too busy to run the client threads")
            }
            NothingMeasuredBecause::AnsweredLate {
                operations: count,
                last_ns,
            } => operations(
                Statement::new("no operation was answered in the measured phase of ")
                    .duration_ns(self.phase_ns)
                    .words(": "),
                *count,
                "",
            )
            .words(" in flight at its end, and the last was answered ")
            .duration_ns(*last_ns)
            .words(" later"),
        }
    }

    fn remedy(&self) -> Cow<'static, str> {
        match self.because {
            NothingMeasuredBecause::NothingDue => "measure for longer, or at a higher rate",
            NothingMeasuredBecause::HeadsOnly => {
                "measure in longer slices: `slice` in the study file, or none, so that slices suit the operations"
            }
            NothingMeasuredBecause::WarmUpOutlasted { .. } => {
                "measure for longer than the slowest operations take, and find out why they take so long (a busy machine?)"
            }
            NothingMeasuredBecause::NothingBegan => "measure for longer, or free the machine's CPUs",
            NothingMeasuredBecause::AnsweredLate { .. } => "measure for longer than the slowest operations take",
        }
        .into()
    }
}

/// Too few operations for a high percentile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FewSamples {
    /// So many are needed.
    pub fewest: u64,
    /// How many there were of each kind that had fewer.
    pub operations: BTreeMap<String, u64>,
}

impl Facts for FewSamples {
    const CODE: &'static str = "few-samples";

    fn statement(&self) -> Statement {
        let counts = self.operations.iter();
        Statement::new(format!("fewer than {} successful operations of ", self.fewest))
            .by_name(counts.map(|(kind, count)| (kind.clone(), *count as f64, count.to_string())))
            .words(": too few for a reliable 99th percentile")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "run longer, or ignore the high percentiles of these operations".into()
    }
}

/// The system was slower than the requested rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateNotSustained {
    /// The requested rate, operations per second.
    pub asked_per_second: f64,
    /// The rate that the measured phase achieved.
    pub achieved_per_second: f64,
    /// Operations that were due and not sent at its end.
    pub backlog: u64,
}

impl Facts for RateNotSustained {
    const CODE: &'static str = "rate-not-sustained";

    fn statement(&self) -> Statement {
        let (asked, achieved) = (self.asked_per_second, self.achieved_per_second);
        Statement::new("the requested rate was ")
            .asked(asked, number::rate(asked))
            .words(", but the measured phase achieved ")
            .rate(achieved)
            .words(" (")
            .share(achieved / asked)
            .words("); at its end, ")
            .count(self.backlog)
            .words(" operations were due and not sent")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "lower --rate, or raise --clients if the system is not busy; in an overloaded system, response times grow for as long as the run \
         lasts"
            .into()
    }
}
