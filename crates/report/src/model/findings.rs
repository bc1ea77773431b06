//! Findings of all trials, each reported once instead of once per trial.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dbdyno_lint::{Certainty, Rows};
use dbdyno_record::finding::RateNotSustained;
use dbdyno_record::{Finding, Severity, TrialRecord};
use dbdyno_vocabulary::Statement;

use super::{Failure, FindingGroup, System};
use crate::StudyResults;
use crate::printed::printed;

/// How many different messages of one group are kept besides the first.
const OTHER_MESSAGES: usize = 5;

/// A finding and the trial that has it.
type Found<'a> = (&'a TrialRecord, &'a Finding);

/// Groups by code and severity, gravest first, then by name. Trials `at_rising_load` are meant to go beyond the limit:
/// a rate that was not sustained is no fault of theirs.
pub fn findings(trials: &[TrialRecord], at_rising_load: bool) -> Vec<FindingGroup> {
    let mut groups: BTreeMap<(Reverse<Severity>, &str), Vec<Found<'_>>> = BTreeMap::new();
    for trial in trials {
        let reported = |finding: &&Finding| !(at_rising_load && finding.is::<RateNotSustained>());
        for finding in trial.findings.iter().filter(reported) {
            groups
                .entry((Reverse(finding.severity), finding.code()))
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
    let statements: Vec<Statement> = members.iter().map(|(_, finding)| finding.statement()).collect();
    let messages: Vec<String> = distinct(statements.iter().map(Statement::to_string));
    let joined = Statement::joined(&statements.iter().collect::<Vec<_>>());
    let names = |of: fn(&TrialRecord) -> &str| -> Vec<String> {
        let names: BTreeSet<&str> = members.iter().map(|(trial, _)| of(trial)).collect();
        names.into_iter().map(str::to_owned).collect()
    };
    let title = joined.unwrap_or_else(|| title(code, &messages));
    let (message, other_messages) = first_and_others(messages);
    FindingGroup {
        code: code.to_owned(),
        severity,
        title,
        message,
        other_messages,
        remedy: members[0].1.remedy().into_owned(),
        trials: names(|trial| &trial.trial).len(),
        systems: names(|trial| &trial.system.name),
        workloads: names(|trial| &trial.workload.name),
    }
}

/// Each of them once, in their order.
fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(text.clone())).collect()
}

/// The first message, and as many others as a page shows.
fn first_and_others(messages: Vec<String>) -> (String, Vec<String>) {
    let mut messages = messages.into_iter();
    let first = messages.next().unwrap_or_default();
    (first, messages.take(OTHER_MESSAGES).collect())
}

/// A title for messages that differ in more than their figures: the first one stands as an example.
fn title(code: &str, messages: &[String]) -> String {
    match messages {
        [] => String::new(),
        [one] => one.clone(),
        [first, ..] => format!("{}: for example, {first}", in_words(code)),
    }
}

/// The code of findings as the beginning of a sentence.
fn in_words(code: &str) -> String {
    let words = code.rsplit('.').next().unwrap_or(code).replace('-', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The same with what the linter finds, which judges these results by the rules that it has for everybody's. Each group lists its
/// systems in the order of these.
pub fn with_lint(
    mut groups: Vec<FindingGroup>,
    results: &StudyResults,
    systems: &[System],
) -> Vec<FindingGroup> {
    let found = dbdyno_lint::check(&printed(results));
    groups.extend(
        found
            .chunk_by(|a, b| a.rule == b.rule)
            .map(|same| linted(same, &results.trials)),
    );
    groups.sort_by_key(|group| Reverse(group.severity));
    let place = |name: &String| systems.iter().position(|own| own.name == *name);
    for group in &mut groups {
        group.systems.sort_by_key(place);
    }
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
    // What concerns all of it needs no place.
    let messages = cases.map(|(place, arithmetic)| match place.rows {
        Rows::All => arithmetic.clone(),
        Rows::These(_) => format!("{place}: {arithmetic}"),
    });
    let messages = distinct(messages);
    let places = || same.iter().flat_map(dbdyno_lint::Finding::places);
    let names = |of: fn(&TrialRecord) -> &str| -> Vec<String> {
        let concerned = trials.iter().enumerate();
        let concerned = concerned.filter(|(row, _)| places().any(|place| place.is_about(*row)));
        let names: BTreeSet<&str> = concerned.map(|(_, trial)| of(trial)).collect();
        names.into_iter().map(str::to_owned).collect()
    };
    let code = format!("lint.{}", same[0].rule);
    let title = title(&code, &messages);
    let (message, other_messages) = first_and_others(messages);
    FindingGroup {
        title,
        code,
        severity,
        message,
        other_messages,
        remedy: same[0].explanation.clone(),
        trials: if same[0].place.rows == Rows::All {
            trials.len()
        } else {
            places().count()
        },
        systems: names(|trial| &trial.system.name),
        workloads: names(|trial| &trial.workload.name),
    }
}

/// The failed trials.
pub fn failures(trials: &[TrialRecord]) -> Vec<Failure> {
    trials
        .iter()
        .filter_map(|trial| match &trial.status {
            dbdyno_record::TrialStatus::Failed { reason, .. } => Some(Failure {
                trial: trial.trial.clone(),
                system: trial.system.name.clone(),
                workload: trial.workload.name.clone(),
                reason: reason.clone(),
            }),
            _ => None,
        })
        .collect()
}
