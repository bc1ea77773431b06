//! What in a result folder its writer did not put there, as far as that shows: trials that are not the plan's, and files without a
//! checksum.

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
            }
        }
        let doubts = Doubts {
            unplanned: unplanned.into_iter().map(|record| record.trial).collect(),
            has_no_plan: !trials.is_empty() && !self.path().join(PLAN).exists(),
            unsummed,
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

fn without_sum(folder: &Path, prefix: &str, names: &[&str]) -> Result<Vec<String>, FolderError> {
    let known = sums::names(folder).map_err(|source| FolderError::io("read the sums in", folder, source))?;
    let lacking = names
        .iter()
        .filter(|name| folder.join(name).exists() && !known.contains(**name));
    Ok(lacking.map(|name| format!("{prefix}{name}")).collect())
}
