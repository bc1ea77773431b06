//! What takes a verdict back although its numbers would allow it: trials that never reached a steady state, operations that failed, and
//! invalid trials.

use std::collections::BTreeSet;

use dbdyno_record::finding::RateNotSustained;
use dbdyno_record::{Facts, Level, MOST_LOST, Quantile, TrialRecord, TrialStatus, attempted};

use super::Metric;

/// From this share of a system's trials on, no verdict rests on them. Fewer are reported as findings: medians tolerate them.
const NEVER_STEADY_SHARE: f64 = 0.5;

/// Why no verdict rests on the trials of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreliable {
    /// The system.
    pub system: String,
    /// Its completed trials.
    pub trials: usize,
    /// What is wrong with them.
    pub because: Defect,
}

/// What is wrong with the trials of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum Defect {
    /// Trials are marked invalid.
    Invalid {
        /// How many of them.
        invalid: usize,
        /// The codes of the findings that make them so.
        codes: BTreeSet<String>,
    },
    /// Too many operations of all trials together had no answer.
    NoAnswers {
        /// Their share.
        share: f64,
        /// The 99th percentile of all, which falls on them; nanoseconds.
        p99_ns: Option<u64>,
    },
    /// [`MOST_LOST`] of the time or more went to errors in so many trials.
    LostToErrors(usize),
    /// So many trials never reached a steady state.
    NeverSteady(usize),
}

/// Why no verdict about a metric rests on the trials of a system; `None` when nothing forbids one.
pub fn doubt(metric: Metric, system: &str, trials: &[&TrialRecord]) -> Option<Unreliable> {
    match metric {
        // The load phase comes before any warm-up.
        Metric::LoadThroughput => invalid(system, trials),
        Metric::Throughput | Metric::LatencyP99 | Metric::LatencyP50 => unreliable(system, trials),
    }
}

/// Trials of a system that could not keep the rate, where most of its trials could.
#[derive(Clone, Debug, PartialEq)]
pub struct Overloaded {
    /// Their blocks.
    pub blocks: BTreeSet<u32>,
    /// That they are invalid.
    pub reason: Unreliable,
}

/// The trials of a system that could not keep the rate, if nothing else is wrong with any of them: their latency is of no use, but it is
/// known that they were slow.
pub fn overloaded(metric: Metric, system: &str, trials: &[&TrialRecord]) -> Option<Overloaded> {
    let is_latency = matches!(metric, Metric::LatencyP99 | Metric::LatencyP50);
    if !is_latency || failing(system, trials).is_some() || never_steady(system, trials).is_some() {
        return None;
    }
    let counted = counted(system, trials);
    let mut blocks = BTreeSet::new();
    for trial in &counted {
        let reasons = trial.invalid_because();
        let other = reasons.iter().any(|reason| reason.code != RateNotSustained::CODE);
        if other || (!reasons.is_empty() && trial.client_cpu_saturated()) {
            return None;
        }
        blocks.extend((!reasons.is_empty()).then_some(trial.block));
    }
    let few = !blocks.is_empty() && 2 * blocks.len() < counted.len();
    let reason = invalid(system, trials).filter(|_| few)?;
    Some(Overloaded { blocks, reason })
}

/// Between which levels the throughput of a system went that never settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Restless {
    /// The slowest level of such a trial, as a share of the throughput of the whole trial; the least of all.
    pub low: f64,
    /// The fastest one; the most of all.
    pub high: f64,
    /// That it never settled.
    pub reason: Unreliable,
}

/// The levels of a system that never settled, if nothing else is wrong with its trials: a difference that is the same at each of them is
/// one all the same.
pub fn restless(metric: Metric, system: &str, trials: &[&TrialRecord]) -> Option<Restless> {
    if metric != Metric::Throughput {
        return None;
    }
    let reason = never_steady(system, trials)?;
    let (mut low, mut high) = (1.0_f64, 1.0_f64);
    for (trial, levels) in known_levels(system, trials)? {
        let whole = trial.measure.as_ref()?.throughput_per_second()?;
        for level in levels {
            low = low.min(level.throughput_per_second / whole);
            high = high.max(level.throughput_per_second / whole);
        }
    }
    (low > 0.0 && high.is_finite()).then_some(Restless { low, high, reason })
}

