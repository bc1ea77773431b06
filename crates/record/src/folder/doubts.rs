//! What in a result folder its writer did not put there, as far as that shows: trials that are not the plan's, files without a checksum,
//! and files with another one.

use std::collections::BTreeSet;
use std::path::Path;

use dbdyno_trial::PILOT;

use super::{ENVIRONMENT, FolderError, INTERVALS, LATENCY_LOG, MARKER, PLAN, RECORD, ResultFolder, STUDY};
use crate::plan::planned_name;
use crate::{PlanFile, TrialRecord, sums};

/// Doubts about a result folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    /// Trials that the plan does not hold. They count for nothing.
    pub unplanned: Vec<String>,
    /// There are trials and no plan, so all of them count.
    pub has_no_plan: bool,
    /// Files without a checksum, by their paths in the folder: nobody would notice a change of them.
    pub unsummed: Vec<String>,
    /// Logs of latencies that are not what was written, by their paths in the folder. Whatever else reads a file checks it, and a folder
    /// without its logs is smaller and shows nothing false.
    pub changed: Vec<String>,
    /// Trials that were recorded and whose records are gone. They count for nothing.
    pub lost: Vec<String>,
}

/// One doubt in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The code of the finding.
    pub code: &'static str,
    /// The doubt, in words.
    pub message: String,
    /// How to resolve it.
    pub remedy: String,
}

impl Doubts {
    /// Each in words.
    #[must_use]
    pub fn list(&self) -> Vec<Doubt> {
        let no_plan = || Doubt {
            code: "no-plan",
            message: "plan.json is missing, so every trial in the folder counts".to_owned(),
            remedy: "run the study again, which writes it, or restore it from a copy of the folder"
                .to_owned(),
        };
        let doubts = [
            (!self.unplanned.is_empty()).then(|| unplanned(&self.unplanned)),
            self.has_no_plan.then(no_plan),
            (!self.unsummed.is_empty()).then(|| unsummed(&self.unsummed)),
            (!self.changed.is_empty()).then(|| changed(&self.changed)),
            (!self.lost.is_empty()).then(|| lost(&self.lost)),
        ];
        doubts.into_iter().flatten().collect()
    }
}

fn unplanned(names: &[String]) -> Doubt {
    let message = match names {
        [one] => format!("trial {one} is not the one in plan.json and does not count"),
        _ => format!(
            "{} trials are not those in plan.json and do not count: {}",
            names.len(),
            some_of(names)
        ),
    };
    Doubt {
        code: "unplanned-trials",
        message,
        remedy: "move their folders out of trials/".to_owned(),
    }
}

fn unsummed(names: &[String]) -> Doubt {
    let message = match names {
        [one] => format!("{one} has no checksum in SHA256SUMS, so a change to it would go unnoticed"),
        _ => format!(
            "{} files have no checksum in SHA256SUMS, so changes to them would go unnoticed: {}",
            names.len(),
            some_of(names)
        ),
    };
    Doubt {
        code: "no-checksum",
        message,
        remedy: "restore SHA256SUMS from a copy of the folder; only early versions of dbdyno wrote none"
            .to_owned(),
    }
}

fn changed(names: &[String]) -> Doubt {
    let message = match names {
        [one] => format!("{one} is not what dbdyno wrote: its SHA-256 is not the one in SHA256SUMS"),
        _ => format!(
            "{} files are not what dbdyno wrote, by their SHA-256 in SHA256SUMS: {}",
            names.len(),
            some_of(names)
        ),
    };
    Doubt {
        code: "changed-files",
        message: format!(
            "{message}; the latencies over time on the pages of such trials are not the measured ones"
        ),
        remedy: "restore the files from a copy of the folder".to_owned(),
    }
}

fn lost(names: &[String]) -> Doubt {
    let message = match names {
        [one] => format!("the record of trial {one} is gone, and the trial does not count"),
        _ => format!(
            "the records of {} trials are gone, and these do not count: {}",
            names.len(),
            some_of(names)
        ),
    };
    Doubt {
        code: "lost-records",
        message: format!("{message}; SHA256SUMS in its folder has the checksum of record.json"),
        remedy:
            "restore record.json from a copy of the folder, or run the study again, which repeats the trial"
                .to_owned(),
    }
}

