//! One cell: the trials of all systems at one workload and one level of every other factor.

use std::collections::BTreeSet;

use dbdyno_record::{
    Attempted, ClientCost, KnownLatency, OperationRecord, Quantile, TrialRecord, TrialStatus, attempted,
};
use dbdyno_trial::FactorLevels;
use dbdyno_vocabulary::ALL_OPERATIONS;

use super::compared::{self, MeasuredTrial};
use super::core_modes::compared_throughput;
use super::evidence::summarise_trials;
use super::metric::COMPARED;
use super::rates::{load_throughput, throughput};
use super::speed::follows_the_machine;
use super::starts::median;
use super::{
    CellSystem, ClientSummary, CoreModes, CurvePoint, Levels, MachineSpeed, Metric, OperationSummary, Pace,
    PacingSummary, ParkedUse, Summary, SwitchCost, System, TABLE_PERCENTILES, TrialCurve, TrialRow, bounds,
    curve, distribution, timeline, validity,
};
use crate::StudyResults;
use crate::generators::GeneratorUse;
use crate::input::MOST_SHOWN_ALONE;

/// Every how many points a single trial's curve has one of the merged curve's.
const TRIAL_CURVE_STEP: usize = 2;

/// What a cell is made from.
pub struct CellContext<'a> {
    /// All systems of the study.
    pub systems: &'a [System],
    /// For the timelines.
    pub results: &'a StudyResults,
    /// Points of a timeline at most.
    pub most_points: usize,
    /// Whether the study has too many trials to draw each of them as a line.
    pub pooled: bool,
    /// What throughput owes to the speed of the machine.
    pub speed: Option<&'a MachineSpeed>,
    /// The same where tests are compared with each other.
    pub between_tests: Option<&'a MachineSpeed>,
    /// Where the CPUs of the machine ran.
    pub modes: Option<&'a CoreModes>,
    /// The cell's trials in order of execution.
    pub trials: Vec<&'a TrialRecord>,
    /// Levels of the factors that vary, without system and workload.
    pub factors: FactorLevels,
}

/// The trials that count: repetitions take the place of disturbed ones.
pub fn counted<'a>(trials: &[&'a TrialRecord]) -> Vec<&'a TrialRecord> {
    let counted = trials.iter().copied();
    counted
        .filter(|trial| trial.status != TrialStatus::Disturbed)
        .collect()
}

/// One system in the cell, as its trials measured it.
pub fn cell_system(context: &CellContext<'_>, system: &System) -> CellSystem {
    let mut trials: Vec<&TrialRecord> = context
        .trials
        .iter()
        .copied()
        .filter(|trial| trial.system.name == system.name)
        .collect();
    trials.sort_by_key(|trial| (trial.block, trial.position));
    let completed: Vec<&TrialRecord> = trials
        .iter()
        .copied()
        .filter(|trial| trial.status == TrialStatus::Completed)
        .collect();
    let operations = operations(&completed);
    let throughput = summary_of(&completed, throughput);
    let measured: Vec<MeasuredTrial<'_>> = trials.iter().map(|trial| MeasuredTrial::new(trial)).collect();
    let follows = completed.iter().all(|trial| follows_the_machine(trial));
    let speed = context.speed.filter(|_| follows);
    let compared = compared(&measured, speed, context.modes);
    let levelled = speed.and(compared.iter().find(|(metric, _)| *metric == Metric::Throughput));
    let levelled = levelled.map(|(_, summary)| summary.clone());
    let between_tests = context.between_tests.filter(|_| follows).and_then(|speed| {
        summary_of(&completed, |trial| {
            speed.levelled(trial, compared_throughput(context.modes, trial)?)
        })
    });
    CellSystem {
        name: system.name.clone(),
        color: system.color,
        product: products(&trials),
        durability: Levels::new(trials.iter().map(|trial| trial.system.durability)),
        consistency: Levels::new(trials.iter().map(|trial| trial.system.consistency)),
        trials: measured
            .iter()
            .map(|measured| row(measured, throughput.as_ref()))
            .collect(),
        throughput,
        levelled,
        compared,
        between_tests,
        load: summary_of(&completed, load_throughput),
        client: client(&completed),
        parked: ParkedUse::of(&completed),
        switch: SwitchCost::of(&completed),
        generators: GeneratorUse::of(&completed),
        doubt: validity::unreliable(&system.name, &trials),
        unreliable: None,
        pace: Pace::of(completed.iter().copied()),
        pacing: pacing(&completed),
        operations,
        distribution: match trials.as_slice() {
            [only] if context.results.trials.len() <= MOST_SHOWN_ALONE => {
                let over_time = context.results.latency_over_time.get(&only.trial);
                distribution::distribution(only, over_time)
            }
            _ => None,
        },
        timelines: trials
            .iter()
            .filter_map(|trial| {
                let rows = context.results.timelines.get(&trial.trial)?;
                let steady = trial.conditions.steady.as_ref();
                let levels = steady.map_or(&[][..], |steady| &steady.levels);
                timeline::timeline(&trial.trial, levels, rows, context.most_points)
            })
            .collect(),
    }
}

