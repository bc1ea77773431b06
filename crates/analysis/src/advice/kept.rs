//! Whether trials keep a hard objective.

use dbdyno_decide::{BesideLimit, Compliance, Held, held};
use dbdyno_record::TrialRecord;
use dbdyno_stats::Better;

use super::doubt::{Doubt, of_trial};
use super::fault::{Fault, fault};
use super::gather::{Candidate, did_work};
use super::goals::WARMER;
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
    judged(candidate, objective, Split::of(usable, objective.metric))
}

/// Trials by what they may show of a limit.
pub(super) struct Split<'a> {
    sound: Vec<(usize, &'a TrialRecord)>,
    /// Those of which it is only known that they were not steady.
    unsteady: Vec<(usize, &'a TrialRecord)>,
    /// Why others count for nothing.
    doubts: Vec<Doubt>,
}

/// What trials show of a limit.
pub(super) struct Decided<'a> {
    pub(super) held: Held,
    /// Those that count.
    pub(super) trials: Vec<(usize, &'a TrialRecord)>,
    /// Why others do not.
    pub(super) doubts: Vec<Doubt>,
}

impl<'a> Split<'a> {
    /// A system that fails leaves its steady state, too: that is no excuse.
    pub(super) fn of(usable: Vec<(usize, &'a TrialRecord)>, metric: Metric) -> Self {
        let mut split = Self {
            sound: Vec::new(),
            unsteady: Vec::new(),
            doubts: Vec::new(),
        };
        for (source, trial) in usable {
            let fails = fault(trial).is_some() || !trial.sustained();
            match of_trial(trial, metric) {
                Some(Doubt::Unsteady) if !fails => split.unsteady.push((source, trial)),
                Some(doubt) if doubt != Doubt::Unsteady => split.doubts.push(doubt),
                _ => split.sound.push((source, trial)),
            }
        }
        split
    }

    /// What the sound trials show or, where they decide nothing, what they show together with the unsteady ones, if each is further from
    /// the limit than an unsteady trial may be from the truth.
    pub(super) fn decide(self, beside: impl Fn(&TrialRecord) -> BesideLimit) -> Decided<'a> {
        let of = |trials: &[(usize, &TrialRecord)]| -> Vec<BesideLimit> {
            trials.iter().map(|(_, trial)| beside(trial)).collect()
        };
        let sound = of(&self.sound);
        let by_sound = held(&sound);
        let all = [sound, of(&self.unsteady)].concat();
        let by_all = held(&all);
        let are_far = all.iter().all(|one| one.margin.abs() > WARMER.ln());
        let (mut trials, mut doubts) = (self.sound, self.doubts);
        if by_sound.compliance == Compliance::NotShown && by_all.compliance != Compliance::NotShown && are_far
        {
            trials.extend(self.unsteady);
            return Decided {
                held: by_all,
                trials,
                doubts,
            };
        }
        doubts.extend(self.unsteady.iter().map(|_| Doubt::Unsteady));
        Decided {
            held: by_sound,
            trials,
            doubts,
        }
    }
}

fn judged<'a>(candidate: &Candidate<'a>, objective: &Objective, split: Split<'a>) -> Judged<'a> {
    let metric = objective.metric;
    let Decided { held, trials, doubts } = split.decide(|trial| {
        let value = candidate.figure(metric, trial).unwrap_or(f64::NAN);
        let (is_kept, ratio) = match better(metric) {
            Better::Higher => (value >= objective.limit, value / objective.limit),
            Better::Lower => (value <= objective.limit, objective.limit / value),
        };
        BesideLimit {
            // A latency of a rate that was not held says nothing about that rate.
            is_kept: is_kept && trial.sustained() && fault(trial).is_none(),
            margin: ratio.ln(),
        }
    });
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
