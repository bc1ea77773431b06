//! Findings about how steady a measured phase was, and about a warm-up that did not end by itself.

use std::borrow::Cow;

use dbdyno_vocabulary::{Statement, number};
use serde::{Deserialize, Serialize};

use super::Facts;
use crate::{Level, Pauses};

/// Times of shorter phases are shown in tenths of a second.
const SHORT_NS: u64 = 10_000_000_000;

/// A time of a phase of this length, in seconds.
fn seconds(statement: Statement, time_ns: u64, phase_ns: u64) -> Statement {
    let decimals = usize::from(phase_ns < SHORT_NS);
    let seconds = time_ns as f64 / 1e9;
    statement.figure(seconds, format!("{seconds:.decimals$}"))
}

/// *9000/s, then 12000/s*: the medians of the latency, or throughputs.
fn levels(levels: &[Level], judged_by: &str) -> String {
    let is_latency = judged_by == "latency";
    let written = levels
        .iter()
        .map(|level| match level.latency_p50_ns.filter(|_| is_latency) {
            Some(latency_ns) => number::duration_ns(latency_ns),
            None => number::rate(level.throughput_per_second),
        });
    written.collect::<Vec<_>>().join(", then ")
}

/// *the throughput*; over many trials, *the latency or throughput*.
fn subject(judged_by: &str) -> Statement {
    Statement::new("the ").name(judged_by)
}

/// A warm-up that was to end with steady throughput ended without.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeverWarm {
    /// How long it was, nanoseconds.
    pub warmup_ns: u64,
    /// The share of the servers' CPU time that Java's compilers still took, where that kept it from ending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiling_share: Option<f64>,
    /// The most that servers get which earlier trials had warmed up, nanoseconds, where these had been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_limit_ns: Option<u64>,
}

impl Facts for NeverWarm {
    const CODE: &'static str = "never-warm";

    fn statement(&self) -> Statement {
        let seconds = self.warmup_ns as f64 / 1e9;
        let reached = Statement::new("the warm-up reached its limit of ")
            .figure(seconds, format!("{seconds:.0} s"))
            .words(" before ");
        let missing = match self.compiling_share {
            Some(share) => reached
                .words("Java's compilers were idle (they took ")
                .whole_share(share)
                .words(" of the servers' CPU time)"),
            None => reached.words("the system was steady"),
        };
        missing.words(": the measured phase may include warm-up")
    }

    fn remedy(&self) -> Cow<'static, str> {
        match self.again_limit_ns {
            Some(limit_ns) => format!(
                "servers that earlier trials warmed up get at most {} s of further warm-up: measure for longer, or move the workload to a \
                 study of its own",
                limit_ns / 1_000_000_000
            )
            .into(),
            None => "allow a longer warm-up: `warmup_limit = \"5m\"` in a study file".into(),
        }
    }
}

/// The measured phase began slower, or faster, than it went on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowStart {
    /// The quantity of its levels: `throughput` or `latency`.
    pub judged_by: String,
    /// How long the phase was, nanoseconds.
    pub phase_ns: u64,
    /// Throughput of the whole phase.
    pub whole_per_second: f64,
    /// Its levels; the last is the steady one.
    pub levels: Vec<Level>,
}

impl SlowStart {
    fn last(&self) -> (u64, f64) {
        let last = self.levels.last();
        last.map_or((0, 0.0), |level| (level.from_ns, level.throughput_per_second))
    }
}

impl Facts for SlowStart {
    const CODE: &'static str = "slow-start";

    fn statement(&self) -> Statement {
        let (from_ns, steady_per_second) = self.last();
        let begin = subject(&self.judged_by).words(" became steady after ");
        let begin = seconds(begin, from_ns, self.phase_ns).words(" of ");
        seconds(begin, self.phase_ns, self.phase_ns)
            .words(" s")
            .detail(format!(" ({})", levels(&self.levels, &self.judged_by)))
            .words(": the whole phase has ")
            .rate(self.whole_per_second)
            .words(", its steady part ")
            .rate(steady_per_second)
    }

    fn remedy(&self) -> Cow<'static, str> {
        let (_, steady_per_second) = self.last();
        match self.levels.first() {
            Some(first) if first.throughput_per_second > steady_per_second => {
                "look for what slowed the system down and kept it slow (a failing server, compactions, a full cache); if that is how it \
                 works, warm up until it is reached: `warmup` in the study file, --warmup on the command line"
            }
            _ => "warm up longer: `warmup` in the study file, --warmup on the command line",
        }
        .into()
    }
}

/// The measured phase never reached a steady state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSteadyState {
    /// The quantity of its levels: `throughput`, `latency` or `pauses`.
    pub judged_by: String,
    /// How long the phase was, nanoseconds.
    pub phase_ns: u64,
    /// Its levels.
    pub levels: Vec<Level>,
    /// The pauses that made up much of it, where these did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pauses: Option<Pauses>,
}

impl Facts for NoSteadyState {
    const CODE: &'static str = "no-steady-state";

