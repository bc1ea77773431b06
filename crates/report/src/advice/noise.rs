//! What one and the same system, measured twice, differs by: no advantage below it is one.

use std::collections::BTreeMap;

use dbdyno_record::{TrialRecord, TrialStatus};
use dbdyno_stats::Sample;

use super::compose::statement;
use super::gather::{Source, does_work, original};
use super::metric::measure;
use super::{Goal, Need, Statement};
use crate::number;

/// By how many times the medians of a system and its A/A twin differ for a goal, at most; `None` without a twin.
fn largest(goal: &Goal, sources: &[Source<'_>]) -> Option<(f64, String)> {
    let pairs = sources.iter().flat_map(|source| {
        let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let trials = source.results.trials.iter();
        let wanted =
            |trial: &&TrialRecord| trial.status == TrialStatus::Completed && does_work(trial, &goal.work);
        for trial in trials.filter(wanted) {
            let value = measure(goal.metric, trial).filter(|value| *value > 0.0);
            values.entry(&trial.system.name).or_default().extend(value);
        }
        let median = |name: &str| Some(Sample::new(values.get(name)?.clone()).ok()?.median());
        let pair = |twin: &&str| {
            let original = original(twin)?;
            let ratio = median(twin)? / median(original)?;
            Some((ratio.max(1.0 / ratio), original.to_owned()))
        };
        values.keys().filter_map(pair).collect::<Vec<_>>()
    });
    pairs.max_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// What A/A twins say, goal by goal; `ahead` is how many times as good the first is as the next one.
pub fn cautions(need: &Need, sources: &[Source<'_>], ahead: Option<f64>) -> Vec<Statement> {
    let tell = |goal: &Goal| {
        let (ratio, system) = largest(goal, sources)?;
        let verdict = match ahead {
            Some(ahead) if ratio >= ahead => ": the leader's advantage is no larger, so it may be noise",
            _ if ratio > 1.0 + need.margin => ": more than the margin, so differences of this size are noise",
            _ => "",
        };
        Some(statement(
            format!(
                "{}: {system} differs from itself (A/A) by {}{verdict}.",
                goal.name,
                number::ratio(ratio)
            ),
            Vec::new(),
        ))
    };
    need.goals.iter().filter_map(tell).collect()
}
