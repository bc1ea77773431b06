//! Our own results, as the rules of the linter take them: the same rules that judge others.

use dbdyno_lint::{Certainty, Figure, Line, Part, Place, Printed, Protocol, Repeats};
use dbdyno_record::finding::FiguresDisagree;
use dbdyno_record::{Finding, MeasureRecord, OperationRecord, Severity, TrialRecord, TrialStatus};
use dbdyno_trial::Origin;

use crate::StudyResults;
use crate::model::sentences::MIX;
use crate::number;

pub use dbdyno_analysis::cell_name as cell;

/// What a result folder says, for the linter: a row is a trial, by its place among them. Trials of one system under one workload are
/// runs of the same thing.
#[must_use]
pub fn printed(results: &StudyResults) -> Printed {
    of_trials(&results.trials)
}

fn of_trials(all: &[TrialRecord]) -> Printed {
    let mut trials: Vec<(usize, &TrialRecord)> = all
        .iter()
        .enumerate()
        .filter(|(_, trial)| trial.status != TrialStatus::Disturbed)
        .collect();
    trials.sort_by_cached_key(|(_, trial)| (cell(trial), &trial.trial));
    let (records, lines): (Vec<f64>, Vec<Line>) = trials
        .into_iter()
        .filter_map(|(row, trial)| Some((trial.workload.records as f64, line(row, trial)?)))
        .unzip();
    let cells = lines.chunk_by(|a, b| a.table == b.table);
    let repeats = cells.map(|cell| Repeats {
        place: Place::around(&cell[0].table, cell.iter().map(|line| &line.place)),
        what: "operations a second".to_owned(),
        values: figures(cell, |line| line.throughput),
    });
    Printed {
        repeats: repeats.collect(),
        protocol: Protocol {
            // A line is one trial, not a mean of several.
            runs: Some(1),
            operations: figures(&lines, |line| line.operations),
            records,
            ..Protocol::default()
        },
        lines,
        ..Printed::default()
    }
}

fn figures(lines: &[Line], of: impl Fn(&Line) -> Option<Figure>) -> Vec<f64> {
    let figures = lines.iter().filter_map(of);
    figures.map(Figure::value).collect()
}

/// Marks trials whose numbers cannot be true as invalid, so that no answer rests on them.
pub fn mark_impossible(trials: &mut [TrialRecord]) {
    let findings = dbdyno_lint::check(&of_trials(trials));
    let certain = findings
        .iter()
        .filter(|finding| finding.certainty == Certainty::Certain);
    for finding in certain {
        for (row, trial) in trials.iter_mut().enumerate() {
            if finding.places().any(|place| place.is_about(row)) {
                trial.findings.push(Finding::in_words(
                    Severity::Invalid,
                    format!("lint.{}", finding.rule),
                    finding.arithmetic.clone(),
                    finding.explanation.clone(),
                ));
            }
        }
    }
}

/// Percentiles that the linter looks at: those that logs of other tools print.
const PERCENTILES: [f64; 5] = [50.0, 90.0, 95.0, 99.0, 99.9];

fn line(row: usize, trial: &TrialRecord) -> Option<Line> {
    let line = match &trial.measure {
        Some(measure) => measured(trial, measure),
        None => load(trial),
    }?;
    Some(Line {
        table: cell(trial),
        place: Place::row(row, format!("{}, trial {}", cell(trial), trial.trial)),
        from_send: true,
        contradictions: contradictions(trial),
        // An imported result may not say how many there were.
        clients: Some(f64::from(trial.spec.clients)).filter(|clients| *clients > 0.0),
        ..line
    })
}

fn measured(trial: &TrialRecord, measure: &MeasureRecord) -> Option<Line> {
    let whole = measure.operations.get("read-modify-write");
    let halves = whole.map_or(0, |operation| operation.ok);
    let parts: Vec<Part> = measure
        .operations
        .iter()
        .filter_map(|(kind, operation)| part(kind, operation, halves))
        .collect();
    let operations: f64 = parts
        .iter()
        .filter_map(|part| part.count.map(Figure::value))
        .sum();
    // What is answered in the drain keeps clients busy beyond the phase.
    let run_time_s = measure.whole_ns() as f64 / 1e9;
    (operations > 0.0 && run_time_s > 0.0).then(|| Line {
        operations: Some(operations.into()),
        run_time_s: Some(run_time_s.into()),
        throughput: Some((operations / run_time_s).into()),
        rate: trial.spec.rate().map(Figure::exact),
        otherwise_s: otherwise_s(trial, measure.operations.values(), measure.drain.duration_ns),
        throttled: trial.spec.rate().is_some(),
        parts,
        ..Line::default()
    })
}

/// What clients did beside these operations, seconds of all of them together: operations that failed or were never answered, the
/// drain that they waited for, and the tool's own part of each operation.
fn otherwise_s<'a>(
    trial: &TrialRecord,
    operations: impl Iterator<Item = &'a OperationRecord>,
    drain_ns: u64,
) -> f64 {
    let of_operation = |operation: &OperationRecord| {
        let failed = operation.known_failed();
        let unfinished = operation.unfinished.as_ref();
        let waited = unfinished.and_then(|waited| Some(waited.mean_ns()? * waited.count() as f64));
        let of_the_tool = trial.floor.operation_ns * operation.attempts() as f64;
        failed.mean_ns().unwrap_or(0.0) * failed.count() as f64 + waited.unwrap_or(0.0) + of_the_tool
    };
    let elsewhere_ns: f64 = operations.map(of_operation).sum();
    (elsewhere_ns + f64::from(trial.spec.clients) * drain_ns as f64) / 1e9
}