    fn statement(&self) -> Statement {
        if let Some(pauses) = &self.pauses {
            return paused(pauses, self.phase_ns);
        }
        let last_ns = self.levels.last().map_or(0, |level| level.from_ns);
        let never = subject(&self.judged_by)
            .words(" never became steady")
            .detail(format!(": {}", levels(&self.levels, &self.judged_by)))
            .words("; the last level lasted for ");
        let never = seconds(never, self.phase_ns.saturating_sub(last_ns), self.phase_ns).words(" of ");
        seconds(never, self.phase_ns, self.phase_ns).words(" s")
    }

    fn remedy(&self) -> Cow<'static, str> {
        match self.pauses {
            Some(_) => {
                "find what stops the system (checkpoints, compactions, garbage collection, locks), and measure for longer; a system that \
                 never becomes steady gets no verdict"
            }
            None => "warm up and measure longer; a verdict on it must be the same at each of these levels",
        }
        .into()
    }
}

/// The measured phase went back and forth between two levels, like a machine with two speeds. It says nothing against the system, whose
/// trials would all have them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoSpeeds {
    /// The quantity of its levels: `throughput` or `latency`.
    pub judged_by: String,
    /// Its levels.
    pub levels: Vec<Level>,
}

impl Facts for TwoSpeeds {
    const CODE: &'static str = "two-speeds";

    fn statement(&self) -> Statement {
        subject(&self.judged_by)
            .words(" went back and forth between two levels")
            .detail(format!(": {}", levels(&self.levels, &self.judged_by)))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "two CPUs that share no cache at times look like this, and so does a system whose background work comes and goes: compare its other \
         trials"
            .into()
    }
}

/// The measured phase was too short to show whether it was steady.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadinessNotJudged {}

impl Facts for SteadinessNotJudged {
    const CODE: &'static str = "steadiness-not-judged";

    fn statement(&self) -> Statement {
        Statement::new(
            "the measured phase was too short, or had too few operations, to show whether it was steady",
        )
    }

    fn remedy(&self) -> Cow<'static, str> {
        "measure for two seconds or more, at twenty operations per second or more: `duration` in the study file, --duration on the command \
         line"
            .into()
    }
}

/// Nothing was answered for a part of the measured phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paused {
    /// The pauses.
    pub pauses: Pauses,
    /// How long the phase was, nanoseconds.
    pub phase_ns: u64,
}

impl Facts for Paused {
    const CODE: &'static str = "pauses";

    fn statement(&self) -> Statement {
        paused(&self.pauses, self.phase_ns)
    }

    fn remedy(&self) -> Cow<'static, str> {
        "find what stops the system (checkpoints, compactions, garbage collection, locks, a busy machine), and measure for many times as long \
         as a pause"
            .into()
    }
}

/// *the answers paused for 2.0 s of every 3.1 s (6.0 s of 10.0 s in all)*.
fn paused(pauses: &Pauses, phase_ns: u64) -> Statement {
    let time = |statement: Statement, time_ns: u64| {
        let seconds = time_ns as f64 / 1e9;
        statement.figure(seconds, format!("{seconds:.1} s"))
    };
    let in_all = |statement: Statement| {
        let of_all = time(statement, pauses.total_ns).words(" of ");
        time(of_all, phase_ns)
    };
    let tenths = |time_ns: u64| (time_ns as f64 / 1e8).round();
    let answers = Statement::new("the answers ");
    match pauses.every_ns {
        // Operations that wait for a pause reach into the windows beside it: nothing is left between pauses that follow each other.
        Some(every_ns) if every_ns <= pauses.median_ns || tenths(every_ns) == tenths(pauses.median_ns) => {
            in_all(answers.words("paused ").count(pauses.count).words(" times, for "))
        }
        Some(every_ns) => {
            let of_each = time(answers.words("paused for "), pauses.median_ns).words(" of every ");
            in_all(time(of_each, every_ns).words(" (")).words(" in all)")
        }
        None => in_all(answers.words("paused once, for ")),
    }
}

/// The servers still compiled their code in the measured phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StillCompiling {
    /// The share of their CPU time.
    pub share: f64,
}

impl StillCompiling {
    /// A warm server still compiles now and then: a share up to this one is no finding.
    pub const MOST_WHEN_WARM: f64 = 0.10;
    /// The share from which on the compilers have a queue that they cannot work off (`docs/decisions/steadiness.md`).
    pub const LEAST_WITH_QUEUE: f64 = 0.18;
}

impl Facts for StillCompiling {
    const CODE: &'static str = "still-compiling";

    fn statement(&self) -> Statement {
        Statement::new("Java's compilers took ")
            .whole_share(self.share)
            .words(
                " of the servers' CPU time in the measured phase: the servers were still warming up, and may become faster",
            )
    }

    fn remedy(&self) -> Cow<'static, str> {
        "warm up until the compilers are idle: --warmup auto, or `warmup = \"auto\"` in the study file; if that reached its limit, raise \
         `warmup_limit`"
            .into()
    }
}
