//! The result of running a study.

use dbdyno_engine::EngineErrorClass;
use dbdyno_record::Finding;
use dbdyno_record::finding::RepeatBudgetSpent;

use crate::run::test_bed::{Completion, End};

/// The result of running a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Trials of the plan.
    pub total: usize,
    /// Trials that were complete before.
    pub already_done: usize,
    /// Trials completed now.
    pub completed: usize,
    /// Trials that failed now, with the kind of failure.
    pub failed: Vec<(String, EngineErrorClass)>,
    /// Trials that the machine disturbed, and that were repeated.
    pub disturbed: Vec<String>,
    /// Planned trials that failed so often that they are not tried again.
    pub given_up: Vec<String>,
    /// Trials that count although their numbers cannot be used, of this run and of those before; of searches none, which look for them.
    pub invalid: Vec<String>,
    /// Trials that the machine disturbed, and that were kept because the time for repeats was spent.
    pub kept_disturbed: Vec<String>,
    /// How the target precision was met, in words; `None` without one, or before its end.
    pub precision: Option<String>,
    /// How the disk of the results changed meanwhile, in words.
    pub disk_change: Option<String>,
    /// How the machine differs from the one the study began on, one sentence each.
    pub environment_changes: Vec<String>,
    /// Whether it was stopped.
    pub interrupted: bool,
    /// Why, in words, where nobody asked for it: too few load generators were there.
    pub stopped_because: Option<String>,
}

impl Summary {
    /// Notes what came of a planned trial.
    pub(crate) fn note(&mut self, completion: &Completion) {
        self.disturbed.extend(completion.disturbed.iter().cloned());
        match completion.end {
            End::Counts(ref record) => {
                self.completed += 1;
                if record.findings.iter().any(Finding::is::<RepeatBudgetSpent>) {
                    self.kept_disturbed.push(record.trial.clone());
                }
            }
            End::Failed(ref trial, class) => self.failed.push((trial.clone(), class)),
            End::Stopped(ref reason) => self.note_stop(reason.clone()),
        }
    }

    /// Notes that the study was stopped. The first reason counts; there is none where a user asked for it.
    pub(crate) fn note_stop(&mut self, reason: Option<String>) {
        self.interrupted = true;
        if self.stopped_because.is_none() {
            self.stopped_because = reason;
        }
    }
}
