//! Which goals can be judged: what was measured, and compares the systems.

use super::doubt::{self, Value};
use super::gather::{Candidate, did_work};
use super::integrity::has_lost;
use super::metric::{self, Subject, is_measured_throughput};
use super::{Goal, RateChoice, WorkChoice};
use crate::validity::{invalid, unreliable};
use crate::{Metric, Pace, Unranked};

/// Why a goal does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// No candidate was measured.
    NotMeasured(String),
    /// The measurements do not compare the candidates.
    NotComparable {
        /// Why not.
        why: String,
        /// Whether the work has to be done at a rate (`true`) or without one before they do.
        at_a_rate: Option<bool>,
    },
}

impl Unjudged {
    /// The goal with the reason, as a sentence without its end.
    pub fn sentence(&self, goal: &Goal) -> String {
        match self {
            Self::NotMeasured(why) => format!("{} is not measured: {why}", goal.name),
            Self::NotComparable { why, .. } => format!("{} is not comparable: {why}", goal.name),
        }
    }

    /// What stands in a cell without a value.
    pub fn word(&self) -> &'static str {
        match self {
            Self::NotMeasured(_) => "not measured",
            Self::NotComparable { .. } => "no valid trial",
        }
    }
}

/// Why this goal cannot be judged, as far as the results say; `None` when it can. `absent` is why nobody did its work.
pub fn unjudged(goal: &Goal, absent: Option<&String>, candidates: &[&Candidate<'_>]) -> Option<Unjudged> {
    if let Some(why) = absent {
        return Some(Unjudged::NotMeasured(why.clone()));
    }
    // Who lost data is out, and its trials keep nobody else from being ranked.
    let candidates = || candidates.iter().filter(|one| !has_lost(one));
    // The load comes before any warm-up, and its inserts are not the operations that are counted.
    let doubt = match goal.metric.subject() {
        Subject::Load => invalid,
        _ => unreliable,
    };
    let doubtful = candidates().find_map(|one| {
        let trials: Vec<_> = did_work(one, &goal.work)
            .into_iter()
            .map(|(_, trial)| trial)
            .collect();
        doubt(&one.system.name, &trials)
    });
    if let Some(why) = doubtful {
        return Some(Unjudged::NotComparable { why, at_a_rate: None });
    }
    let values = |one: &Candidate<'_>| doubt::values(one, &goal.work, goal.metric).len();
    if candidates().all(|one| values(one) == 0) {
        let why = format!("no trial recorded {}", goal.metric.name());
        return Some(Unjudged::NotMeasured(why));
    }
    let metric = if goal.metric.is_latency() {
        Metric::LatencyP99
    } else if is_measured_throughput(goal.metric) {
        Metric::Throughput
    } else {
        return None;
    };
    let paces = candidates().filter_map(|one| {
        let trials = did_work(one, &goal.work);
        let pace = Pace::of(trials.iter().map(|(_, trial)| *trial));
        (!trials.is_empty()).then_some((one.label.as_str(), pace))
    });
    let why = Unranked::new(metric, paces)?;
    let (advice, at_a_rate) = match (metric, goal.work.rate) {
        (Metric::Throughput, Some(RateChoice::PerSecond(_) | RateChoice::Common)) => {
            ("; give the goal the rate \"unlimited\"", None)
        }
        (Metric::Throughput, _) => ("; measure in a closed loop", Some(false)),
        (_, Some(RateChoice::Unlimited)) => ("; give the goal a rate that all systems sustain", None),
        (_, Some(RateChoice::PerSecond(_))) => ("; measure at a rate that all systems sustain", None),
        (_, _) => ("; measure at a rate that all systems sustain", Some(true)),
    };
    Some(Unjudged::NotComparable {
        why: format!("{}{advice}", why.reason()),
        at_a_rate,
    })
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
