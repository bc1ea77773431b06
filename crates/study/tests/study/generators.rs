//! Studies whose load other processes send, and those stay away.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dbdyno_driver::Target;
use dbdyno_engine::{EngineError, LoadGenerators, Observer, Outcome, PreparedTrial, Stop};
use dbdyno_record::TrialStatus;
use dbdyno_study::conductor::{self, StudyRun};
use dbdyno_study::file::parse;
use dbdyno_study::{CheckedStudy, Summary};

const WHY: &str = "1 of 2 agents are there";

/// This process under another name, which is there for so many trials.
struct There(AtomicUsize);

impl LoadGenerators for There {
    fn run_trial(
        &self,
        target: &Target,
        plan: &PreparedTrial,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Outcome, EngineError> {
        let left = |left: usize| left.checked_sub(1);
        match self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left) {
            Ok(_) => dbdyno_registry::run_trial(target, plan, observer, stop),
            Err(_) => Err(EngineError::NoGenerators(WHY.to_owned())),
        }
    }

    fn processes_here(&self) -> Vec<u32> {
        Vec::new()
    }
}

/// None at all, while whoever waits for them loses patience.
struct StoppedMeanwhile;

impl LoadGenerators for StoppedMeanwhile {
    fn run_trial(
        &self,
        _: &Target,
        _: &PreparedTrial,
        _: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Outcome, EngineError> {
        stop.request();
        Err(EngineError::NoGenerators(WHY.to_owned()))
    }

    fn processes_here(&self) -> Vec<u32> {
        Vec::new()
    }
}

fn run_by(file: &CheckedStudy, output: &Path, generators: Arc<dyn LoadGenerators>) -> Summary {
    let folder = conductor::open_folder(file, output).unwrap();
    let run = StudyRun {
        file,
        folder: &folder,
        aborted: &[],
        generators: Some(generators),
    };
    conductor::run_with(run, &mut (), &Stop::new()).unwrap()
}

fn run(file: &CheckedStudy, output: &Path, trials: usize) -> Summary {
    run_by(file, output, Arc::new(There(AtomicUsize::new(trials))))
}

fn assert_goes_on_when_they_are_back(keys: &str) {
    let text = format!(
        "name = \"t\"\nsystems = [\"memory\", \"null\"]\nworkloads = [\"c\"]\nrecords = 100\nclients = 2\nwarmup = \"10ms\"\n{keys}"
    );
    let file = CheckedStudy {
        study: parse(&text, Path::new(".")).unwrap(),
        text,
    };
    let place = tempfile::tempdir().unwrap();
    let output = place.path().join("r");

    // More often than a trial may fail.
    assert_eq!(run(&file, &output, 3).completed, 3);
    for _ in 0..6 {
        let summary = run(&file, &output, 0);
        assert!(summary.interrupted);
        assert_eq!(summary.stopped_because.as_deref(), Some(WHY));
        assert!(
            summary.failed.is_empty() && summary.given_up.is_empty(),
            "{summary:?}"
        );
    }
    // Who stops it then has stopped it, and the agents did not.
    let stopped = run_by(&file, &output, Arc::new(StoppedMeanwhile));
    assert!(stopped.interrupted && stopped.stopped_because.is_none());
    let folder = conductor::open_folder(&file, &output).unwrap();
    let ended: Vec<_> = folder
        .trials()
        .unwrap()
        .into_iter()
        .map(|record| record.status)
        .collect();
    drop(folder);
    assert!(ended.contains(&TrialStatus::Interrupted), "{ended:?}");

    let summary = run(&file, &output, usize::MAX);
    assert!(!summary.interrupted && summary.stopped_because.is_none());
    let folder = conductor::open_folder(&file, &output).unwrap();
    assert!(conductor::is_complete(&file, &folder).unwrap());
}

#[test]
fn a_study_whose_generators_stay_away_stops_and_goes_on() {
    assert_goes_on_when_they_are_back("order = \"blocks\"\ntrials = 3\noperations = 500\n");
}

#[test]
fn systems_that_take_turns_stop_and_go_on_together() {
    assert_goes_on_when_they_are_back("trials = 3\nduration = \"400ms\"\nslice = \"50ms\"\n");
}

#[test]
fn a_search_whose_generators_stay_away_stops_and_goes_on() {
    assert_goes_on_when_they_are_back(
        "kind = \"sweep\"\norder = \"blocks\"\ntrials = 2\nrates = [500, 1000]\nduration = \"100ms\"\n",
    );
}
