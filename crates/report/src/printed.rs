//! Our own results, as the rules of the linter take them: the same rules that judge others.

use std::collections::BTreeMap;

use dbdyno_lint::{Line, Part, Printed, Protocol, Repeats};
use dbdyno_record::{OperationRecord, TrialRecord, TrialStatus};

use crate::StudyResults;

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
        repeats.values.extend(line.throughput);
    }
    Printed {
        repeats: repeats.into_values().collect(),
        protocol: Protocol {
            // A line is one trial, not a mean of several.
            runs: Some(1),
            operations: lines.iter().filter_map(|(_, line)| line.operations).collect(),
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

/// What trials must share to be runs of the same thing.
pub fn cell(trial: &TrialRecord) -> String {
    let factors = trial
        .factors
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "system" | "workload"));
    let factors: String = factors
        .map(|(name, value)| format!(", {name} = {value}"))
        .collect();
    format!("{}, workload {}{factors}", trial.system.name, trial.workload.name)
}

fn line(trial: &TrialRecord) -> Option<Line> {
    let measure = trial.measure.as_ref()?;
    let answered = |operation: &OperationRecord| operation.known_service().count() as f64;
    let parts: Vec<Part> = measure
        .operations
        .iter()
        .filter_map(|(kind, operation)| {
            Some(Part {
                kind: kind.clone(),
                count: answered(operation),
                mean_latency_us: operation.known_service().mean_ns()? / 1e3,
            })
        })
        .collect();
    let operations: f64 = parts.iter().map(|part| part.count).sum();
    // What is answered in the drain keeps clients busy beyond the phase.
    let run_time_s = measure.whole_ns() as f64 / 1e9;
    (operations > 0.0 && run_time_s > 0.0).then(|| Line {
        table: cell(trial),
        place: format!("{}, trial {}", cell(trial), trial.trial),
        operations: Some(operations),
        run_time_s: Some(run_time_s),
        throughput: Some(operations / run_time_s),
        // An imported result may not say how many there were.
        clients: Some(f64::from(trial.settings.clients)).filter(|clients| *clients > 0.0),
        throttled: trial.settings.rate.is_some(),
        mix: Vec::new(),
        parts,
    })
}
