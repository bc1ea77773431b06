//! Which goals can be judged: what was measured, and compares the systems.

use dbdyno_record::TrialRecord;
use dbdyno_record::finding::{FindingKind, StillCompiling};

use super::doubt::{self, Value};
use super::gather::{Candidate, did_work};
use super::integrity::has_lost;
use super::metric::{self, Subject, is_measured_throughput};
use super::work::NoWork;
use super::{Goal, RateChoice, WorkChoice};
use crate::validity::{Unreliable, invalid, restless, restless_latency, unreliable};
use crate::{Metric, Pace, Unranked};

/// Why a goal does not count.
#[derive(Clone, Debug, PartialEq)]
pub enum Unjudged {
    /// Nobody did its work.
    NoWork(NoWork),
    /// No trial of its work recorded its metric.
    NoFigure(metric::Metric),
    /// No verdict rests on the trials of a candidate.
    Unreliable(Unreliable),
    /// Its metric ranks nothing, and what would mend that.
    Unranked(Unranked, Remedy),
}

/// What makes a metric rank the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The goal is of the work without a rate.
    UnlimitedGoal,
    /// The goal is of the work at a rate that all sustain.
    PacedGoal,
    /// The work is done in a closed loop.
    ClosedLoop,
    /// The work is done at a rate that all sustain.
    AtARate,
    /// The work is done at another rate than the goal's, one that all sustain.
    AtAnotherRate,
}

impl Unjudged {
    /// Whether no candidate was measured.
    pub fn is_not_measured(&self) -> bool {
        matches!(self, Self::NoWork(_) | Self::NoFigure(_))
    }

    /// Whether the work has to be done at a rate (`true`) or without one before the measurements compare the candidates.
    pub fn at_a_rate(&self) -> Option<bool> {
        match self {
            Self::Unranked(_, Remedy::AtARate) => Some(true),
            Self::Unranked(_, Remedy::ClosedLoop) => Some(false),
            _ => None,
        }
    }
}

/// Why this goal cannot be judged, as far as the results say; `None` when it can. `absent` is why nobody did its work.
pub fn unjudged(goal: &Goal, absent: Option<&NoWork>, candidates: &[&Candidate<'_>]) -> Option<Unjudged> {
    if let Some(why) = absent {
        return Some(Unjudged::NoWork(why.clone()));
    }
    // Who lost data is out, and its trials keep nobody else from being ranked.
    let candidates = || candidates.iter().filter(|one| !has_lost(one));
    // The load comes before any warm-up, and its inserts are not the operations that are counted.
    let doubt = match goal.metric.subject() {
        Subject::Load => invalid,
        _ => unreliable,
    };
    let doubtful = candidates().find_map(|one| {
        // Who never settled is ranked at each of its levels, where they are known.
        let is_known = levels(one, &goal.work, goal.metric).is_some();
        doubt(&one.system.name, &trials(one, &goal.work)).filter(|_| !is_known)
    });
    if let Some(why) = doubtful {
        return Some(Unjudged::Unreliable(why));
    }
    let values = |one: &Candidate<'_>| doubt::values(one, &goal.work, goal.metric).len();
    if candidates().all(|one| values(one) == 0) {
        return Some(Unjudged::NoFigure(goal.metric));
    }
    let metric = if goal.metric.is_latency() {
        Metric::LatencyP99
    } else if is_measured_throughput(goal.metric) {
        Metric::Throughput
    } else if goal.metric == metric::Metric::Cost {
        let is_paced = |one: &&Candidate<'_>| {
            did_work(one, &goal.work)
                .iter()
                .any(|(_, trial)| trial.spec.rate().is_some())
        };
        // As fast as each was, money follows from throughput; at one rate it is that of those who sustained it.
        match candidates().any(is_paced) {
            true => Metric::LatencyP99,
            false => Metric::Throughput,
        }
    } else {
        return None;
    };
    let paces = candidates().filter_map(|one| {
        let trials = did_work(one, &goal.work);
        let pace = Pace::of(trials.iter().map(|(_, trial)| *trial));
        (!trials.is_empty()).then_some((one.label.as_str(), pace))
    });
    let why = Unranked::new(metric, paces)?;
    let remedy = match (metric, goal.work.rate) {
        (Metric::Throughput, Some(RateChoice::PerSecond(_) | RateChoice::Common)) => Remedy::UnlimitedGoal,
        (Metric::Throughput, _) => Remedy::ClosedLoop,
        (_, Some(RateChoice::Unlimited)) => Remedy::PacedGoal,
        (_, Some(RateChoice::PerSecond(_))) => Remedy::AtAnotherRate,
        (_, _) => Remedy::AtARate,
    };
    Some(Unjudged::Unranked(why, remedy))
}