/// The product and version that the trials read back, all of them where they changed.
fn products(trials: &[&TrialRecord]) -> String {
    let products: BTreeSet<String> = trials
        .iter()
        .map(|trial| format!("{} {}", trial.system.product, trial.system.version))
        .map(|product| product.trim().to_owned())
        .filter(|product| !product.is_empty())
        .collect();
    products.into_iter().collect::<Vec<_>>().join(" or ")
}

/// What a trial's histogram of one kind of operation is asked for, so that the histogram need not be kept.
struct TrialLatency<'a> {
    trial: &'a TrialRecord,
    p50: Option<Quantile>,
    p99: Option<Quantile>,
    curve: Vec<CurvePoint>,
}

impl<'a> TrialLatency<'a> {
    fn new(trial: &'a TrialRecord, latency: &Attempted<'_>) -> Self {
        Self {
            trial,
            p50: latency.percentile(50.0),
            p99: latency.percentile(99.0),
            curve: curve::curve(latency.answered(), TRIAL_CURVE_STEP),
        }
    }
}

fn summary_of(trials: &[&TrialRecord], of: impl Fn(&TrialRecord) -> Option<f64>) -> Option<Summary> {
    let values: Vec<(&TrialRecord, f64)> = trials
        .iter()
        .filter_map(|trial| Some((*trial, of(trial)?)))
        .collect();
    summarise_trials(&values)
}

