//! Whether a candidate meets a hard requirement, from what its trials recorded.

use dbdyno_decide::{Standing, held};
use dbdyno_record::{OperationRecord, Severity, TrialRecord};
use dbdyno_stats::Better;

use super::gather::{Candidate, of_work};
use super::need::{Need, Objective, Requirement, RequirementKind, WorkChoice};
use crate::number;

/// How a candidate stands to a requirement, and what that rests on.
pub struct Judged<'a> {
    /// How it stands.
    pub standing: Standing,
    /// Why.
    pub why: String,
    /// The trials that show it.
    pub trials: Vec<(usize, &'a TrialRecord)>,
}

/// The levels of durability, weakest first.
const DURABILITIES: [&str; 3] = ["none", "buffered", "synced"];
/// The levels of consistency, fewest replicas first.
const CONSISTENCIES: [&str; 3] = ["one", "quorum", "all"];

/// Judges one candidate. `works` is all work that counts.
pub fn judge<'a>(requirement: &Requirement, candidate: &Candidate<'a>, works: &[&WorkChoice]) -> Judged<'a> {
    let system = candidate.system;
    let of_all = |standing: Standing, why: String| Judged {
        standing,
        why,
        trials: candidate.trials.clone(),
    };
    match &requirement.kind {
        RequirementKind::Integrity => integrity(candidate),
        RequirementKind::Durability(wanted) => {
            let standing = at_least(&DURABILITIES, &system.durability, wanted);
            let means = &system.durability_means;
            let why = match system.durability.as_str() {
                "" => "its durability was not read back".to_owned(),
                level if means.is_empty() => format!("{level}, as read back"),
                level => format!("{level}, as read back: {means}"),
            };
            of_all(standing, why)
        }
        RequirementKind::Consistency(wanted) => match system.consistency.as_str() {
            // With a single copy, one replica is a majority and all of them.
            "" => of_all(
                Standing::Shown,
                "it keeps one copy, which every operation meets".to_owned(),
            ),
            level => {
                let means = &system.consistency_means;
                let means = if means.is_empty() {
                    String::new()
                } else {
                    format!(": {means}")
                };
                of_all(
                    at_least(&CONSISTENCIES, level, wanted),
                    format!("{level}, as read back{means}"),
                )
            }
        },
        RequirementKind::Nodes(wanted) => match nodes(&system.topology) {
            Some(nodes) if nodes >= *wanted => of_all(
                Standing::Shown,
                format!("topology as read back: {}", system.topology),
            ),
            Some(_) => of_all(
                Standing::Violated,
                format!("topology as read back: {}", system.topology),
            ),
            None => of_all(
                Standing::NotShown,
                format!(
                    "its topology does not tell how many nodes there are: {}",
                    said(&system.topology)
                ),
            ),
        },
        RequirementKind::Version { of, at_least } => version(candidate, of, at_least),
        RequirementKind::Errors(most) => errors(candidate, *most, works),
        RequirementKind::Objective { objective, work } => objective_kept(candidate, objective, work),
        RequirementKind::NotMeasured { shown_by } => Judged {
            standing: Standing::NotShown,
            why: format!("no record holds it; {shown_by}"),
            trials: Vec::new(),
        },
    }
}

/// Findings that say that a system lost, mangled or hid what it had acknowledged.
const LOST: [&str; 2] = ["verification-failed", "not-found"];

