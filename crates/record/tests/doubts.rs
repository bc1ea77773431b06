//! Files in a result folder that dbdyno did not write, and files that are missing from it.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use std::fs;
use std::path::Path;

use common::{planned, trial};
use dbdyno_record::{Doubts, FolderError, PlanFile, PlannedStudy, ResultFolder, TrialRecord};

/// A folder with the trials `t-a` and `t-b`, as its writer left it.
fn written(path: &Path) {
    let writer = ResultFolder::create(path, "name = \"example\"\n").unwrap();
    let trials = vec![planned("t-a", 0), planned("t-b", 1), planned("t-c", 2)];
    writer
        .write_plan(&PlanFile::new(PlannedStudy::default(), trials))
        .unwrap();
    for name in ["t-a", "t-a~2", "t-b"] {
        writer.begin_trial(name).unwrap();
        writer.write_trial(&trial(name)).unwrap();
    }
}

/// Puts a trial into the folder as a copy of another one is put there by hand.
fn copy(path: &Path, record: &TrialRecord) {
    let place = path.join("trials").join(&record.trial);
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("record.json"), serde_json::to_string(record).unwrap()).unwrap();
}

fn read(path: &Path) -> (Vec<String>, Doubts) {
    let (trials, doubts) = ResultFolder::open(path).unwrap().trials_and_doubts().unwrap();
    (trials.into_iter().map(|record| record.trial).collect(), doubts)
}

fn said(doubts: &Doubts) -> String {
    let messages: Vec<String> = doubts.list().into_iter().map(|doubt| doubt.message).collect();
    messages.join(" ")
}

#[test]
fn nothing_speaks_against_a_folder_as_it_was_written() {
    let place = tempfile::tempdir().unwrap();
    written(place.path());
    let (trials, doubts) = read(place.path());
    assert_eq!(trials, ["t-a", "t-a~2", "t-b"]);
    assert_eq!(doubts, Doubts::default());
    assert!(doubts.list().is_empty());
    let folder = ResultFolder::open(place.path()).unwrap();
    folder.refuse_unplanned().unwrap();
}

