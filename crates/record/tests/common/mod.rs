//! A trial for tests, and its place in a plan.

use dbdyno_record::{PlannedTrial, TrialRecord};
use dbdyno_trial::{Origin, TrialSpec};

/// The committed record of format 1, under another name and complete.
pub fn trial(name: &str) -> TrialRecord {
    let text = include_str!("../fixtures/folder-v1/trials/b0-memory-a/record.json");
    let mut record: TrialRecord = serde_json::from_str(text).expect("the fixture is a record");
    record.trial = name.to_owned();
    record
}

/// The plan of such a trial.
#[allow(dead_code, reason = "not every test has a plan")]
pub fn planned(name: &str, position: u32) -> PlannedTrial {
    let record = trial(name);
    PlannedTrial {
        trial: record.trial,
        block: record.block,
        position,
        seed: record.seed,
        spec: TrialSpec {
            origin: Origin::Resolved,
            ..record.spec
        },
    }
}
