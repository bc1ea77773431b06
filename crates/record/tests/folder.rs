//! Result folders as they are met in life: fresh, half written, damaged, foreign, from the future.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use std::fs;
use std::path::Path;

use common::{planned, trial};
use dbdyno_record::folder::{INTERVALS, LATENCY_LOG};
use dbdyno_record::{Environment, FolderError, PlanFile, PlannedStudy, ResultFolder, TrialStatus};

const STUDY: &str = "name = \"example\"\n";

fn names(folder: &ResultFolder) -> Vec<String> {
    folder
        .trials()
        .unwrap()
        .into_iter()
        .map(|record| record.trial)
        .collect()
}

#[test]
fn everything_written_is_read_back() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("results/example");
    let writer = ResultFolder::create(&path, STUDY).unwrap();
    let plan = PlanFile::new(
        PlannedStudy::default(),
        vec![planned("t-b", 0), planned("t-a", 1), planned("t-c", 2)],
    );
    writer.write_plan(&plan).unwrap();
    let environment = include_str!("fixtures/folder-v1/environment.json");
    let environment: Environment = serde_json::from_str(environment).unwrap();
    writer.write_environment(&environment).unwrap();
    for name in ["t-a", "t-b"] {
        assert!(writer.begin_trial(name).unwrap().is_dir());
        writer.write_trial(&trial(name)).unwrap();
    }
    writer.write_derived("results.csv", b"study\n").unwrap();

    // While the writer still holds the folder.
    let reader = ResultFolder::open(&path).unwrap();
    assert_eq!(reader.study_text().unwrap(), STUDY);
    assert_eq!(reader.plan().unwrap(), Some(plan));
    assert_eq!(reader.environment().unwrap(), Some(environment));
    assert_eq!(names(&reader), ["t-b", "t-a"], "in the plan's order");
    assert_eq!(reader.trial("t-a").unwrap(), Some(trial("t-a")));
    assert_eq!(reader.trial("t-c").unwrap(), None);
    assert_eq!(
        reader.completed_trials().unwrap().into_iter().collect::<Vec<_>>(),
        ["t-a", "t-b"]
    );
    assert_eq!(reader.intervals("t-a").unwrap(), []);
}

#[test]
fn a_reader_cannot_write_results() {
    let place = tempfile::tempdir().unwrap();
    drop(ResultFolder::create(place.path(), STUDY).unwrap());
    let reader = ResultFolder::open(place.path()).unwrap();
    for result in [
        reader.write_trial(&trial("t")),
        reader.write_plan(&PlanFile::new(PlannedStudy::default(), vec![])),
        reader.begin_trial("t").map(drop),
    ] {
        assert!(matches!(result, Err(FolderError::ReadOnly { .. })), "{result:?}");
    }
    reader.write_derived("report.html", b"<p>").unwrap();
}

#[test]
fn one_writer_at_a_time() {
    let place = tempfile::tempdir().unwrap();
    let first = ResultFolder::create(place.path(), STUDY).unwrap();
    let error = ResultFolder::create(place.path(), STUDY).unwrap_err();
    assert!(matches!(error, FolderError::InUse { .. }), "{error}");
    drop(first);
    ResultFolder::create(place.path(), STUDY).unwrap();
}

#[test]
fn a_folder_that_goes_away_or_is_replaced_is_reported_and_not_made_anew() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("results");
    let writer = ResultFolder::create(&path, STUDY).unwrap();
    fs::rename(&path, place.path().join("elsewhere")).unwrap();
    for result in [
        writer.begin_trial("t").map(drop),
        writer.write_trial(&trial("t")),
        writer.write_plan(&PlanFile::new(PlannedStudy::default(), vec![])),
    ] {
        assert!(matches!(result, Err(FolderError::Gone { .. })), "{result:?}");
    }
    assert!(!path.exists());
    // Another process's folder of the same name is its own.
    let other = ResultFolder::create(&path, STUDY).unwrap();
    let error = writer.write_trial(&trial("t")).unwrap_err();
    assert!(matches!(error, FolderError::Gone { .. }), "{error}");
    assert_eq!(names(&other), Vec::<String>::new());
}

#[test]
fn goes_on_where_a_killed_writer_stopped() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    let writer = ResultFolder::create(path, STUDY).unwrap();
    writer.begin_trial("done").unwrap();
    writer.write_trial(&trial("done")).unwrap();
    // Killed in the middle of a trial, and in the middle of a write.
    let half = writer.begin_trial("half").unwrap();
    fs::write(half.join(LATENCY_LOG), "#[Hist").unwrap();
    fs::write(half.join(INTERVALS), "phase,sta").unwrap();
    fs::write(half.join(".dbdyno-abc.tmp"), "{").unwrap();
    fs::write(path.join(".dbdyno-xyz.tmp"), "{").unwrap();
    let mut interrupted = trial("interrupted");
    interrupted.status = TrialStatus::Interrupted;
    writer.write_trial(&interrupted).unwrap();
    drop(writer);

    let reader = ResultFolder::open(path).unwrap();
    assert_eq!(names(&reader), ["done", "interrupted"]);
    let writer = ResultFolder::create(path, STUDY).unwrap();
    assert!(!path.join(".dbdyno-xyz.tmp").exists());
    assert_eq!(
        writer.completed_trials().unwrap().into_iter().collect::<Vec<_>>(),
        ["done"]
    );
    let again = writer.begin_trial("half").unwrap();
    assert_eq!(
        fs::read_dir(&again).unwrap().count(),
        0,
        "what was left without a record is gone"
    );
    writer.write_trial(&trial("half")).unwrap();
    assert_eq!(names(&writer), ["done", "half", "interrupted"]);
    for kept in ["done", "interrupted"] {
        let error = writer.begin_trial(kept).unwrap_err().to_string();
        assert!(error.contains("already has a record"), "{error}");
    }
}

