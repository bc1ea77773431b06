//! Files of a result folder that are no files, or that nobody could read to their end: each is refused at once, by name.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{planned, trial};
use dbdyno_record::folder::{INTERVALS, LATENCY_LOG};
use dbdyno_record::{
    Environment, FolderError, PlanFile, PlannedStudy, ResultFolder, history, interval_log, intervals, live,
};

const TRIAL: &str = "t-a";

/// A whole folder of one trial.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("results");
    let writer = ResultFolder::create(&path, "name = \"example\"\n").unwrap();
    writer
        .write_plan(&PlanFile::new(PlannedStudy::default(), vec![planned(TRIAL, 0)]))
        .unwrap();
    let environment: Environment =
        serde_json::from_str(include_str!("fixtures/folder-v1/environment.json")).unwrap();
    writer.write_environment(&environment).unwrap();
    writer.begin_trial(TRIAL).unwrap();
    writer.write_trial(&trial(TRIAL)).unwrap();
    drop(writer);
    (place, path)
}

/// Reads all that a folder holds.
fn read(path: &Path) -> Result<(), FolderError> {
    let folder = ResultFolder::open(path)?;
    folder.study_text()?;
    folder.plan()?;
    folder.environment()?;
    folder.trials_and_doubts()?;
    let place = path.join("trials").join(TRIAL);
    intervals::read(&place.join(INTERVALS))?;
    interval_log::read(&place.join(LATENCY_LOG), |_| true, |_| ())
}

fn device(path: &Path) {
    std::os::unix::fs::symlink("/dev/zero", path).unwrap();
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Of gigabytes, of which the disk holds none.
fn huge(path: &Path) {
    File::create(path).unwrap().set_len(2 << 30).unwrap();
}

fn directory(path: &Path) {
    fs::create_dir(path).unwrap();
}

/// Puts something else where a file belongs.
type Put = fn(&Path);

/// What may lie there, and what is said of it.
const IMPOSTORS: [(Put, &str); 4] = [
    (device, "not a regular file"),
    (pipe, "not a regular file"),
    (directory, "s a directory"),
    (huge, "larger than"),
];

#[test]
fn no_file_of_a_folder_is_waited_for_or_read_without_an_end() {
    let of_trial = |name: &str| format!("trials/{TRIAL}/{name}");
    let names = [
        "folder.json".to_owned(),
        "study.toml".to_owned(),
        "plan.json".to_owned(),
        "environment.json".to_owned(),
        "SHA256SUMS".to_owned(),
        of_trial("SHA256SUMS"),
        of_trial("record.json"),
        of_trial(INTERVALS),
        of_trial(LATENCY_LOG),
    ];
    for (put, said) in IMPOSTORS {
        for name in &names {
            let (_place, path) = folder();
            read(&path).unwrap();
            let impostor = path.join(name);
            let _ = fs::remove_file(&impostor);
            put(&impostor);
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(said), "{name}: {error}");
            assert!(
                error.contains(name) || name.contains("SHA256SUMS"),
                "{name}: {error}"
            );
        }
    }
}

#[test]
fn no_file_beside_the_results_is_waited_for_or_read_without_an_end() {
    for (put, said) in IMPOSTORS {
        let (_place, path) = folder();
        for name in ["live.jsonl", ".lock", ".asked"] {
            let impostor = path.join(name);
            let _ = fs::remove_file(&impostor);
            put(&impostor);
        }
        let folder = ResultFolder::open(&path).unwrap();
        assert!(!folder.is_being_written());
        assert_eq!(live::asked(&path), live::Asked::Run);
        if let Err(error) = live::LiveReader::new(&path).look() {
            assert!(error.to_string().contains(said), "{error}");
        }
        let lines = path.join("history.jsonl");
        put(&lines);
        for error in [
            history::read(&lines).unwrap_err(),
            history::append(&lines, &[]).unwrap_err(),
        ] {
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}

#[test]
fn a_folder_whose_lock_is_a_pipe_is_not_waited_for() {
    let (_place, path) = folder();
    let lock = path.join(".lock");
    fs::remove_file(&lock).unwrap();
    pipe(&lock);
    let error = ResultFolder::create(&path, "name = \"example\"\n").unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}
