//! What the list says of a study or run.

use dbdyno_document::{TableCell, Tone};
use dbdyno_record::TrialStatus;
use dbdyno_record::plan::planned_name;
use dbdyno_vocabulary::number;
use dbdyno_vocabulary::twin_original;
use dbdyno_vocabulary::words::plural;

use crate::watched::{EndedTrial, Watched};

/// A study or run in the list.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// The title of the study, or product and workload of the run.
    pub title: String,
    /// When its first trial began, RFC 3339; empty before.
    pub started_at: String,
    /// The systems, without twins.
    pub systems: Vec<String>,
    /// How far it is.
    pub state: State,
    /// Whether it has a trial to compare.
    pub is_comparable: bool,
    /// Whether there is a report of it.
    pub has_report: bool,
    /// Lowest and highest throughput of its trials.
    throughput: Option<(f64, f64)>,
    /// Lowest and highest p99 latency of its trials in nanoseconds; the highest may be a lower bound.
    p99: Option<((u64, bool), (u64, bool))>,
    is_single: bool,
    done: usize,
    planned: usize,
    invalid: usize,
    failed: usize,
}

/// How far a study or run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A process runs it.
    Running,
    /// A process runs it, and begins no further trial.
    Paused,
    /// All that was planned is done.
    Finished,
    /// It ended before that.
    Interrupted,
    /// The only trial of a run failed.
    Failed,
}

impl Listed {
    /// Of a result folder with that name.
    pub fn of(name: &str, watched: &Watched) -> Self {
        // Pilots of a common rate are in no plan: they are no results.
        let counted: Vec<&EndedTrial> = watched
            .ended()
            .iter()
            .filter(|(trial, _)| is_planned(watched, trial))
            .map(|(_, ended)| ended)
            .collect();
        let completed = || {
            let completed = |ended: &&&EndedTrial| ended.status == TrialStatus::Completed;
            // A run that was interrupted has numbers of the time until then.
            let counts = move |ended: &&&EndedTrial| {
                completed(ended) || (watched.is_single() && ended.status == TrialStatus::Interrupted)
            };
            counted.iter().filter(counts)
        };
        let is_failed = |ended: &&EndedTrial| matches!(ended.status, TrialStatus::Failed { .. });
        Self {
            title: watched.title(name),
            started_at: watched.started_at().to_owned(),
            systems: systems(watched),
            state: state(watched, counted.iter().any(is_failed)),
            is_comparable: counted.iter().any(|ended| ended.status == TrialStatus::Completed),
            has_report: !watched.ended().is_empty(),
            throughput: range(completed().filter_map(|ended| ended.throughput)),
            p99: range(completed().filter_map(|ended| ended.p99)),
            is_single: watched.is_single(),
            done: watched.done(),
            planned: watched.planned().len(),
            invalid: completed().filter(|ended| ended.is_invalid).count(),
            failed: counted.iter().copied().filter(|ended| is_failed(ended)).count(),
        }
    }

    /// Day and minute.
    pub fn date(&self) -> String {
        minute(&self.started_at)
    }

    /// The throughput of its trials, from the lowest to the highest.
    pub fn throughput(&self) -> TableCell {
        let Some((low, high)) = self.throughput else {
            return TableCell::new("–");
        };
        TableCell::new(span(number::rate(low), number::rate(high))).valued(high)
    }

    /// The p99 latency of its trials, from the lowest to the highest.
    pub fn p99(&self) -> TableCell {
        let Some((low, high)) = self.p99 else {
            return TableCell::new("–");
        };
        let latency = |(ns, is_bound)| number::latency(Some(ns), is_bound);
        TableCell::new(span(latency(low), latency(high))).valued(high.0 as f64)
    }

    /// How far it is, and what is wrong with its trials.
    pub fn state(&self) -> TableCell {
        let (word, tone) = match self.state {
            State::Running => ("running", Tone::Good),
            State::Paused => ("paused", Tone::Warning),
            State::Interrupted => ("interrupted", Tone::Warning),
            State::Failed => ("failed", Tone::Bad),
            State::Finished if self.is_single && self.invalid > 0 => ("invalid", Tone::Bad),
            State::Finished => ("finished", Tone::Plain),
        };
        let mut details = Vec::new();
        if !self.is_single {
            if self.state == State::Finished {
                details.push(plural(self.done, "trial", "trials"));
            } else {
                details.push(format!("{} of {} trials", self.done, self.planned));
            }
            let wrong = [(self.invalid, "invalid"), (self.failed, "failed")];
            let wrong = wrong.iter().filter(|(count, _)| *count > 0);
            details.extend(wrong.map(|(count, word)| format!("{count} {word}")));
        }
        TableCell::new(word).toned(tone).detail(details.join(", "))
    }
}

/// `2026-11-27 12:30` of a time in RFC 3339.
pub(crate) fn minute(time: &str) -> String {
    time.get(..16).unwrap_or_default().replace('T', " ")
}

fn is_planned(watched: &Watched, trial: &str) -> bool {
    let mut planned = watched.planned().iter().peekable();
    let name = planned_name(trial);
    planned.peek().is_none() || planned.any(|planned| planned.trial == name)
}

fn state(watched: &Watched, any_failed: bool) -> State {
    if watched.is_paused() {
        State::Paused
    } else if watched.is_running() {
        State::Running
    } else if watched.is_single() && any_failed {
        State::Failed
    } else if watched.done() < watched.planned().len() {
        State::Interrupted
    } else {
        State::Finished
    }
}

/// The systems in the order of the plan, each once. Twins are the same system again.
fn systems(watched: &Watched) -> Vec<String> {
    let planned = watched.planned().iter().map(|planned| &planned.spec.system.name);
    let ended = watched.ended().values().map(|ended| &ended.system);
    let mut systems: Vec<String> = Vec::new();
    for name in planned.chain(ended).filter(|name| twin_original(name).is_none()) {
        if !systems.contains(name) {
            systems.push(name.clone());
        }
    }
    systems.sort();
    systems
}

fn range<T: Copy + PartialOrd>(mut values: impl Iterator<Item = T>) -> Option<(T, T)> {
    let first = values.next()?;
    Some(values.fold((first, first), |(low, high), value| {
        let low = if value < low { value } else { low };
        let high = if value > high { value } else { high };
        (low, high)
    }))
}

fn span(low: String, high: String) -> String {
    if low == high {
        low
    } else {
        format!("{low} to {high}")
    }
}