/// The load of a trial that measured nothing else, as of an imported log.
fn load(trial: &TrialRecord) -> Option<Line> {
    let load = trial.load.as_ref()?;
    let part = part("insert", &load.inserts, 0)?;
    let run_time_s = load.duration_ns as f64 / 1e9;
    (run_time_s > 0.0).then(|| Line {
        operations: part.count,
        run_time_s: Some(run_time_s.into()),
        throughput: part.count.map(|count| count * (1.0 / run_time_s)),
        otherwise_s: otherwise_s(trial, std::iter::once(&load.inserts), 0),
        parts: vec![part],
        ..Line::default()
    })
}

/// What a trial says twice, and differently.
fn contradictions(trial: &TrialRecord) -> Vec<String> {
    let reported = trial
        .findings
        .iter()
        .filter(|finding| finding.is::<FiguresDisagree>());
    let reported = reported.map(Finding::message);
    reported
        .chain(slices_that_disagree(trial))
        .chain(kinds_that_disagree(trial))
        .collect()
}

/// Slices are parts of the measured phase: together they hold its operations. At a rate, those that were answered in the drain of a
/// slice are among them.
fn slices_that_disagree(trial: &TrialRecord) -> Option<String> {
    let interleaving = trial.conditions.interleaving.as_ref()?;
    let measure = trial.measure.as_ref()?;
    let in_slices: u64 = interleaving.slices.iter().map(|slice| slice.ok).sum();
    let in_time = measure.ok_in_time();
    let in_all: u64 = measure.operations.values().map(|operation| operation.ok).sum();
    (!(in_time..=in_all).contains(&in_slices)).then(|| {
        format!(
            "{} slices hold {in_slices} successful operations together, the measured phase {in_time}",
            interleaving.slices.len()
        )
    })
}

/// Standard deviations of a count of one kind that nobody ascribes to chance.
const BEYOND_CHANCE: f64 = 8.0;
/// A share of all operations that is no contradiction by itself: the slices of a trial may draw the same kinds once more, so that
/// chance is greater than that of independent draws.
const NO_CONTRADICTION: f64 = 0.02;

/// Each operation of ours has its kind drawn from the proportions of the workload, so their counts follow these, but for chance and
/// what was in flight at the end. Logs of other tools may leave proportions out.
fn kinds_that_disagree(trial: &TrialRecord) -> Option<String> {
    if matches!(trial.spec.origin, Origin::Log { .. }) {
        return None;
    }
    let measure = trial.measure.as_ref()?;
    let mut weights: Vec<(&str, f64)> = Vec::new();
    for (key, kind) in MIX {
        let Some(stated) = trial.workload.properties.get(key) else {
            continue;
        };
        match stated.parse::<f64>() {
            Ok(weight) if weight.is_finite() && weight >= 0.0 => weights.push((kind, weight)),
            _ => {
                return Some(format!(
                    "the workload states {key}={stated}, which is no proportion"
                ));
            }
        }
    }
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let sent = |kind: &str| {
        measure.operations.get(kind).map_or(0, |operation| {
            let unfinished = operation.unfinished.as_ref().map_or(0, |waited| waited.count());
            operation.attempts().saturating_add(unfinished)
        }) as f64
    };
    let total: f64 = measure.operations.keys().map(|kind| sent(kind)).sum();
    if weights.is_empty() || total <= 0.0 {
        return None;
    }
    if sum <= 0.0 {
        return Some("all proportions of the workload are zero".to_owned());
    }
    let differing = weights.iter().filter_map(|(kind, weight)| {
        let share = weight / sum;
        let chance = BEYOND_CHANCE * (total * share * (1.0 - share)).sqrt() + f64::from(trial.spec.clients);
        let is_apart = (sent(kind) - total * share).abs() > chance.max(NO_CONTRADICTION * total);
        is_apart.then(|| {
            let (measured, stated) = (number::share(sent(kind) / total), number::share(share));
            format!("{kind} is {measured} of the operations, but the workload states {stated}")
        })
    });
    let differing: Vec<String> = differing.collect();
    (!differing.is_empty()).then(|| differing.join("; "))
}

/// One kind; `halves` are those of read-modify-writes, which other tools time with the reads and updates.
fn part(kind: &str, operation: &OperationRecord, halves: u64) -> Option<Part> {
    let service = operation.known_service();
    let count = if service.count() == operation.ok + halves {
        operation.ok
    } else {
        service.count()
    };
    let us = |ns: u64| Figure::exact(ns as f64 / 1e3);
    let percentiles = PERCENTILES.iter().zip(service.percentiles_ns(&PERCENTILES));
    // YCSB up to 0.1.4 counts failures among the operations that it has latencies of.
    let with_failures = operation.ok + operation.error_count();
    let succeeded = if count == with_failures {
        with_failures
    } else {
        operation.ok
    };
    Some(Part {
        succeeded: Some(Figure::exact(succeeded as f64)),
        counts_successes: true,
        min_latency_us: service.percentile_ns(0.0).map(us),
        max_latency_us: service.percentile_ns(100.0).map(us),
        percentiles_us: percentiles
            .filter_map(|(percentile, ns)| Some((*percentile, us(ns?))))
            .collect(),
        ..Part::new(&kind.replace('-', "_"), count as f64, service.mean_ns()? / 1e3)
    })
}
