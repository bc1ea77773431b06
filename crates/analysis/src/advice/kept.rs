//! Whether trials keep a hard objective.

use dbdyno_decide::{Compliance, held};
use dbdyno_record::TrialRecord;
use dbdyno_stats::Better;

use super::doubt::{Doubt, of_trial};
use super::fault::{Fault, fault};
use super::gather::{Candidate, did_work};
use super::judged::{Judged, Lacking};
use super::metric::{Metric, better};
use super::need::{Objective, WorkChoice};
use super::why::{self, Why};
use super::work::NoWork;
use crate::{Pace, Unranked};

/// Whether a candidate's trials keep an objective in this work.
///
/// A trial that is invalid because of the system counts against it, and never for it; one that is invalid for other reasons
/// counts for nothing, and a doubtful one neither.
pub fn objective_kept<'a>(
    candidate: &Candidate<'a>,
    objective: &Objective,
    work: &WorkChoice,
    absent: Option<&NoWork>,
) -> Judged<'a> {
    let metric = objective.metric;
    if let Some(why) = absent {
        return Judged {
            lacking: Some(Lacking::Work),
            ..Judged::new(Compliance::NotShown, Why::NoWork(why.clone()), Vec::new())
        };
    }
    let usable: Vec<(usize, &TrialRecord)> = did_work(candidate, work)
        .into_iter()
        .filter(|(_, trial)| {
            fault(trial) != Some(Fault::Measurement) && candidate.figure(metric, trial).is_some()
        })
        .collect();
    if usable.is_empty() {
        let why = Why::NoFigure {
            metric,
            workload: work.workload.clone(),
            has_trials: !did_work(candidate, work).is_empty(),
        };
        return Judged::new(Compliance::NotShown, why, usable);
    }
    if metric.is_latency() && Pace::of(usable.iter().map(|(_, trial)| *trial)) == Pace::ClosedLoop {
        return Judged {
            lacking: Some(Lacking::Rate),
            ..Judged::new(Compliance::NotShown, Why::Unranked(Unranked::OwnSpeed), usable)
        };
    }
    let (trials, doubts) = split(usable, objective.metric);
    judged(candidate, objective, trials, doubts)
}

/// The trials that count, and the doubts about the others. A system that fails leaves its steady state, too: that is no excuse.
pub(super) fn split(
    usable: Vec<(usize, &TrialRecord)>,
    metric: Metric,
) -> (Vec<(usize, &TrialRecord)>, Vec<Doubt>) {
    let (mut trials, mut doubts) = (Vec::new(), Vec::new());
    for (source, trial) in usable {
        let fails = fault(trial).is_some() || !trial.sustained();
        match of_trial(trial, metric) {
            Some(doubt) if !(fails && doubt == Doubt::Unsteady) => doubts.push(doubt),
            _ => trials.push((source, trial)),
        }
    }
    (trials, doubts)
}

fn judged<'a>(
    candidate: &Candidate<'a>,
    objective: &Objective,
    trials: Vec<(usize, &'a TrialRecord)>,
    doubts: Vec<Doubt>,
) -> Judged<'a> {
    let metric = objective.metric;
    let keeps = |trial: &TrialRecord| {
        let value = candidate.figure(metric, trial).unwrap_or(f64::NAN);
        let kept = match better(metric) {
            Better::Higher => value >= objective.limit,
            Better::Lower => value <= objective.limit,
        };
        // A latency of a rate that was not held says nothing about that rate.
        kept && trial.sustained() && fault(trial).is_none()
    };
    let kept: Vec<bool> = trials.iter().map(|(_, trial)| keeps(trial)).collect();
    let held = held(&kept);
    let values = trials
        .iter()
        .filter_map(|(_, trial)| candidate.figure(metric, trial));
    let range = values.fold(None, |range: Option<(f64, f64)>, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    });
    let why = why::Objective {
        metric,
        kept: held.kept,
        trials: held.trials,
        range,
        doubts,
        late: trials.iter().filter(|(_, trial)| !trial.sustained()).count(),
        open: held.compliance == Compliance::NotShown,
    };
    Judged::new(held.compliance, Why::Objective(why), trials)
}
