//! A trial for tests.

use dbdyno_record::TrialRecord;

/// The committed record of format 1, under another name and complete.
pub fn trial(name: &str) -> TrialRecord {
    let text = include_str!("../fixtures/folder-v1/trials/b0-memory-a/record.json");
    let mut record: TrialRecord = serde_json::from_str(text).expect("the fixture is a record");
    record.trial = name.to_owned();
    record
}
