//! Attempts that came to nothing: a failed or interrupted one is never measured away.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::{Severity, TrialRecord, TrialStatus};
use dbdyno_vocabulary::{Text, named, text};

use super::{FindingGroup, Flag, FlagCode};
use crate::number;

/// Most reasons, and interrupted attempts, that are listed in full.
const MOST_TOLD: usize = 3;

/// What became of the attempts at one system's trials.
#[derive(Default)]
struct Attempts<'a> {
    all: usize,
    /// How often each reason was given.
    failed: BTreeMap<&'a str, usize>,
    /// The same of attempts that load generators failed.
    without_generators: BTreeMap<&'a str, usize>,
    interrupted: Vec<&'a TrialRecord>,
    workloads: BTreeSet<&'a str>,
}

impl Attempts<'_> {
    fn failures(&self) -> usize {
        self.failed.values().sum()
    }

    fn failed_sentence(&self, system: &str) -> Text {
        text![
            named(system),
            format!(
                " failed in {} of {}: {}",
                self.failures(),
                number::plural(self.all, "attempt", "attempts"),
                told(&self.failed)
            )
        ]
    }

    fn without_generators_sentence(&self, system: &str) -> String {
        let times: usize = self.without_generators.values().sum();
        format!(
            "load generators failed in {times} of {} at {system}: {}",
            number::plural(self.all, "attempt", "attempts"),
            told(&self.without_generators)
        )
    }

    fn interrupted_sentence(&self, system: &str) -> String {
        let partial = |trial: &&TrialRecord| {
            let measure = trial.measure.as_ref()?;
            let rate = number::rate(measure.throughput_per_second()?);
            let time = number::duration_ns(measure.duration_ns as f64);
            Some(format!("{rate} in {time}"))
        };
        let figures: Vec<String> = self
            .interrupted
            .iter()
            .filter_map(partial)
            .take(MOST_TOLD)
            .collect();
        let mut text = match self.interrupted.len() {
            1 => format!("1 attempt of {system} was interrupted"),
            count => format!("{count} attempts of {system} were interrupted"),
        };
        if !figures.is_empty() {
            text.push_str(&format!(": {}", figures.join("; ")));
        }
        text
    }
}

fn by_system(trials: &[TrialRecord]) -> BTreeMap<&str, Attempts<'_>> {
    let mut systems: BTreeMap<&str, Attempts<'_>> = BTreeMap::new();
    for trial in trials {
        let attempts = systems.entry(&trial.system.name).or_default();
        attempts.all += 1;
        match &trial.status {
            TrialStatus::Failed {
                reason,
                of_generators: true,
            } => *attempts.without_generators.entry(reason).or_default() += 1,
            TrialStatus::Failed { reason, .. } => *attempts.failed.entry(reason).or_default() += 1,
            TrialStatus::Interrupted => attempts.interrupted.push(trial),
            TrialStatus::Completed | TrialStatus::Disturbed => continue,
        }
        attempts.workloads.insert(&trial.workload.name);
    }
    systems
}

/// One flag for each system whose attempts failed, for the top of every output.
pub fn flags(trials: &[TrialRecord]) -> Vec<Flag> {
    by_system(trials)
        .into_iter()
        .filter(|(_, attempts)| attempts.failures() > 0)
        .map(|(system, attempts)| Flag {
            code: FlagCode::AttemptsFailed,
            refuses: false,
            text: text![attempts.failed_sentence(system), "."],
        })
        .collect()
}

/// A finding for each system whose attempts failed or were interrupted.
pub fn findings(trials: &[TrialRecord]) -> Vec<FindingGroup> {
    let mut groups = Vec::new();
    for (system, attempts) in by_system(trials) {
        let mut add = |code: &str, message: String, remedy: &str, trials: usize| {
            groups.push(FindingGroup {
                code: code.to_owned(),
                severity: Severity::Warning,
                title: message.clone(),
                message,
                other_messages: Vec::new(),
                remedy: remedy.to_owned(),
                trials,
                systems: vec![system.to_owned()],
                workloads: attempts.workloads.iter().map(|&name| name.to_owned()).collect(),
            });
        };
        if attempts.failures() > 0 {
            add(
                "attempts-failed",
                attempts.failed_sentence(system).exact(),
                "these figures cover successful attempts only: a system that fails is worse than they suggest",
                attempts.failures(),
            );
        }
        if !attempts.without_generators.is_empty() {
            add(
                "load-generators-failed",
                attempts.without_generators_sentence(system),
                "check the agents' machines and the NATS server; other attempts replaced these, and the system is not to blame",
                attempts.without_generators.values().sum(),
            );
        }
        if !attempts.interrupted.is_empty() {
            add(
                "attempts-interrupted",
                attempts.interrupted_sentence(system),
                "compare the partial figures with those of the attempts that replaced them",
                attempts.interrupted.len(),
            );
        }
    }
    groups
}

/// The most frequent reasons, each with how often it was given.
fn told(reasons: &BTreeMap<&str, usize>) -> String {
    let mut reasons: Vec<(&str, usize)> = reasons.iter().map(|(reason, times)| (*reason, *times)).collect();
    reasons.sort_by_key(|&(_, times)| std::cmp::Reverse(times));
    let told: Vec<String> = reasons
        .iter()
        .take(MOST_TOLD)
        .map(|(reason, times)| format!("{reason} ({})", often(*times)))
        .collect();
    told.join("; ")
}

/// `once`, or `3 times`.
fn often(times: usize) -> String {
    match times {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    }
}