/// Names that are listed before the rest is only counted.
const NAMED: usize = 3;

fn some_of(names: &[String]) -> String {
    let named = names
        .iter()
        .take(NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Whether a record is of a trial that the plan holds: under its name, with its operations and its factors. Pilots stand in no plan, but
/// the trials do whose rate they find. Without a plan nobody can say.
pub(super) fn is_planned(plan: Option<&PlanFile>, record: &TrialRecord) -> bool {
    let Some(plan) = plan else {
        return true;
    };
    let name = planned_name(&record.trial);
    let mut factors = record.spec.factors();
    if factors.remove(PILOT).is_some() {
        return plan
            .trials
            .iter()
            .any(|planned| planned.spec.factors() == factors);
    }
    let mut of_plan = plan.trials.iter().filter(|planned| planned.trial == name);
    of_plan.any(|planned| {
        (planned.block, planned.seed) == (record.block, record.seed) && planned.spec.factors() == factors
    })
}

impl ResultFolder {
    /// The [trials](Self::trials) of the plan, and what speaks against the folder.
    ///
    /// # Errors
    /// When a file is damaged, or cannot be read.
    pub fn trials_and_doubts(&self) -> Result<(Vec<TrialRecord>, Doubts), FolderError> {
        let (trials, unplanned) = self.trials_by_plan()?;
        let (mut changed, mut lost) = (Vec::new(), Vec::new());
        // A record's sum is written a moment before the record.
        let is_being_written = self.is_being_written();
        let mut unsummed = without_sum(self.path(), "", &[MARKER, STUDY, PLAN, ENVIRONMENT])?;
        for name in self.trial_names()? {
            let place = self.trial_dir(&name);
            // One that is under way gets its sums at its end.
            if place.join(RECORD).exists() {
                let own = without_sum(
                    &place,
                    &format!("trials/{name}/"),
                    &[RECORD, LATENCY_LOG, INTERVALS],
                )?;
                unsummed.extend(own);
                if is_changed(&place.join(LATENCY_LOG))? {
                    changed.push(format!("trials/{name}/{LATENCY_LOG}"));
                }
            } else if !is_being_written && with_sum(&place)?.contains(RECORD) {
                lost.push(name);
            }
        }
        let doubts = Doubts {
            unplanned: unplanned.into_iter().map(|record| record.trial).collect(),
            has_no_plan: !trials.is_empty() && !self.path().join(PLAN).exists(),
            unsummed,
            changed,
            lost,
        };
        Ok((trials, doubts))
    }

    /// Refuses a folder with trials that the plan does not hold: what runs next would lie among them.
    ///
    /// # Errors
    /// When there are any, or a record is damaged.
    pub fn refuse_unplanned(&self) -> Result<(), FolderError> {
        let (_, others) = self.trials_by_plan()?;
        if others.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = others.into_iter().map(|record| record.trial).collect();
        let doubt = unplanned(&names);
        Err(FolderError::Unplanned {
            path: self.path().into(),
            message: doubt.message,
            remedy: doubt.remedy,
        })
    }
}

/// Whether a file that has a sum has another one now.
fn is_changed(path: &Path) -> Result<bool, FolderError> {
    sums::is_changed(path).map_err(|source| FolderError::io("check", path, source))
}

/// The files of a folder that have a sum.
fn with_sum(folder: &Path) -> Result<BTreeSet<String>, FolderError> {
    sums::names(folder).map_err(|source| FolderError::io("read the sums in", folder, source))
}

fn without_sum(folder: &Path, prefix: &str, names: &[&str]) -> Result<Vec<String>, FolderError> {
    let known = with_sum(folder)?;
    let lacking = names
        .iter()
        .filter(|name| folder.join(name).exists() && !known.contains(**name));
    Ok(lacking.map(|name| format!("{prefix}{name}")).collect())
}
