//! Whether the records of a result folder belong to a plan.

use dbdyno_record::plan::planned_name;
use dbdyno_record::{ResultFolder, TrialRecord};

use crate::plan::Plan;
use crate::run::error::StudyError;

/// An earlier version of dbdyno ran studies of the lab's systems in another order: their trials have no place in this one.
pub(crate) fn check(folder: &ResultFolder, plan: &Plan, records: &[TrialRecord]) -> Result<(), StudyError> {
    let planned = |record: &TrialRecord| {
        if record.spec.is_pilot() {
            return true;
        }
        let name = planned_name(&record.trial);
        plan.trials.iter().any(|trial| trial.planned.trial == name)
    };
    match records.iter().find(|record| !planned(record)) {
        None => Ok(()),
        Some(record) => Err(StudyError::OtherOrder {
            path: folder.path().to_owned(),
            trial: record.trial.clone(),
        }),
    }
}