#[test]
fn trials_that_the_plan_does_not_hold_are_named_and_not_counted() {
    let place = tempfile::tempdir().unwrap();
    written(place.path());
    copy(place.path(), &trial("t-d"));
    // Under a name of the plan, but not what the plan has there.
    let mut moved = trial("t-c");
    moved.block += 1;
    copy(place.path(), &moved);
    let mut renamed = trial("t-b~2");
    renamed.spec.system.name = "another".to_owned();
    copy(place.path(), &renamed);

    let (trials, doubts) = read(place.path());
    assert_eq!(trials, ["t-a", "t-a~2", "t-b"]);
    assert_eq!(doubts.unplanned, ["t-b~2", "t-c", "t-d"]);
    let said = said(&doubts);
    assert!(
        said.contains("3 trials are not those in plan.json and do not count: t-b~2, t-c, t-d"),
        "{said}"
    );
    let folder = ResultFolder::open(place.path()).unwrap();
    assert!(
        folder.trial("t-d").unwrap().is_some(),
        "it can still be looked at"
    );
    assert_eq!(folder.completed_trials().unwrap().len(), 3);
    match folder.refuse_unplanned() {
        Err(error @ FolderError::Unplanned { .. }) => {
            assert!(
                error.to_string().contains("move their folders out of trials/"),
                "{error}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn logs_that_were_changed_are_named() {
    let place = tempfile::tempdir().unwrap();
    let writer = ResultFolder::create(place.path(), "name = \"example\"\n").unwrap();
    let trials = vec![planned("t-a", 0), planned("t-b", 1)];
    writer
        .write_plan(&PlanFile::new(PlannedStudy::default(), trials))
        .unwrap();
    let log = |name: &str| place.path().join("trials").join(name).join("latency.hlog");
    for name in ["t-a", "t-b"] {
        writer.begin_trial(name).unwrap();
        fs::write(log(name), "#[a log]\n").unwrap();
        writer.write_trial(&trial(name)).unwrap();
    }
    assert!(read(place.path()).1.changed.is_empty());
    fs::write(log("t-a"), "").unwrap();
    assert_eq!(read(place.path()).1.changed, ["trials/t-a/latency.hlog"]);
    fs::write(log("t-b"), "#[another log]\n").unwrap();
    let (_, doubts) = read(place.path());
    assert_eq!(doubts.changed.len(), 2);
    assert!(
        said(&doubts).contains("2 files are not what dbdyno wrote"),
        "{doubts:?}"
    );
    // Who removes logs to save space is shown nothing false.
    fs::remove_file(log("t-a")).unwrap();
    fs::remove_file(log("t-b")).unwrap();
    assert!(read(place.path()).1.changed.is_empty());
}

#[test]
fn a_trial_whose_record_is_gone_is_named() {
    let place = tempfile::tempdir().unwrap();
    written(place.path());
    fs::remove_file(place.path().join("trials/t-b/record.json")).unwrap();
    // One that has just begun has no record yet.
    fs::create_dir_all(place.path().join("trials/t-c")).unwrap();
    let (trials, doubts) = read(place.path());
    assert_eq!(trials, ["t-a", "t-a~2"]);
    assert_eq!(doubts.lost, ["t-b"]);
    assert!(
        said(&doubts).contains("the record of trial t-b is gone"),
        "{doubts:?}"
    );
}

#[test]
fn pilots_are_those_of_planned_trials() {
    let place = tempfile::tempdir().unwrap();
    written(place.path());
    let mut pilot = trial("pilot-1");
    pilot.spec.pilot_share = Some(0.5);
    copy(place.path(), &pilot);
    let (trials, doubts) = read(place.path());
    assert!(trials.contains(&"pilot-1".to_owned()), "{trials:?}");
    assert!(doubts.unplanned.is_empty());
    // Of a system that the study does not have.
    pilot.trial = "pilot-2".to_owned();
    pilot.spec.system.name = "another".to_owned();
    copy(place.path(), &pilot);
    assert_eq!(read(place.path()).1.unplanned, ["pilot-2"]);
}

#[test]
fn without_a_plan_all_trials_count_and_that_is_said() {
    let place = tempfile::tempdir().unwrap();
    written(place.path());
    fs::remove_file(place.path().join("plan.json")).unwrap();
    copy(place.path(), &trial("t-d"));
    let (trials, doubts) = read(place.path());
    assert_eq!(trials.len(), 4);
    assert!(doubts.has_no_plan && said(&doubts).contains("plan.json is missing"));
}

#[test]
fn files_without_a_checksum_are_named() {
    let place = tempfile::tempdir().unwrap();
    written(place.path());
    let of_trial = place.path().join("trials/t-a/SHA256SUMS");
    fs::remove_file(&of_trial).unwrap();
    let (trials, doubts) = read(place.path());
    assert_eq!(trials.len(), 3, "it counts all the same");
    assert_eq!(doubts.unsummed, ["trials/t-a/record.json"]);
    let said = said(&doubts);
    assert!(
        said.contains("trials/t-a/record.json has no checksum in SHA256SUMS"),
        "{said}"
    );

    // One line of a file is as good as the file.
    let sums = place.path().join("SHA256SUMS");
    let kept: String = fs::read_to_string(&sums)
        .unwrap()
        .lines()
        .filter(|line| !line.ends_with("  plan.json"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(&sums, kept).unwrap();
    let (_, doubts) = read(place.path());
    assert_eq!(doubts.unsummed, ["plan.json", "trials/t-a/record.json"]);

    // Files over time have sums, too, and a trial under way has none yet.
    fs::write(place.path().join("trials/t-b/intervals.csv"), "").unwrap();
    fs::create_dir(place.path().join("trials/t-c")).unwrap();
    fs::write(place.path().join("trials/t-c/latency.hlog"), "").unwrap();
    let (_, doubts) = read(place.path());
    assert_eq!(
        doubts.unsummed,
        ["plan.json", "trials/t-a/record.json", "trials/t-b/intervals.csv"]
    );
}
