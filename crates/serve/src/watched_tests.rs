//! A result folder is followed, and what tests of its pages share.

use dbdyno_record::Latency;
use dbdyno_record::intervals::IntervalCounts;
use dbdyno_record::live::LiveWriter;
use dbdyno_record::{PlanFile, PlannedStudy};
use dbdyno_trial::{SystemSpec, TrialSpec};

use super::*;
use crate::test_record::{live_trial, record};

/// A second with 50 operations.
pub(crate) fn row(phase: &str, start_s: u64) -> IntervalRow {
    let mut latency = Latency::new();
    latency.record_many(1_000_000, 50);
    let counts = IntervalCounts {
        ok: 50,
        ..IntervalCounts::default()
    };
    IntervalRow::new(phase, start_s * 1_000_000_000, 1_000_000_000, counts, &latency)
}

pub(crate) fn trial() -> LiveTrial {
    live_trial("001-redb-a")
}

/// A trial in its measured phase.
pub(crate) fn current(rows: &[IntervalRow]) -> Current {
    Current {
        trial: trial(),
        preparing: String::new(),
        phase: "measure".to_owned(),
        phase_expected_s: Some(10.0),
        phase_expected_operations: None,
        seconds: rows.to_vec(),
        latencies: VecDeque::new(),
        failures: Failures::default(),
        generators: BTreeMap::new(),
        is_over: false,
    }
}

#[test]
fn a_phase_is_measured_by_its_time_or_by_its_operations() {
    let rows = [row("load", 0), row("measure", 0), row("measure", 1)];
    let mut current = current(&rows);
    assert_eq!(current.phase_s(), 2.0);
    assert_eq!(current.phase_share_done(), Some(0.2));
    current.phase_expected_operations = Some(200);
    assert_eq!(current.phase_share_done(), Some(0.5), "100 of 200 operations");
    current.phase_expected_operations = Some(0);
    current.phase_expected_s = None;
    assert_eq!(current.phase_share_done(), None);
}

#[test]
fn a_trial_is_followed_from_its_first_line_to_its_end() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("results");
    let writing = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
    let mut watched = Watched::open(&path).unwrap();
    assert!(watched.is_running() && watched.current().is_none());
    let mut writer = LiveWriter::begin(&path, trial()).unwrap();
    writer.write(&LiveEvent::Second(row("measure", 0))).unwrap();
    // The same second again, with what came late.
    writer.write(&LiveEvent::Second(row("measure", 0))).unwrap();
    writer.write(&LiveEvent::Second(row("measure", 1))).unwrap();
    watched.look().unwrap();
    assert_eq!(watched.current().unwrap().seconds.len(), 2);
    writer.write(&LiveEvent::Ended).unwrap();
    watched.look().unwrap();
    assert!(watched.current().is_none());
    drop(writing);
    watched.look().unwrap();
    assert!(!watched.is_running());
}

/// The latencies of a second: one operation in each of these buckets.
pub(crate) fn latencies(phase: &str, offset_s: f64, operation: &str, buckets: &[i32]) -> LatencyRow {
    LatencyRow {
        phase: phase.to_owned(),
        offset_s,
        operation: operation.to_owned(),
        buckets: buckets.iter().map(|bucket| (*bucket, 1)).collect(),
        sum_s: 0.0,
    }
}

#[test]
fn latencies_are_kept_by_second_and_operation_for_some_minutes() {
    let mut current = current(&[]);
    for row in [
        latencies("load", 0.0, "insert", &[-80]),
        latencies("measure", 0.0, "read", &[-80]),
        latencies("measure", 0.0, "update", &[-70]),
        // The same second again, with what came late.
        latencies("measure", 0.0, "read", &[-80, -60]),
    ] {
        current.add_latencies(row);
    }
    let kept: Vec<usize> = current.latencies.iter().map(Vec::len).collect();
    assert_eq!(kept, [1, 2]);
    let buckets: usize = current.latencies[1].iter().map(|row| row.buckets.len()).sum();
    assert_eq!(buckets, 3);
    for second in 1..1_000_u32 {
        current.add_latencies(latencies("measure", f64::from(second), "read", &[-80]));
    }
    assert_eq!(current.latencies.len(), SECONDS_SHOWN);
    assert_eq!(current.latencies.back().unwrap()[0].offset_s, 999.0);
}

#[test]
fn a_folder_that_takes_the_place_of_another_is_read_anew() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("results");
    let write = |trial: &str| {
        let planned = PlannedTrial {
            trial: trial.to_owned(),
            block: 0,
            position: 0,
            seed: 0,
            spec: TrialSpec::new(SystemSpec::default(), "", 0),
        };
        let folder = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let plan = PlanFile::new(PlannedStudy::default(), vec![planned]);
        folder.write_plan(&plan).unwrap();
    };
    write("001-redb-a");
    let mut watched = Watched::open(&path).unwrap();
    let before = watched.versions();
    watched.look().unwrap();
    assert_eq!(watched.versions(), before, "nothing happened");
    // As many trials as before: only the folder is another one.
    std::fs::rename(&path, place.path().join("old")).unwrap();
    assert!(watched.look().is_err());
    write("001-fjall-a");
    watched.look().unwrap();
    assert_eq!(watched.planned()[0].trial, "001-fjall-a");
    assert_ne!(watched.versions().trials, before.trials);
}

#[test]
fn a_trial_that_ran_again_under_its_name_has_its_new_record() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("results");
    let folder = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
    folder.write_trial(&record("001-redb-a")).unwrap();
    let mut watched = Watched::open(&path).unwrap();
    assert_eq!(watched.ended()["001-redb-a"].status, TrialStatus::Completed);
    let before = watched.versions();
    std::fs::remove_dir_all(folder.trial_dir("001-redb-a")).unwrap();
    let mut again = record("001-redb-a");
    again.status = TrialStatus::Interrupted;
    folder.write_trial(&again).unwrap();
    watched.look().unwrap();
    assert_eq!(watched.ended()["001-redb-a"].status, TrialStatus::Interrupted);
    assert_ne!(watched.versions().trials, before.trials);
}

#[test]
fn what_a_killed_study_leaves_does_not_run() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("results");
    drop(ResultFolder::create(&path, "name = \"x\"\n").unwrap());
    drop(LiveWriter::begin(&path, trial()).unwrap());
    let watched = Watched::open(&path).unwrap();
    assert!(!watched.is_running() && watched.current().is_none());
}