/// Whether any trial of a candidate, of whatever work, missed data.
fn integrity<'a>(candidate: &Candidate<'a>) -> Judged<'a> {
    // If this trial did not load the table, records may be missing for other reasons.
    let loss = |trial: &'a TrialRecord| {
        trial.load.as_ref()?;
        let mut invalid = trial
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Invalid);
        invalid.find(|finding| LOST.contains(&finding.code.as_str()))
    };
    let losing: Vec<(usize, &TrialRecord)> = candidate
        .trials
        .iter()
        .copied()
        .filter(|(_, trial)| loss(trial).is_some())
        .collect();
    match losing.first().and_then(|(_, trial)| loss(trial)) {
        None => Judged {
            standing: Standing::Shown,
            why: "none was missed in any trial".to_owned(),
            trials: candidate.trials.clone(),
        },
        Some(finding) => Judged {
            standing: Standing::Violated,
            why: format!(
                "missed in {} of {}; in the first of them, {}",
                losing.len(),
                number::plural(candidate.trials.len(), "trial", "trials"),
                finding.message.trim_end_matches('.')
            ),
            trials: losing,
        },
    }
}

/// The need, with integrity as its first requirement if a candidate lost data.
pub fn with_integrity(need: &Need, candidates: &[Candidate<'_>]) -> Need {
    let mut need = need.clone();
    if candidates.iter().any(has_lost) {
        let requirement = Requirement {
            text: "no acknowledged data lost".to_owned(),
            kind: RequirementKind::Integrity,
        };
        need.requirements.insert(0, requirement);
    }
    need
}

/// Whether a candidate lost, mangled or hid data.
pub fn has_lost(candidate: &Candidate<'_>) -> bool {
    integrity(candidate).standing == Standing::Violated
}

fn said(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

/// A level against the least that is wanted; a level that is not on the scale shows nothing.
fn at_least(scale: &[&str], level: &str, wanted: &str) -> Standing {
    let place = |name: &str| scale.iter().position(|known| *known == name);
    match (place(level), place(wanted)) {
        (Some(level), Some(wanted)) if level >= wanted => Standing::Shown,
        (Some(_), Some(_)) => Standing::Violated,
        _ => Standing::NotShown,
    }
}

/// How many nodes keep the data, from a topology as drivers tell it; `None` when it does not say.
pub fn nodes(topology: &str) -> Option<u64> {
    if topology == "embedded" {
        return Some(1);
    }
    let mut total = 0;
    for part in topology.split(", ") {
        let words: Vec<&str> = part.split(' ').collect();
        let last = words.last().copied().unwrap_or_default();
        total += match words.as_slice() {
            ["primary"] => 1,
            [count, noun] if ["node", "nodes", "server", "servers", "replica", "replicas"].contains(noun) => {
                count.parse().ok()?
            }
            [count, "region", "server" | "servers"] => count.parse().ok()?,
            ["cluster", "of", count, "masters"] => count.parse().ok()?,
            ["replica", "set", .., "of", _] => last.parse().ok()?,
            ["rf", _] => 0,
            _ => return None,
        };
    }
    (total > 0).then_some(total)
}

fn version<'a>(candidate: &Candidate<'a>, of: &str, wanted: &str) -> Judged<'a> {
    let system = candidate.system;
    let judged = |standing: Standing, why: String| Judged {
        standing,
        why,
        trials: candidate.trials.clone(),
    };
    let concerned = [&system.name, &system.driver, &system.product];
    if !concerned.iter().any(|name| name.eq_ignore_ascii_case(of)) {
        return judged(Standing::Shown, format!("it is no {of}"));
    }
    let numbers = |text: &str| -> Option<Vec<u64>> {
        let end = text
            .find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
            .unwrap_or(text.len());
        text[..end].split('.').map(|part| part.parse().ok()).collect()
    };
    match (numbers(&system.version), numbers(wanted)) {
        (Some(own), Some(wanted)) if own >= wanted => judged(
            Standing::Shown,
            format!("version {}, as read back", system.version),
        ),
        (Some(_), Some(_)) => judged(
            Standing::Violated,
            format!("version {}, as read back", system.version),
        ),
        _ => judged(
            Standing::NotShown,
            format!("its version cannot be compared: {}", said(&system.version)),
        ),
    }
}