/// The moments before the folder is marked as ours.
#[test]
fn goes_on_after_a_kill_at_the_very_beginning() {
    for left in [
        &[".lock"][..],
        &[".lock", "study.toml"],
        &[".lock", "study.toml", ".dbdyno-q.tmp"],
    ] {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("trials")).unwrap();
        for name in left {
            fs::write(place.path().join(name), "x").unwrap();
        }
        let folder = ResultFolder::create(place.path(), STUDY).unwrap();
        assert_eq!(folder.study_text().unwrap(), STUDY);
    }
}

#[test]
fn foreign_folders_are_left_alone() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("holiday.jpg"), "x").unwrap();
    for error in [
        ResultFolder::create(place.path(), STUDY).unwrap_err(),
        ResultFolder::open(place.path()).unwrap_err(),
    ] {
        assert!(matches!(error, FolderError::Foreign { .. }), "{error}");
        assert!(error.to_string().contains("folder.json"), "{error}");
    }
    assert_eq!(
        fs::read_dir(place.path()).unwrap().count(),
        1,
        "nothing was added"
    );
    // A study file beside other work is somebody's project, not a result of ours.
    let project = tempfile::tempdir().unwrap();
    fs::write(project.path().join("study.toml"), "x").unwrap();
    assert!(matches!(
        ResultFolder::create(project.path(), STUDY),
        Err(FolderError::Foreign { .. })
    ));
    let missing = ResultFolder::open(&place.path().join("none")).unwrap_err();
    assert!(matches!(missing, FolderError::Missing { .. }), "{missing}");
}

#[test]
fn another_study_is_not_mixed_in() {
    let place = tempfile::tempdir().unwrap();
    drop(ResultFolder::create(place.path(), STUDY).unwrap());
    let error = ResultFolder::create(place.path(), "name = \"other\"\n").unwrap_err();
    assert!(matches!(error, FolderError::OtherStudy { .. }), "{error}");
    assert!(error.to_string().contains("--output"), "{error}");
}

fn break_record(how: impl Fn(String) -> String) -> String {
    let place = tempfile::tempdir().unwrap();
    let folder = ResultFolder::create(place.path(), STUDY).unwrap();
    folder.write_trial(&trial("t")).unwrap();
    let path = folder.trial_dir("t").join("record.json");
    let before = fs::read_to_string(&path).unwrap();
    let after = how(before.clone());
    assert_ne!(before, after, "something was broken");
    fs::write(&path, after).unwrap();
    // Its sum would tell any of these; here the reader has to.
    fs::remove_file(path.with_file_name("SHA256SUMS")).unwrap();
    let error = folder.trials().unwrap_err();
    let text = error.to_string();
    assert!(text.contains("record.json"), "says where: {text}");
    assert!(!text.contains('\n'), "one line: {text}");
    // Running a damaged trial again is its remedy; what others wrote, or a later version, is not thrown away.
    match error {
        FolderError::Damaged { .. } => {
            folder.begin_trial("t").unwrap();
            assert_eq!(folder.trials().unwrap(), []);
        }
        _ => assert!(folder.begin_trial("t").is_err() && path.exists()),
    }
    text
}

#[test]
fn damage_is_reported_with_its_place_and_remedy() {
    for error in [
        break_record(|text| text[..text.len() / 2].to_owned()),
        break_record(|_| String::new()),
        break_record(|_| "\0\0\0\0".to_owned()),
        break_record(|text| text.replacen("\"position\"", "\"postion\"", 1)),
        break_record(|text| text.replacen("\"ok\": 1000", "\"ok\": -1", 1)),
        break_record(|text| text.replacen("\"trial\": \"t\"", "\"trial\": \"u\"", 1)),
    ] {
        assert!(
            error.contains("is damaged") && error.contains("remove this trial's folder"),
            "{error}"
        );
    }
}

#[test]
fn a_garbled_histogram_is_damage_not_a_panic() {
    let bad_base64 = break_record(|text| text.replacen("\"service\": \"HI", "\"service\": \"!!", 1));
    let cut_short = break_record(|text| text.replacen("\"service\": \"HIST", "\"service\": \"", 1));
    for error in [bad_base64, cut_short] {
        assert!(error.contains("is damaged"), "{error}");
    }
}

