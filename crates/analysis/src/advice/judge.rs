//! Whether a candidate meets a hard requirement, from what its trials recorded.

use dbdyno_decide::Compliance;
use dbdyno_record::{Fact, OperationRecord, TrialRecord};
use dbdyno_trial::ScanOrder;

use super::budget::budget;
use super::fault::{Fault, fault};
use super::gather::{Candidate, did_work};
use super::integrity::integrity;
use super::judged::{Context, Judged};
use super::kept::objective_kept;
use super::levels;
use super::need::{Requirement, RequirementKind, WorkChoice};
use super::protection::protection;
use super::why::Why;

/// Judges one candidate.
pub fn judge<'a>(
    requirement: &Requirement,
    candidate: &Candidate<'a>,
    context: &Context<'_, 'a>,
) -> Judged<'a> {
    match &requirement.kind {
        RequirementKind::Integrity => integrity(candidate),
        RequirementKind::Durability(wanted) => levels::durability(candidate, *wanted, context),
        RequirementKind::Consistency(wanted) => levels::consistency(candidate, *wanted, context),
        RequirementKind::Nodes(wanted) => levels::nodes(candidate, *wanted, context),
        RequirementKind::OrderedScans => ordered_scans(candidate),
        RequirementKind::Version { of, at_least } => version(candidate, of, at_least),
        RequirementKind::Errors(most) => {
            let works: Vec<&WorkChoice> = context.works.iter().map(|(work, _)| *work).collect();
            errors(candidate, *most, &works)
        }
        RequirementKind::Objective { objective, work } => {
            objective_kept(candidate, objective, work, context.absent(work))
        }
        RequirementKind::Budget(wanted) => budget(candidate, wanted, context),
        RequirementKind::Protection(feature) => protection(candidate, *feature, context),
        RequirementKind::NotMeasured { shown_by } => Judged::new(
            Compliance::NotShown,
            Why::NotRecorded {
                shown_by: shown_by.clone(),
            },
            Vec::new(),
        ),
    }
}

fn ordered_scans<'a>(candidate: &Candidate<'a>) -> Judged<'a> {
    let order = candidate.system.scan_order;
    let compliance = match order {
        Fact::Known(ScanOrder::Key) => Compliance::Shown,
        Fact::Known(ScanOrder::Other | ScanOrder::Unsupported) => Compliance::Violated,
        _ => Compliance::NotShown,
    };
    Judged::of_all(candidate, compliance, Why::ScanOrder(order))
}

fn version<'a>(candidate: &Candidate<'a>, of: &str, wanted: &str) -> Judged<'a> {
    let system = candidate.system;
    let judged = |compliance: Compliance, why: Why| Judged::of_all(candidate, compliance, why);
    let concerned = [&system.name, &system.driver, &system.product];
    if !concerned.iter().any(|name| name.eq_ignore_ascii_case(of)) {
        return judged(Compliance::Shown, Why::OtherProduct(of.to_owned()));
    }
    let numbers = |text: &str| -> Option<Vec<u64>> {
        let end = text
            .find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
            .unwrap_or(text.len());
        text[..end].split('.').map(|part| part.parse().ok()).collect()
    };
    match (numbers(&system.version), numbers(wanted)) {
        (Some(own), Some(wanted)) => judged(
            if own >= wanted {
                Compliance::Shown
            } else {
                Compliance::Violated
            },
            Why::Version(system.version.clone()),
        ),
        _ => judged(Compliance::NotShown, Why::OpaqueVersion(system.version.clone())),
    }
}

fn errors<'a>(candidate: &Candidate<'a>, most: f64, works: &[&WorkChoice]) -> Judged<'a> {
    let mut trials: Vec<(usize, &TrialRecord)> = Vec::new();
    // A trial that is invalid because so much failed shows most.
    let counts = |trial: &TrialRecord| fault(trial) != Some(Fault::Measurement);
    let of_works = works.iter().flat_map(|work| did_work(candidate, work));
    for (source, trial) in of_works.filter(|(_, trial)| counts(trial)) {
        let is_known = trials
            .iter()
            .any(|(known, other)| *known == source && other.trial == trial.trial);
        if !is_known {
            trials.push((source, trial));
        }
    }
    let sum = |of: fn(&OperationRecord) -> u64| -> u64 {
        let measured = trials.iter().filter_map(|(_, trial)| trial.measure.as_ref());
        measured
            .flat_map(|measure| measure.operations.values())
            .map(of)
            .sum()
    };
    let (failed, all) = (sum(OperationRecord::error_count), sum(OperationRecord::attempts));
    let share = failed as f64 / all as f64;
    let compliance = if all == 0 {
        Compliance::NotShown
    } else if share <= most {
        Compliance::Shown
    } else {
        Compliance::Violated
    };
    let why = if all == 0 {
        Why::NoOperations
    } else {
        Why::Failed {
            failed,
            operations: all,
            trials: trials.len(),
        }
    };
    Judged::new(compliance, why, trials)
}