/// Within which shares of its measured latencies the steady one of a system lies that never settled, if nothing else is wrong with its
/// trials: what was measured is among its levels, and a percentile is taken to move as far as the median did.
pub fn restless_latency(system: &str, trials: &[&TrialRecord]) -> Option<(f64, f64)> {
    let mut widest = 1.0_f64;
    for (_, levels) in known_levels(system, trials)? {
        let medians = levels.iter().map(|level| level.latency_p50_ns);
        let medians: Vec<f64> = medians.collect::<Option<_>>()?;
        let least = medians.iter().copied().fold(f64::INFINITY, f64::min);
        let most = medians.iter().copied().fold(0.0, f64::max);
        widest = widest.max(most / least);
    }
    widest.is_finite().then_some((1.0 / widest, widest))
}

/// The trials of a system that never settled, each with the levels between which it went; `None` where it settled, where something else is
/// wrong with its trials, and where the levels of one are not known.
fn known_levels<'t>(system: &str, trials: &[&'t TrialRecord]) -> Option<Vec<(&'t TrialRecord, &'t [Level])>> {
    let is_other = failing(system, trials)
        .or_else(|| invalid(system, trials))
        .is_some();
    if is_other || never_steady(system, trials).is_none() {
        return None;
    }
    let own = counted(system, trials).into_iter();
    let levels = own.filter(|trial| trial.conditions.never_steady()).map(|trial| {
        let steady = trial.conditions.steady.as_ref()?;
        // One level that drifts, or pauses, say nothing of how far it went.
        let are_known = steady.levels.len() >= 2 && !steady.is_judged_by_pauses();
        are_known.then_some((trial, steady.levels.as_slice()))
    });
    levels.collect()
}

/// The completed trials of a system.
pub fn counted<'t>(system: &str, trials: &[&'t TrialRecord]) -> Vec<&'t TrialRecord> {
    let counts =
        |trial: &&&TrialRecord| trial.system.name == system && trial.status == TrialStatus::Completed;
    trials.iter().filter(counts).copied().collect()
}

/// Why no verdict about the measured phase rests on these trials of a system; `None` when nothing forbids one.
pub fn unreliable(system: &str, trials: &[&TrialRecord]) -> Option<Unreliable> {
    // Trials that lost too much are invalid, too: how much they lost says more.
    failing(system, trials)
        .or_else(|| invalid(system, trials))
        .or_else(|| never_steady(system, trials))
}

/// Says so when a trial of a system that counts is marked invalid: no verdict rests on it.
pub fn invalid(system: &str, trials: &[&TrialRecord]) -> Option<Unreliable> {
    let counted = counted(system, trials);
    let first = |trial: &&TrialRecord| Some(trial.invalid_because().first()?.code.to_owned());
    let codes: Vec<String> = counted.iter().filter_map(first).collect();
    let because = Defect::Invalid {
        invalid: codes.len(),
        codes: codes.iter().cloned().collect(),
    };
    (!codes.is_empty()).then(|| Unreliable::new(system, &counted, because))
}

/// Says so when so many operations of a system had no answer that neither its throughput nor its p99, which falls on them,
/// stands for the work: of all its trials together, or of one in two.
pub fn failing(system: &str, trials: &[&TrialRecord]) -> Option<Unreliable> {
    let counted = counted(system, trials);
    let measured = || counted.iter().filter_map(|trial| trial.measure.as_ref());
    let all = attempted(measured().flat_map(|measure| measure.operations.values()));
    let lost = counted.iter().filter(|trial| {
        let measure = trial.measure.as_ref();
        measure.is_some_and(|measure| measure.share_lost_to_errors(trial.spec.clients) >= MOST_LOST)
    });
    let lost = lost.count();
    if all.failure_share() >= MOST_LOST {
        let because = Defect::NoAnswers {
            share: all.failure_share(),
            p99_ns: all.percentile(99.0).map(Quantile::ns),
        };
        return Some(Unreliable::new(system, &counted, because));
    }
    (lost > 0 && 2 * lost >= counted.len())
        .then(|| Unreliable::new(system, &counted, Defect::LostToErrors(lost)))
}

/// Says so when a system reached no steady state in half of its trials or more.
pub fn never_steady(system: &str, trials: &[&TrialRecord]) -> Option<Unreliable> {
    let counted = counted(system, trials);
    let restless = counted
        .iter()
        .filter(|trial| trial.conditions.never_steady())
        .count();
    (restless > 0 && restless as f64 >= NEVER_STEADY_SHARE * counted.len() as f64)
        .then(|| Unreliable::new(system, &counted, Defect::NeverSteady(restless)))
}

impl Unreliable {
    fn new(system: &str, counted: &[&TrialRecord], because: Defect) -> Self {
        Self {
            system: system.to_owned(),
            trials: counted.len(),
            because,
        }
    }
}
