//! What takes a verdict back although its numbers would allow it: noise that is as large as the difference, trials that never
//! reached a steady state, operations that failed, and invalid trials.

use dbdyno_record::{MOST_LOST, TrialRecord, TrialStatus, attempted};

use super::{CellSystem, Comparison, Metric, System, Word, speed};
use crate::number;

/// From this share of a system's trials on, no verdict rests on them. Fewer are reported as findings: medians tolerate them.
const NEVER_STEADY_SHARE: f64 = 0.5;

/// Takes back, in one cell, what should not be claimed.
pub fn restrain(
    comparisons: &mut [Comparison],
    systems: &[System],
    measured: &[CellSystem],
    trials: &[&TrialRecord],
) {
    let reaches: Vec<(Metric, f64)> = [
        Metric::Throughput,
        Metric::LatencyP99,
        Metric::LatencyP50,
        Metric::LoadThroughput,
    ]
    .into_iter()
    .filter_map(|metric| Some((metric, noise_reach(metric, systems, measured)?)))
    .collect();
    let judged = comparisons
        .iter_mut()
        .filter(|comparison| comparison.word != Word::NotComparable);
    for comparison in judged {
        let reach = reaches.iter().find(|(metric, _)| *metric == comparison.metric);
        if let Some((_, reach)) = reach
            && matches!(comparison.word, Word::Faster | Word::Slower)
            && comparison.ratio.ln().abs() <= *reach
        {
            let ratio = comparison.ratio.max(1.0 / comparison.ratio);
            take_back(
                comparison,
                format!(
                    "the difference ({}) is not beyond the noise: the same system measured twice may differ by {}",
                    number::share(ratio - 1.0),
                    number::share(reach.exp_m1())
                ),
            );
        }
        // The load phase comes before any warm-up.
        let why = if comparison.metric == Metric::LoadThroughput {
            invalid
        } else {
            unreliable
        };
        let reason = [&comparison.a, &comparison.b]
            .into_iter()
            .find_map(|system| why(system, trials));
        if let Some(reason) = reason {
            take_back(comparison, reason);
        }
    }
}

/// Why no verdict about the measured phase rests on these trials of a system; `None` when nothing forbids one.
pub(crate) fn unreliable(system: &str, trials: &[&TrialRecord]) -> Option<String> {
    // Trials that lost too much are invalid, too: how much they lost says more.
    failing(system, trials)
        .or_else(|| invalid(system, trials))
        .or_else(|| never_steady(system, trials))
}

/// Makes a comparison undecided, for this reason.
pub(super) fn take_back(comparison: &mut Comparison, reason: String) {
    comparison.word = Word::Undecided;
    comparison.why.clone_from(&reason);
    comparison.reason = reason;
}

/// Says so when a trial of a system that counts is marked invalid: no verdict rests on it.
pub(crate) fn invalid(system: &str, trials: &[&TrialRecord]) -> Option<String> {
    let counted: Vec<&&TrialRecord> = trials
        .iter()
        .filter(|trial| trial.system.name == system && trial.status == TrialStatus::Completed)
        .collect();
    let first = |trial: &&&TrialRecord| Some(trial.invalid_because().first()?.code.to_owned());
    let codes: Vec<String> = counted.iter().filter_map(first).collect();
    let trials = codes.len();
    let codes: std::collections::BTreeSet<String> = codes.into_iter().collect();
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
pub(crate) fn failing(system: &str, trials: &[&TrialRecord]) -> Option<String> {
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

/// How far the 95% interval of the A/A comparisons of a cell reaches from 1, as a logarithm; where there are too few trials
/// for an interval, the ratio itself. `None` without an A/A.
fn noise_reach(metric: Metric, systems: &[System], measured: &[CellSystem]) -> Option<f64> {
    let find = |name: &str| measured.iter().find(|system| system.name == name);
    let twins = systems
        .iter()
        .filter_map(|twin| Some((twin, twin.twin_of.as_ref()?)));
    twins
        .filter_map(|(twin, original)| {
            let same = speed::compare(metric, find(&twin.name)?, find(original)?, 1)?;
            let ends = same
                .interval
                .map_or([same.ratio; 2], |interval| [interval.low, interval.high]);
            Some(ends.map(|end| end.ln().abs()).into_iter().fold(0.0, f64::max))
        })
        .filter(|reach| reach.is_finite())
        .reduce(f64::max)
}

/// Says so when a system reached no steady state in half of its trials or more.
pub(crate) fn never_steady(system: &str, trials: &[&TrialRecord]) -> Option<String> {
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
