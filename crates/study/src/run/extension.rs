//! A study that goes on in its folder with another text: more trials, another title.
//!
//! Blocks are drawn one by one, so more of them leave the first ones as they were. Where trials are added after all planned ones
//! had run, their results could be seen before, and the folder remembers it: adding trials until a difference shows finds
//! differences where there are none.

use std::path::Path;

use dbdyno_files::StudyFile;
use dbdyno_record::{FolderError, PlanFile, PlannedOrder, Purpose, ResultFolder, TrialRecord};

use crate::file::definition::{Order, Study};
use crate::file::{CheckedStudy, changes, workloads};
use crate::judge::precision;
use crate::plan::{self, Plan};
use crate::run::error::StudyError;
use crate::run::order;
use crate::run::repetition;
use crate::run::rising_load::{Kind, tasks};

/// How many trials of each cell a result folder was planned with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedTrials {
    /// `trials` of its study.
    pub trials: u32,
    /// Blocks of its plan; with a target precision there may be more of them. 0 while there is no plan.
    pub blocks: u32,
}

/// How many trials of each cell a result folder was planned with.
///
/// # Errors
/// When its plan or its study is damaged, or of a newer format.
pub fn planned_trials(folder: &ResultFolder) -> Result<PlannedTrials, FolderError> {
    let plan = plan::stored(folder)?;
    // The text is replaced before the plan is.
    let stated = dbdyno_files::read::<StudyFile>(&folder.study_text()?).map(|file| file.trials);
    let trials = match stated {
        Ok(Some(trials)) => trials.value.0,
        _ => plan.study.as_ref().map_or(0, |study| study.trials),
    };
    Ok(PlannedTrials {
        trials,
        blocks: planned_blocks(&plan),
    })
}

/// How many blocks were begun; in a search, how many trials of a confirmed rate or of a step.
#[must_use]
pub fn begun(records: &[TrialRecord]) -> u32 {
    let finds = |record: &TrialRecord| {
        record.spec.is_pilot() || matches!(record.spec.purpose, Some(Purpose::Pilot | Purpose::Search))
    };
    let counted = records.iter().filter(|record| !finds(record));
    counted.map(|record| record.block + 1).max().unwrap_or(0)
}

/// Opens the folder of an earlier text of a study for writing, and replaces that text.
pub(crate) fn go_on(file: &CheckedStudy, path: &Path) -> Result<ResultFolder, StudyError> {
    let earlier = ResultFolder::open(path)?.study_text()?;
    if let Some(difference) = changes::refusal(&earlier, &file.text) {
        return Err(StudyError::Changed {
            path: path.to_owned(),
            difference,
        });
    }
    let folder = ResultFolder::create(path, &earlier)?;
    folder.refuse_unplanned()?;
    let (study, records) = (&in_its_order(&file.study, &folder)?, folder.trials()?);
    check_workloads(study, &folder, &records)?;
    let begun = begun(&records);
    // With `precision` it is the least, and blocks that were added beyond it stay.
    if study.precision.is_none() && study.trials < begun {
        return Err(StudyError::FewerTrials {
            path: path.to_owned(),
            begun,
            trials: study.trials,
        });
    }
    // A study that is refused later must not have been replaced.
    if study.kind == Kind::Comparison {
        let blocks = precision::blocks(study, &records).0.max(begun);
        order::check(&folder, &Plan::of_blocks(study, blocks), &records)?;
    }
    // First what must not be forgotten: after a kill in between, the text still differs.
    if let Some(plan) = extended(study, plan::stored(&folder)?, &records) {
        folder.write_plan(&plan)?;
    }
    folder.replace_study(&file.text)?;
    Ok(folder)
}

/// Refuses trials of another workload: its file may have changed, which the text of the study does not show.
pub(crate) fn check_workloads(
    study: &Study,
    folder: &ResultFolder,
    records: &[TrialRecord],
) -> Result<(), StudyError> {
    match records.iter().find_map(|record| other_workload(study, record)) {
        None => Ok(()),
        Some(difference) => Err(StudyError::Changed {
            path: folder.path().to_owned(),
            difference,
        }),
    }
}

/// How the workload of a trial differs from what it is in the study now, in words.
fn other_workload(study: &Study, record: &TrialRecord) -> Option<String> {
    let (spec, before) = (&record.spec, &record.workload.properties);
    if !spec.is_whole() {
        return None;
    }
    let mut choices = study.workloads.iter();
    let choice = choices.find(|choice| choice.name == spec.workload)?;
    // Without the factor, the workload's file says how many there are.
    if study.records.is_empty() && choice.records != spec.records {
        return Some(format!(
            "`recordcount` of workload {} was {} and is now {}",
            choice.name, spec.records, choice.records
        ));
    }
    let now = workloads::resolve_for(choice, spec.records, spec.limit.operations).ok()?;
    // A property that only one version of dbdyno knows is no difference.
    now.properties().into_iter().find_map(|(name, now)| {
        let before = before.get(&name).filter(|before| **before != now)?;
        Some(format!(
            "`{name}` of workload {} was {before} and is now {now}",
            choice.name
        ))
    })
}