#[test]
fn a_folder_of_trials_without_its_mark_is_damaged_and_not_foreign() {
    let place = tempfile::tempdir().unwrap();
    assert!(!ResultFolder::is_meant_at(place.path()));
    let error = ResultFolder::open(place.path()).unwrap_err();
    assert!(matches!(error, FolderError::Foreign { .. }), "{error}");

    fs::create_dir_all(place.path().join("trials/001-redb-a")).unwrap();
    fs::write(place.path().join("trials/001-redb-a/record.json"), "{}").unwrap();
    assert!(ResultFolder::is_meant_at(place.path()));
    let error = ResultFolder::open(place.path()).unwrap_err();
    assert!(matches!(error, FolderError::Damaged { .. }), "{error}");

    fs::write(place.path().join("folder.json"), "{").unwrap();
    let error = ResultFolder::open(place.path()).unwrap_err();
    assert!(matches!(error, FolderError::Damaged { .. }), "{error}");
}

#[test]
fn the_future_and_the_foreign_are_distinguished() {
    let newer = break_record(|text| text.replacen("dbdyno.trial/1", "dbdyno.trial/9", 1));
    assert!(
        newer.contains("dbdyno.trial/4") && newer.contains("use a newer dbdyno"),
        "{newer}"
    );
    let foreign = break_record(|text| text.replacen("dbdyno.trial/1", "other.thing/1", 1));
    assert!(foreign.contains("was not written by dbdyno"), "{foreign}");

    let place = tempfile::tempdir().unwrap();
    drop(ResultFolder::create(place.path(), STUDY).unwrap());
    let marker = r#"{"format": "dbdyno.folder/9", "written_by": "dbdyno 9.0.0", "new": 1}"#;
    fs::write(place.path().join("folder.json"), marker).unwrap();
    for error in [
        ResultFolder::open(place.path()).unwrap_err(),
        ResultFolder::create(place.path(), STUDY).unwrap_err(),
    ] {
        assert!(matches!(error, FolderError::Newer { .. }), "{error}");
    }
}

#[test]
fn trial_names_cannot_leave_the_folder() {
    let place = tempfile::tempdir().unwrap();
    let folder = ResultFolder::create(place.path(), STUDY).unwrap();
    for name in ["", "..", "../x", "a/b", ".hidden", "a b", "ä", &"x".repeat(201)] {
        let mut record = trial("t");
        record.trial = name.to_owned();
        let errors = [
            folder.write_trial(&record).unwrap_err(),
            folder.begin_trial(name).unwrap_err(),
            folder
                .write_plan(&PlanFile::new(PlannedStudy::default(), vec![planned(name, 0)]))
                .unwrap_err(),
        ];
        for error in errors {
            assert!(
                matches!(error, FolderError::BadTrialName { .. }),
                "{name:?}: {error}"
            );
        }
    }
    let twice = folder
        .write_plan(&PlanFile::new(
            PlannedStudy::default(),
            vec![planned("a", 0), planned("a", 1)],
        ))
        .unwrap_err();
    assert!(twice.to_string().contains("two trials"), "{twice}");
}

/// A folder written by format 1, committed: it must stay readable for ever.
#[test]
fn reads_what_version_1_wrote() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/folder-v1");
    let folder = ResultFolder::open(&path).unwrap();
    assert_eq!(folder.study_text().unwrap(), "name = \"version-1\"\n");
    let plan = folder.plan().unwrap().unwrap();
    assert_eq!(plan.trials[1].spec.system.name, "null");
    let environment = folder.environment().unwrap().unwrap();
    assert_eq!(
        environment.processor.model.as_deref(),
        Some("Example Processor 3000")
    );
    let trials = folder.trials().unwrap();
    assert_eq!(trials.len(), 2);
    assert_eq!(trials[0].trial, "b0-memory-a");
    let measure = trials[0].measure.as_ref().unwrap();
    let reads = &measure.operations["read"];
    assert_eq!((reads.ok, reads.service.count()), (1000, 1000));
    let p99 = reads.service.percentile_ns(99.0).unwrap();
    assert!((990_000..=991_000).contains(&p99), "{p99}");
    assert_eq!(measure.pacing.as_ref().unwrap().backlog, 3);
    assert!(matches!(trials[1].status, TrialStatus::Failed { .. }));
    let rows = folder.intervals("b0-memory-a").unwrap();
    assert_eq!((rows.len(), rows[0].ok, rows[1].p50_us), (2, 1000, None));
}

#[test]
fn whoever_may_only_read_a_folder_sees_that_it_is_being_written() {
    let place = tempfile::tempdir().unwrap();
    drop(ResultFolder::create(place.path(), STUDY).unwrap());
    let folder = ResultFolder::open(place.path()).unwrap();
    // Tests may run as root, who may write to every file. A directory can be locked, too, and nobody can open it for writing.
    let lock = place.path().join(".lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    assert!(!folder.is_being_written());
    let held = fs::File::open(&lock).unwrap();
    held.try_lock().unwrap();
    assert!(folder.is_being_written());
}
