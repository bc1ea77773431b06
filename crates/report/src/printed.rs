//! Our own results, as the rules of the linter take them: the same rules that judge others.

use std::collections::BTreeMap;

use dbdyno_lint::{Certainty, Figure, Line, Part, Printed, Protocol, Repeats};
use dbdyno_record::finding::FiguresDisagree;
use dbdyno_record::{Finding, OperationRecord, Severity, TrialRecord, TrialStatus};

use crate::StudyResults;

pub use dbdyno_analysis::cell_name as cell;

/// What a result folder says, for the linter. Trials of one system under one workload are runs of the same thing.
#[must_use]
pub fn printed(results: &StudyResults) -> Printed {
    let mut trials: Vec<&TrialRecord> = results
        .trials
        .iter()
        .filter(|trial| trial.status != TrialStatus::Disturbed)
        .collect();
    trials.sort_by(|a, b| cell(a).cmp(&cell(b)).then_with(|| a.trial.cmp(&b.trial)));
    let lines: Vec<(&TrialRecord, Line)> = trials
        .iter()
        .filter_map(|trial| line(trial).map(|line| (*trial, line)))
        .collect();
    let mut repeats: BTreeMap<String, Repeats> = BTreeMap::new();
    for (trial, line) in &lines {
        let repeats = repeats.entry(cell(trial)).or_insert_with(|| Repeats {
            place: cell(trial),
            what: "operations a second".to_owned(),
            values: Vec::new(),
        });
        repeats.values.extend(line.throughput.map(Figure::value));
    }
    Printed {
        repeats: repeats.into_values().collect(),
        protocol: Protocol {
            // A line is one trial, not a mean of several.
            runs: Some(1),
            operations: lines
                .iter()
                .filter_map(|(_, line)| line.operations.map(Figure::value))
                .collect(),
            records: lines
                .iter()
                .map(|(trial, _)| trial.workload.records as f64)
                .collect(),
            ..Protocol::default()
        },
        lines: lines.into_iter().map(|(_, line)| line).collect(),
        ..Printed::default()
    }
}

/// Marks trials whose numbers cannot be true as invalid, so that no answer rests on them.
pub fn mark_impossible(results: &mut StudyResults) {
    let findings = dbdyno_lint::check(&printed(results));
    let certain = findings
        .iter()
        .filter(|finding| finding.certainty == Certainty::Certain);
    for finding in certain {
        for trial in &mut results.trials {
            let own = place(trial);
            let is_of_trial = |place: &str| place == own || place.starts_with(&format!("{own}, "));
            if finding.places().any(is_of_trial) {
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

/// How a trial's line is called.
fn place(trial: &TrialRecord) -> String {
    format!("{}, trial {}", cell(trial), trial.trial)
}

/// Whether a place of the linter is this cell, lies in it, or lists it among others. `workload a` is no part of `workload abc`.
pub fn is_in(place: &str, cell: &str) -> bool {
    place.match_indices(cell).any(|(start, _)| {
        let (before, after) = (&place[..start], &place[start + cell.len()..]);
        let begins = before.is_empty() || before.ends_with(", ") || before.ends_with(" and ");
        begins && (after.is_empty() || after.starts_with(", ") || after.starts_with(" and "))
    })
}

/// Percentiles that the linter looks at: those that logs of other tools print.
const PERCENTILES: [f64; 5] = [50.0, 90.0, 95.0, 99.0, 99.9];

fn line(trial: &TrialRecord) -> Option<Line> {
    let Some(measure) = &trial.measure else {
        return load(trial);
    };
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
        table: cell(trial),
        place: place(trial),
        operations: Some(operations.into()),
        run_time_s: Some(run_time_s.into()),
        throughput: Some((operations / run_time_s).into()),
        rate: trial.settings.rate.map(Figure::exact),
        from_send: true,
        otherwise_s: otherwise_s(trial, measure.operations.values(), measure.drain.duration_ns),
        records: None,
        all: Part::default(),
        contradictions: contradictions(trial),
        // An imported result may not say how many there were.
        clients: Some(f64::from(trial.settings.clients)).filter(|clients| *clients > 0.0),
        throttled: trial.settings.rate.is_some(),
        mix: Vec::new(),
        parts,
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
    (elsewhere_ns + f64::from(trial.settings.clients) * drain_ns as f64) / 1e9
}

/// The load of a trial that measured nothing else, as of an imported log.
fn load(trial: &TrialRecord) -> Option<Line> {
    let load = trial.load.as_ref()?;
    let part = part("insert", &load.inserts, 0)?;
    let run_time_s = load.duration_ns as f64 / 1e9;
    (run_time_s > 0.0).then(|| Line {
        table: cell(trial),
        place: place(trial),
        operations: part.count,
        run_time_s: Some(run_time_s.into()),
        throughput: part.count.map(|count| count * (1.0 / run_time_s)),
        clients: Some(f64::from(trial.settings.clients)).filter(|clients| *clients > 0.0),
        from_send: true,
        otherwise_s: otherwise_s(trial, std::iter::once(&load.inserts), 0),
        contradictions: contradictions(trial),
        parts: vec![part],
        ..Line::default()
    })
}

/// What an imported log says twice, and differently.
fn contradictions(trial: &TrialRecord) -> Vec<String> {
    let reported = trial
        .findings
        .iter()
        .filter(|finding| finding.is::<FiguresDisagree>());
    let reported = reported.map(Finding::message);
    reported.chain(slices_that_disagree(trial)).collect()
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

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn a_place_is_in_its_own_cell_only() {
        for (place, cell, expected) in [
            ("redb, workload a", "redb, workload a", true),
            (
                "redb, workload a, trial 001-redb-a, read",
                "redb, workload a",
                true,
            ),
            ("redb, workload abramova-g, run 2", "redb, workload a", false),
            (
                "redb, workload a, clients = 16",
                "redb, workload a, clients = 1",
                false,
            ),
            ("fjall, workload a and redb, workload a", "redb, workload a", true),
            (
                "fjall, workload a, redb, workload a and x, workload a",
                "redb, workload a",
                true,
            ),
        ] {
            assert_eq!(is_in(place, cell), expected, "{place} in {cell}");
        }
    }
}