/// The study with what its result folder knows of it.
pub(crate) fn as_extended(study: &Study, folder: &ResultFolder) -> Result<Study, FolderError> {
    let planned = folder.plan()?.and_then(|plan| plan.study);
    Ok(Study {
        extended_after: planned.map_or_else(Vec::new, |planned| planned.extended_after),
        ..in_its_order(study, folder)?
    })
}

/// The study with its trials in the order in which its folder was begun: earlier versions measured one trial after the other.
///
/// # Errors
/// When the plan is damaged, or of a newer format.
pub fn in_its_order(study: &Study, folder: &ResultFolder) -> Result<Study, FolderError> {
    let mut ordered = study.clone();
    if let Some(begun) = folder.plan()? {
        let begun = begun.study.unwrap_or_default();
        ordered.order = match begun.order {
            None => Order::Blocks,
            Some(PlannedOrder::Interleaved) => Order::Interleaved,
        };
        ordered.memory_of_batches = begun.memory_of_batches;
    }
    Ok(ordered)
}

/// The plan that remembers how many trials had run when more are added now; `None` where none are, or some had not run.
fn extended(study: &Study, mut plan: PlanFile, records: &[TrialRecord]) -> Option<PlanFile> {
    let before = planned_blocks(&plan);
    let after = match study.kind {
        Kind::Comparison => precision::blocks(study, records).0,
        Kind::Capacity(_) | Kind::Sweep(_) => study.trials,
    };
    if after <= before || !is_complete(study, &plan, records) {
        return None;
    }
    let extended_after = &mut plan.study.as_mut()?.extended_after;
    if extended_after.last() == Some(&before) {
        return None;
    }
    extended_after.push(before);
    Some(plan)
}

/// Blocks of a plan; in a search, trials of a confirmed rate or of a step.
fn planned_blocks(plan: &PlanFile) -> u32 {
    match &plan.study {
        Some(study) if study.kind != Kind::Comparison => study.trials,
        _ => {
            let blocks = plan.trials.iter().map(|planned| planned.block + 1);
            blocks.max().unwrap_or(0)
        }
    }
}

/// Whether nothing of this plan is left to do.
fn is_complete(study: &Study, plan: &PlanFile, records: &[TrialRecord]) -> bool {
    if plan.trials.is_empty() {
        return false;
    }
    if study.kind == Kind::Comparison {
        let states = repetition::states(records);
        let mut planned = plan.trials.iter();
        return planned.all(|planned| repetition::next(&planned.trial, &states).is_none());
    }
    let earlier = Study {
        trials: planned_blocks(plan),
        ..study.clone()
    };
    let cells = earlier.cells();
    cells
        .iter()
        .all(|cell| tasks::next(&earlier, cell, &tasks::of_cell(cell, records)).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_record::completed;

    fn study(trials: u32) -> Study {
        let text = format!(
            "name = \"x\"\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\", \"c\"]\ntrials = {trials}\n"
        );
        crate::file::of_text(&text).study
    }

    /// The records of these trials of a study, all completed.
    fn records(study: &Study, trials: usize) -> Vec<TrialRecord> {
        let planned = Plan::new(study).trials.into_iter().take(trials);
        planned
            .map(|trial| {
                let mut record = completed(&trial.planned.trial, 1000);
                record.block = trial.planned.block;
                record.spec = trial.planned.spec;
                record
            })
            .collect()
    }

    fn after(study: &Study, more: u32, run: usize) -> Option<Vec<u32>> {
        let plan = Plan::new(study).to_file(study);
        let longer = self::study(study.trials + more);
        let extended = extended(&longer, plan, &records(study, run))?;
        Some(extended.study.unwrap().extended_after)
    }

    #[test]
    fn only_trials_that_follow_a_complete_study_are_remembered() {
        let five = study(5);
        assert_eq!(after(&five, 7, 20), Some(vec![5]));
        assert_eq!(after(&five, 7, 19), None, "one was still missing");
        assert_eq!(after(&five, 0, 20), None, "none was added");
        assert_eq!(after(&five, 7, 0), None);
        let again = Study {
            extended_after: vec![5],
            ..study(12)
        };
        assert_eq!(after(&again, 8, 48), Some(vec![5, 12]));
    }

    #[test]
    fn more_blocks_leave_the_first_ones_as_they_were() {
        let (few, many) = (Plan::new(&study(3)).trials, Plan::new(&study(9)).trials);
        assert_eq!(many[..few.len()], few);
    }

    #[test]
    fn pilots_and_probes_of_a_search_begin_no_block() {
        let mut records = records(&study(2), 5);
        assert_eq!(begun(&records), 2);
        assert_eq!(begun(&[]), 0);
        for purpose in [Purpose::Pilot, Purpose::Search] {
            let mut probe = completed("probe", 10);
            probe.block = 9;
            probe.spec.purpose = Some(purpose);
            records.push(probe);
        }
        assert_eq!(begun(&records), 2);
    }
}
