//! What takes a verdict back although its numbers would allow it: trials that never reached a steady state, operations that failed, and
//! invalid trials.

use std::collections::BTreeSet;

use dbdyno_record::finding::RateNotSustained;
use dbdyno_record::{Facts, MOST_LOST, TrialRecord, TrialStatus, attempted};

use super::{Comparison, Metric, Word};
use crate::number;

/// From this share of a system's trials on, no verdict rests on them. Fewer are reported as findings: medians tolerate them.
const NEVER_STEADY_SHARE: f64 = 0.5;

/// Why no verdict about a metric rests on the trials of a system; `None` when nothing forbids one.
pub fn doubt(metric: Metric, system: &str, trials: &[&TrialRecord]) -> Option<String> {
    match metric {
        // The load phase comes before any warm-up.
        Metric::LoadThroughput => invalid(system, trials),
        Metric::Throughput | Metric::LatencyP99 | Metric::LatencyP50 => unreliable(system, trials),
    }
}

/// Trials of a system that could not keep the rate, where most of its trials could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overloaded {
    /// Their blocks.
    pub blocks: BTreeSet<u32>,
    /// The same in words.
    pub reason: String,
}

/// The trials of a system that could not keep the rate, if nothing else is wrong with any of them: their latency is of no use, but it is
/// known that they were slow.
pub fn overloaded(metric: Metric, system: &str, trials: &[&TrialRecord]) -> Option<Overloaded> {
    let is_latency = matches!(metric, Metric::LatencyP99 | Metric::LatencyP50);
    if !is_latency || failing(system, trials).is_some() || never_steady(system, trials).is_some() {
        return None;
    }
    let counted = trials
        .iter()
        .filter(|trial| trial.system.name == system && trial.status == TrialStatus::Completed);
    let mut blocks = BTreeSet::new();
    for trial in counted.clone() {
        let reasons = trial.invalid_because();
        let other = reasons.iter().any(|reason| reason.code != RateNotSustained::CODE);
        if other || (!reasons.is_empty() && trial.client_cpu_saturated()) {
            return None;
        }
        blocks.extend((!reasons.is_empty()).then_some(trial.block));
    }
    let few = !blocks.is_empty() && 2 * blocks.len() < counted.count();
    few.then(|| Overloaded {
        blocks,
        reason: invalid(system, trials).unwrap_or_default(),
    })
}

/// Between which levels the throughput of a system went that never settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Restless {
    /// The slowest level of such a trial, as a share of the throughput of the whole trial; the least of all.
    pub low: f64,
    /// The fastest one; the most of all.
    pub high: f64,
    /// That it never settled, in words.
    pub reason: String,
}

/// The levels of a system that never settled, if nothing else is wrong with its trials: a difference that is the same at each of them is
/// one all the same.
pub fn restless(metric: Metric, system: &str, trials: &[&TrialRecord]) -> Option<Restless> {
    let is_other = failing(system, trials)
        .or_else(|| invalid(system, trials))
        .is_some();
    if metric != Metric::Throughput || is_other {
        return None;
    }
    let reason = never_steady(system, trials)?;
    let own = trials.iter().filter(|trial| {
        let counts = trial.system.name == system && trial.status == TrialStatus::Completed;
        counts && trial.conditions.never_steady()
    });
    let (mut low, mut high) = (1.0_f64, 1.0_f64);
    for trial in own {
        let steady = trial.conditions.steady.as_ref()?;
        let whole = trial.measure.as_ref()?.throughput_per_second()?;
        // One level that drifts, or pauses, say nothing of how far it went.
        if steady.levels.len() < 2 || steady.is_judged_by_pauses() {
            return None;
        }
        for level in &steady.levels {
            low = low.min(level.throughput_per_second / whole);
            high = high.max(level.throughput_per_second / whole);
        }
    }
    (low > 0.0 && high.is_finite()).then_some(Restless { low, high, reason })
}

/// Why no verdict about the measured phase rests on these trials of a system; `None` when nothing forbids one.
pub fn unreliable(system: &str, trials: &[&TrialRecord]) -> Option<String> {
    // Trials that lost too much are invalid, too: how much they lost says more.
    failing(system, trials)
        .or_else(|| invalid(system, trials))
        .or_else(|| never_steady(system, trials))
}

/// Makes a comparison undecided, for this reason.
pub fn take_back(comparison: &mut Comparison, reason: String) {
    comparison.word = Word::Undecided;
    comparison.more_trials = None;
    comparison.why.clone_from(&reason);
    comparison.reason = reason;
}

/// Says so when a trial of a system that counts is marked invalid: no verdict rests on it.
pub fn invalid(system: &str, trials: &[&TrialRecord]) -> Option<String> {
    let counted: Vec<&&TrialRecord> = trials
        .iter()
        .filter(|trial| trial.system.name == system && trial.status == TrialStatus::Completed)
        .collect();
    let first = |trial: &&&TrialRecord| Some(trial.invalid_because().first()?.code.to_owned());
    let codes: Vec<String> = counted.iter().filter_map(first).collect();
    let trials = codes.len();
    let codes: BTreeSet<String> = codes.into_iter().collect();
    (trials > 0).then(|| {
        format!(
            "{trials} of {} of {system} {} invalid ({})",
            number::plural(counted.len(), "trial", "trials"),
            number::agreeing(&trials, "is", "are"),
            codes.into_iter().collect::<Vec<_>>().join(", ")
        )
    })
}

/// Says so when so many operations of a system had no answer that neither its throughput nor its p99, which falls on them,
/// stands for the work: of all its trials together, or of one in two.
pub fn failing(system: &str, trials: &[&TrialRecord]) -> Option<String> {
    let counted: Vec<&&TrialRecord> = trials
        .iter()
        .filter(|trial| trial.system.name == system && trial.status == TrialStatus::Completed)
        .collect();
    let measured = || counted.iter().filter_map(|trial| trial.measure.as_ref());
    let all = attempted(measured().flat_map(|measure| measure.operations.values()));
    let lost = counted.iter().filter(|trial| {
        let measure = trial.measure.as_ref();
        measure.is_some_and(|measure| measure.share_lost_to_errors(trial.settings.clients) >= MOST_LOST)
    });
    let lost = lost.count();
    if all.failure_share() >= MOST_LOST {
        let p99 = all.percentile(99.0).map_or_else(String::new, |p99| {
            format!("; its p99 is at least {}", number::duration_ns(p99.ns() as f64))
        });
        return Some(format!(
            "{} of the operations of {system} had no answer{p99}",
            number::share(all.failure_share())
        ));
    }
    (lost > 0 && 2 * lost >= counted.len()).then(|| {
        format!(
            "{system} lost {} or more to errors in {lost} of {}",
            number::share(MOST_LOST),
            number::plural(counted.len(), "trial", "trials")
        )
    })
}

/// Says so when a system reached no steady state in half of its trials or more.
pub fn never_steady(system: &str, trials: &[&TrialRecord]) -> Option<String> {
    let counted: Vec<&&TrialRecord> = trials
        .iter()
        .filter(|trial| trial.system.name == system && trial.status == TrialStatus::Completed)
        .collect();
    let restless = counted
        .iter()
        .filter(|trial| trial.conditions.never_steady())
        .count();
    (restless > 0 && restless as f64 >= NEVER_STEADY_SHARE * counted.len() as f64).then(|| {
        format!(
            "no steady state: {system} never settled in {restless} of {}; warm up and measure longer",
            number::plural(counted.len(), "trial", "trials")
        )
    })
}
