//! Findings of all trials, each reported once instead of once per trial.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dbdyno_lint::Certainty;
use dbdyno_record::{Finding, Severity, TrialRecord, codes};

use super::merged::{Said, TrialLevels, merged};
use super::{Failure, FindingGroup, System};
use crate::StudyResults;
use crate::printed::{cell, is_in, printed};

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
    let said = members.iter().map(|(trial, finding)| Said {
        place: "",
        message: &finding.message,
        levels: TrialLevels::of(trial),
    });
    FindingGroup {
        code: code.to_owned(),
        severity,
        title: merged(code, &said.collect::<Vec<_>>()),
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

/// The same with what the linter finds, which judges these results by the rules that it has for everybody's. Each group lists its
/// systems in the order of these.
pub fn with_lint(
    mut groups: Vec<FindingGroup>,
    results: &StudyResults,
    systems: &[System],
) -> Vec<FindingGroup> {
    let found = dbdyno_lint::check(&printed(results));
    let trials = results.trials.iter();
    let levels: BTreeMap<String, TrialLevels> = trials
        .map(|trial| (cell(trial), TrialLevels::of(trial)))
        .collect();
    groups.extend(
        found
            .chunk_by(|a, b| a.rule == b.rule)
            .map(|same| linted(same, &results.trials, &levels)),
    );
    groups.sort_by_key(|group| Reverse(group.severity));
    let place = |name: &String| systems.iter().position(|own| own.name == *name);
    for group in &mut groups {
        group.systems.sort_by_key(place);
    }
    groups
}

/// The levels of the trials at a place: it begins with the name of their cell.
fn levels_at(place: &str, of_cells: &BTreeMap<String, TrialLevels>) -> TrialLevels {
    let mut name = place;
    loop {
        if let Some(levels) = of_cells.get(name) {
            return levels.clone();
        }
        let Some((before, _)) = name.rsplit_once(", ") else {
            return TrialLevels::default();
        };
        name = before;
    }
}

fn linted(
    same: &[dbdyno_lint::Finding],
    trials: &[TrialRecord],
    of_cells: &BTreeMap<String, TrialLevels>,
) -> FindingGroup {
    let severity = match same[0].certainty {
        Certainty::Certain => Severity::Invalid,
        Certainty::Likely => Severity::Warning,
        Certainty::Notice => Severity::Note,
    };
    let cases = same.iter().flat_map(|finding| {
        let others = finding.also.iter().map(|case| (&case.place, &case.arithmetic));
        std::iter::once((&finding.place, &finding.arithmetic)).chain(others)
    });
    let said = cases.map(|(place, arithmetic)| Said {
        // What concerns all of it needs no place.
        place: if place == PROTOCOL { "" } else { place },
        message: arithmetic,
        levels: levels_at(place, of_cells),
    });
    let said: Vec<Said<'_>> = said.collect();
    let messages: Vec<String> = said
        .iter()
        .map(|said| match said.place {
            "" => said.message.to_owned(),
            place => format!("{place}: {}", said.message),
        })
        .collect();
    let places = || same.iter().flat_map(dbdyno_lint::Finding::places);
    let concerned =
        |trial: &&TrialRecord| places().any(|place| place == PROTOCOL || is_in(place, &cell(trial)));
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
        title: merged(&code, &said),
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