/// What comparisons of each metric rest on.
fn compared(
    measured: &[MeasuredTrial<'_>],
    speed: Option<&MachineSpeed>,
    modes: Option<&CoreModes>,
) -> Vec<(Metric, Summary)> {
    let completed = || {
        measured
            .iter()
            .filter(|own| own.trial.status == TrialStatus::Completed)
    };
    let of_metric = |metric: Metric| {
        let value = |own: &MeasuredTrial<'_>| compared::value(metric, own, speed, modes);
        let values: Vec<(&TrialRecord, f64)> = completed()
            .filter_map(|own| Some((own.trial, value(own)?)))
            .collect();
        Some((metric, summarise_trials(&values)?))
    };
    COMPARED.into_iter().filter_map(of_metric).collect()
}

fn row(&MeasuredTrial { trial, p50, p99 }: &MeasuredTrial<'_>, summary: Option<&Summary>) -> TrialRow {
    let operations = || {
        trial
            .measure
            .iter()
            .flat_map(|measure| measure.operations.values())
    };
    TrialRow {
        trial: trial.trial.clone(),
        block: trial.block,
        position: trial.position,
        seed: trial.seed,
        status: trial.status.state(),
        throughput: throughput(trial),
        p50_ns: p50.map(Quantile::ns),
        p99_ns: p99.map(Quantile::ns),
        at_least: bounds::of_trials(&[(p50, p99)]),
        ok: operations().map(|operation| operation.ok).sum(),
        not_found: operations().map(|operation| operation.not_found).sum(),
        errors: operations().map(OperationRecord::error_count).sum(),
        outlier: summary
            .and_then(|summary| summary.values.iter().find(|value| value.trial == trial.trial))
            .and_then(|value| value.outlier.clone()),
    }
}

fn operations(trials: &[&TrialRecord]) -> Vec<OperationSummary> {
    let mut names: Vec<&str> = trials
        .iter()
        .flat_map(|trial| {
            trial
                .measure
                .iter()
                .flat_map(|measure| measure.operations.keys().map(String::as_str))
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Vec::new();
    }
    let mut summaries = vec![operation(ALL_OPERATIONS, trials, |trial| {
        trial
            .measure
            .iter()
            .flat_map(|measure| measure.operations.values())
            .collect()
    })];
    // With a single kind, its name says everything already.
    if names.len() > 1 {
        for name in names {
            summaries.push(operation(name, trials, |trial| {
                trial
                    .measure
                    .iter()
                    .filter_map(|measure| measure.operations.get(name))
                    .collect()
            }));
        }
    } else {
        summaries[0].name = names[0].to_owned();
    }
    summaries
}

fn operation<'a>(
    name: &str,
    trials: &[&'a TrialRecord],
    of: impl Fn(&'a TrialRecord) -> Vec<&'a OperationRecord>,
) -> OperationSummary {
    let mut total = OperationRecord::default();
    let mut latency = Attempted::default();
    let mut service = KnownLatency::default();
    let mut per_trial: Vec<TrialLatency<'_>> = Vec::new();
    let has_response = trials
        .iter()
        .any(|trial| of(trial).iter().any(|record| record.has_response()));
    for &trial in trials {
        let records = of(trial);
        for record in &records {
            total.ok += record.ok;
            total.not_found += record.not_found;
            total.too_early += record.too_early;
            total.verification_failures += record.verification_failures;
            for (class, count) in &record.errors {
                *total.errors.entry(class.clone()).or_default() += count;
            }
            if has_response {
                service.merge(&record.known_service());
            }
        }
        let own = attempted(records.iter().copied());
        latency.merge(&own);
        per_trial.push(TrialLatency::new(trial, &own));
    }
    let at = |of: fn(&TrialLatency<'_>) -> Option<Quantile>| {
        let values: Vec<(&TrialRecord, f64)> = per_trial
            .iter()
            .filter_map(|own| Some((own.trial, of(own)?.ns() as f64)))
            .collect();
        summarise_trials(&values)
    };
    let max = latency.percentile(100.0);
    let quantiles: Vec<_> = per_trial.iter().map(|own| (own.p50, own.p99)).collect();
    OperationSummary {
        name: name.to_owned(),
        ok: total.ok,
        not_found: total.not_found,
        too_early: total.too_early,
        errors: total.errors,
        verification_failures: total.verification_failures,
        percentiles: curve::of_all(&latency, &TABLE_PERCENTILES),
        max_ns: max.map(Quantile::ns),
        max_at_least: max.is_some_and(Quantile::is_bound),
        at_least: bounds::of_trials(&quantiles),
        mean_ns: latency.mean_ns(),
        service_percentiles: if has_response {
            curve::percentiles(&service, &TABLE_PERCENTILES)
        } else {
            Vec::new()
        },
        curve: curve::curve(latency.answered(), 1),
        trial_curves: if per_trial.len() > 1 {
            per_trial
                .iter()
                .map(|own| TrialCurve {
                    trial: own.trial.trial.clone(),
                    points: own.curve.clone(),
                })
                .collect()
        } else {
            Vec::new()
        },
        p50: at(|own| own.p50),
        p99: at(|own| own.p99),
    }
}

fn client(trials: &[&TrialRecord]) -> Option<ClientSummary> {
    // An imported result does not know what its client cost.
    let measured = trials.iter().filter_map(|trial| trial.measure.as_ref());
    let measured: Vec<_> = measured
        .filter(|measure| measure.client != ClientCost::default())
        .collect();
    let per_operation = measured
        .iter()
        .filter_map(|measure| {
            let ok: u64 = measure.operations.values().map(|operation| operation.ok).sum();
            (ok > 0).then(|| measure.client.cpu_seconds * 1e9 / ok as f64)
        })
        .collect();
    Some(ClientSummary {
        cpu_share: median(measured.iter().map(|measure| measure.client.cpu_share).collect())?,
        cpu_per_operation_ns: median(per_operation).unwrap_or(f64::NAN),
        peak_memory_bytes: measured
            .iter()
            .map(|measure| measure.client.peak_memory_bytes)
            .max()?,
    })
}

fn pacing(trials: &[&TrialRecord]) -> Option<PacingSummary> {
    let paced: Vec<_> = trials
        .iter()
        .filter_map(|trial| trial.measure.as_ref()?.pacing.as_ref())
        .collect();
    Some(PacingSummary {
        asked_rate: paced.first()?.asked_rate,
        achieved_rate: median(paced.iter().map(|pacing| pacing.achieved_rate).collect())?,
        sustained: paced.iter().filter(|pacing| pacing.sustained).count(),
        trials: paced.len(),
        lag_p99_ns: paced
            .iter()
            .filter_map(|pacing| pacing.scheduling_lag.percentile_ns(99.0))
            .max(),
    })
}

/// A name for links: lower-case letters, digits and single dashes.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() {
        "cell".to_owned()
    } else {
        slug.to_owned()
    }
}