fn errors<'a>(candidate: &Candidate<'a>, most: f64, works: &[&WorkChoice]) -> Judged<'a> {
    let mut trials: Vec<(usize, &TrialRecord)> = Vec::new();
    for (source, trial) in works.iter().flat_map(|work| of_work(candidate, work)) {
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
    let standing = if all == 0 {
        Standing::NotShown
    } else if share <= most {
        Standing::Shown
    } else {
        Standing::Violated
    };
    Judged {
        standing,
        why: format!(
            "{} of {} operations failed in {}",
            number::count(failed),
            number::count(all),
            number::plural(trials.len(), "trial", "trials")
        ),
        trials,
    }
}

fn objective_kept<'a>(candidate: &Candidate<'a>, objective: &Objective, work: &WorkChoice) -> Judged<'a> {
    let metric = objective.metric;
    let trials: Vec<(usize, &TrialRecord)> = of_work(candidate, work)
        .into_iter()
        .filter(|(_, trial)| metric.measure(trial).is_some())
        .collect();
    if trials.is_empty() {
        return Judged {
            standing: Standing::NotShown,
            why: format!("{} was not measured in workload {}", metric.name(), work.workload),
            trials,
        };
    }
    let sustained = |trial: &TrialRecord| {
        let pacing = trial.measure.as_ref().and_then(|measure| measure.pacing.as_ref());
        pacing.is_none_or(|pacing| pacing.sustained)
    };
    let keeps = |trial: &TrialRecord| {
        let value = metric.measure(trial).unwrap_or(f64::NAN);
        let kept = match metric.better() {
            Better::Higher => value >= objective.limit,
            Better::Lower => value <= objective.limit,
        };
        // A latency of a rate that was not held says nothing about that rate.
        kept && sustained(trial)
    };
    let kept: Vec<bool> = trials.iter().map(|(_, trial)| keeps(trial)).collect();
    let held = held(&kept);
    let values: Vec<f64> = trials
        .iter()
        .filter_map(|(_, trial)| metric.measure(trial))
        .collect();
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
    let mut why = format!(
        "{} of {} keep it: {} to {}",
        held.kept,
        number::plural(held.trials, "trial", "trials"),
        metric.format(low),
        metric.format(high)
    );
    let late = trials.iter().filter(|(_, trial)| !sustained(trial)).count();
    if late > 0 {
        why.push_str(&format!("; the rate was not held in {late}"));
    }
    if held.standing == Standing::NotShown {
        why.push_str(if held.trials < 5 {
            "; it takes at least five trials"
        } else {
            "; more trials would tell"
        });
    }
    Judged {
        standing: held.standing,
        why,
        trials,
    }
}

/// The name of a standing in every output.
pub fn standing_name(standing: Standing) -> &'static str {
    match standing {
        Standing::Shown => "shown",
        Standing::NotShown => "not shown",
        Standing::Violated => "violated",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_the_topologies_that_drivers_tell() {
        for (topology, expected) in [
            ("embedded", Some(1)),
            ("3 nodes, rf 3", Some(3)),
            ("1 node", Some(1)),
            ("replica set rs0 of 3", Some(3)),
            ("1 server", Some(1)),
            ("primary, 2 replicas", Some(3)),
            ("1 server, 2 replicas", Some(3)),
            ("cluster of 3 masters", Some(3)),
            ("2 region servers", Some(2)),
            ("sharded cluster", None),
            ("replica of a primary", None),
            ("not known: a binding of YCSB does not say", None),
            ("cluster of ? masters", None),
            ("", None),
        ] {
            assert_eq!(nodes(topology), expected, "{topology}");
        }
    }

    #[test]
    fn levels_are_ordered() {
        assert_eq!(at_least(&DURABILITIES, "synced", "buffered"), Standing::Shown);
        assert_eq!(at_least(&DURABILITIES, "none", "buffered"), Standing::Violated);
        assert_eq!(at_least(&CONSISTENCIES, "", "quorum"), Standing::NotShown);
    }
}
