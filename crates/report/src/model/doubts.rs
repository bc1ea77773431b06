//! What in a result folder its writer did not put there, as findings.

use dbdyno_record::Severity;

use super::{FindingGroup, System};
use crate::StudyResults;

/// One finding for each kind of doubt. It concerns all systems: which trials count decides what every one of them is compared with.
pub fn findings(results: &StudyResults, systems: &[System]) -> Vec<FindingGroup> {
    let doubts = results.doubts.list().into_iter();
    doubts
        .map(|doubt| FindingGroup {
            code: doubt.code.to_owned(),
            severity: Severity::Warning,
            title: doubt.message.clone(),
            message: doubt.message,
            other_messages: Vec::new(),
            remedy: doubt.remedy,
            trials: results.trials.len(),
            systems: systems.iter().map(|system| system.name.clone()).collect(),
            workloads: Vec::new(),
        })
        .collect()
}