/// Within which shares of its measured values the steady one of a candidate lies that never settled, as the least and the most; `None`
/// where it settled, and where its levels are not known.
pub fn levels(candidate: &Candidate<'_>, work: &WorkChoice, metric: metric::Metric) -> Option<(f64, f64)> {
    let (name, trials) = (&candidate.system.name, trials(candidate, work));
    let throughput = || restless(Metric::Throughput, name, &trials).map(|own| (own.low, own.high));
    if is_measured_throughput(metric) {
        throughput()
    } else if by_operation(metric) && trials.iter().all(|trial| trial.spec.rate().is_none()) {
        // As fast as it went, an operation costs the less the more of them there are.
        throughput().map(|(low, high)| (1.0 / high, 1.0 / low))
    } else if metric.is_latency() {
        restless_latency(name, &trials)
    } else {
        None
    }
}

/// How many times as fast a server became that was measured while HotSpot's compilers had a queue: Cassandra 5.0 went from 4,000 to
/// 16,000 operations a second (`docs/decisions/steadiness.md`).
pub(super) const WARMER: f64 = 4.0;

/// How many times as fast a server may become of whose CPU time compilers took this share: not at all where they count as idle, and so
/// many times where they have a queue.
fn warmer(share: f64) -> f64 {
    let idle = StillCompiling::MOST_WHEN_WARM;
    let queue = ((share - idle) / (StillCompiling::LEAST_WITH_QUEUE - idle)).clamp(0.0, 1.0);
    WARMER.powf(queue)
}

/// Within which shares of its median the value of a candidate lies, once it is warm, that was still compiling in half of its trials or
/// more; `None` of others. It becomes faster, and never slower: no further than the trial lets it in which the compilers did least.
pub fn compiling(candidate: &Candidate<'_>, work: &WorkChoice, metric: metric::Metric) -> Option<(f64, f64)> {
    let trials = trials(candidate, work);
    let cold = trials
        .iter()
        .filter(|trial| compilers_share(trial).is_some())
        .count();
    if cold == 0 || 2 * cold < trials.len() {
        return None;
    }
    let values = doubt::values(candidate, work, metric);
    let median = doubt::median(&values).filter(|median| *median > 0.0)?;
    let warm = |value: &Value<'_>| {
        (
            value.value / median,
            warmer(compilers_share(value.trial).unwrap_or_default()),
        )
    };
    let warm = values.iter().map(warm);
    if is_measured_throughput(metric) {
        let most = warm.map(|(value, times)| value * times).reduce(f64::min)?;
        (most > 1.0).then_some((1.0, most))
    } else if by_operation(metric) || metric.is_latency() {
        let least = warm.map(|(value, times)| value / times).reduce(f64::max)?;
        (least < 1.0).then_some((least, 1.0))
    } else {
        None
    }
}

/// The share of the servers' CPU time that compilers took, where they were not idle. A record that does not state it may have had a queue
/// of them.
fn compilers_share(trial: &TrialRecord) -> Option<f64> {
    let found = trial
        .findings
        .iter()
        .find(|finding| finding.is::<StillCompiling>())?;
    match &found.kind {
        FindingKind::StillCompiling(found) => Some(found.share),
        _ => Some(StillCompiling::LEAST_WITH_QUEUE),
    }
}

/// Whether it is a cost of one operation.
const fn by_operation(metric: metric::Metric) -> bool {
    use metric::Metric::{ClientCpu, Cost, ServerCpu};
    matches!(metric, Cost | ClientCpu | ServerCpu)
}

/// All completed trials of a candidate that did this work.
fn trials<'a>(candidate: &Candidate<'a>, work: &WorkChoice) -> Vec<&'a TrialRecord> {
    let all = did_work(candidate, work).into_iter();
    all.map(|(_, trial)| trial).collect()
}

/// The values of a candidate for a goal; none while it was not measured at a level that the need requires.
pub fn counted<'a>(
    candidate: &Candidate<'a>,
    work: &WorkChoice,
    metric: metric::Metric,
    is_at_level: bool,
) -> Vec<Value<'a>> {
    if is_at_level {
        doubt::values(candidate, work, metric)
    } else {
        Vec::new()
    }
}
