//! Findings of all trials, each reported once instead of once per trial.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dbdyno_lint::Certainty;
use dbdyno_record::{Finding, Severity, TrialRecord, codes};

use super::{Failure, FindingGroup, merged::merged};
use crate::StudyResults;
use crate::printed::{cell, printed};

/// The place of what concerns all results.
const PROTOCOL: &str = "protocol";

/// How many different messages of one group are kept besides the first.
const OTHER_MESSAGES: usize = 5;

/// A finding and the trial that has it.
type Found<'a> = (&'a TrialRecord, &'a Finding);

/// Groups by code and severity, gravest first, then by name. Trials of a ladder (`climbing`) are meant to go beyond the limit:
/// a rate that was not sustained is no fault of theirs.
pub fn findings(trials: &[TrialRecord], climbing: bool) -> Vec<FindingGroup> {
    let mut groups: BTreeMap<(Reverse<Severity>, &str), Vec<Found<'_>>> = BTreeMap::new();
    for trial in trials {
        let reported = |finding: &&Finding| !(climbing && finding.code == codes::RATE_NOT_SUSTAINED);
        for finding in trial.findings.iter().filter(reported) {
            groups
                .entry((Reverse(finding.severity), &finding.code))
                .or_default()
                .push((trial, finding));
        }
    }
    groups
        .into_iter()
        .map(|((severity, code), members)| group(severity.0, code, &members))
        .collect()
}

fn group(severity: Severity, code: &str, members: &[Found<'_>]) -> FindingGroup {
    let mut messages: Vec<&str> = Vec::new();
    for (_, finding) in members {
        if !messages.contains(&finding.message.as_str()) {
            messages.push(&finding.message);
        }
    }
    let distinct = |of: fn(&TrialRecord) -> &str| -> Vec<String> {
        members
            .iter()
            .map(|(trial, _)| of(trial).to_owned())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    };
    let trials: BTreeSet<&str> = members.iter().map(|(trial, _)| trial.trial.as_str()).collect();
    FindingGroup {
        code: code.to_owned(),
        severity,
        title: merged(code, &messages),
        message: messages[0].to_owned(),
        other_messages: messages
            .iter()
            .skip(1)
            .take(OTHER_MESSAGES)
            .map(|&text| text.to_owned())
            .collect(),
        remedy: members[0].1.remedy.clone(),
        trials: trials.len(),
        systems: distinct(|trial| &trial.system.name),
        workloads: distinct(|trial| &trial.workload.name),
    }
}

/// The same with what the linter finds, which judges these results by the rules that it has for everybody's.
pub fn with_lint(mut groups: Vec<FindingGroup>, results: &StudyResults) -> Vec<FindingGroup> {
    let found = dbdyno_lint::check(&printed(results));
    groups.extend(
        found
            .chunk_by(|a, b| a.rule == b.rule)
            .map(|same| linted(same, &results.trials)),
    );
    groups.sort_by_key(|group| Reverse(group.severity));
    groups
}

fn linted(same: &[dbdyno_lint::Finding], trials: &[TrialRecord]) -> FindingGroup {
    let severity = match same[0].certainty {
        Certainty::Certain => Severity::Invalid,
        Certainty::Likely => Severity::Warning,
        Certainty::Notice => Severity::Note,
    };
    let cases = same.iter().flat_map(|finding| {
        let others = finding.also.iter().map(|case| (&case.place, &case.arithmetic));
        std::iter::once((&finding.place, &finding.arithmetic)).chain(others)
    });
    let messages = cases.map(|(place, arithmetic)| match place.as_str() {
        // What concerns all of it needs no place.
        PROTOCOL => arithmetic.clone(),
        place => format!("{place}: {arithmetic}"),
    });
    let messages: Vec<String> = messages.collect();
    let places = || same.iter().flat_map(dbdyno_lint::Finding::places);
    let concerned =
        |trial: &&TrialRecord| places().any(|place| place == PROTOCOL || place.starts_with(&cell(trial)));
    let distinct = |of: fn(&TrialRecord) -> &str| -> Vec<String> {
        let names: BTreeSet<String> = trials
            .iter()
            .filter(concerned)
            .map(|trial| of(trial).to_owned())
            .collect();
        names.into_iter().collect()
    };
    let code = format!("lint.{}", same[0].rule);
    FindingGroup {
        title: merged(&code, &messages.iter().map(String::as_str).collect::<Vec<_>>()),
        code,
        severity,
        message: messages.first().cloned().unwrap_or_default(),
        other_messages: messages.iter().skip(1).take(OTHER_MESSAGES).cloned().collect(),
        remedy: same[0].explanation.clone(),
        trials: if same[0].place == PROTOCOL {
            trials.len()
        } else {
            places().count()
        },
        systems: distinct(|trial| &trial.system.name),
        workloads: distinct(|trial| &trial.workload.name),
    }
}

/// The failed trials.
pub fn failures(trials: &[TrialRecord]) -> Vec<Failure> {
    trials
        .iter()
        .filter_map(|trial| match &trial.status {
            dbdyno_record::TrialStatus::Failed { reason } => Some(Failure {
                trial: trial.trial.clone(),
                system: trial.system.name.clone(),
                workload: trial.workload.name.clone(),
                reason: reason.clone(),
            }),
            _ => None,
        })
        .collect()
}
