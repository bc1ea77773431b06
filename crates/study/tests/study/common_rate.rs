//! One rate for all systems of a cell, found by pilots.

use std::path::Path;

use dbdyno_engine::Stop;
use dbdyno_record::{ResultFolder, TrialRecord, TrialStatus};
use dbdyno_study::file::parse;
use dbdyno_study::{CheckedStudy, StudyEvent, StudyObserver, Summary, conductor, pilot};
use dbdyno_trial::Level;

/// A sleep takes at least as long as it is asked to: two clients cannot exceed 1000/s and 200/s.
const STUDY: &str = "name = \"t\"\ntrials = 2\nsystems = [\"sick?delay=2ms\", \"sick?delay=10ms\"]\nrecords = 50\n\
                     clients = 2\nduration = \"250ms\"\nwarmup = \"10ms\"\nrepeat_disturbed = 0\n\
                     workloads = [\"a\"]\n[[workload]]\nbase = \"c\"\nrates = [\"unlimited\", \"common\"]\n";

#[derive(Default)]
struct Started(Vec<String>);

impl StudyObserver for Started {
    fn event(&mut self, event: &StudyEvent<'_>) {
        if let StudyEvent::TrialStarted { trial, .. } = event {
            self.0.push(trial.planned.trial.clone());
        }
    }
}

fn run(text: &str, output: &Path) -> (Summary, Vec<String>, Vec<TrialRecord>) {
    let file = CheckedStudy {
        study: parse(text, Path::new(".")).unwrap(),
        text: text.to_owned(),
    };
    let results = conductor::open_folder(&file, output).unwrap();
    let mut started = Started::default();
    let summary = conductor::run(&file, &results, &mut started, &Stop::new()).unwrap();
    (summary, started.0, results.trials().unwrap())
}

fn pilots(records: &[TrialRecord]) -> Vec<&TrialRecord> {
    records.iter().filter(|record| record.spec.is_pilot()).collect()
}

/// The trials at the common rate.
fn paced(records: &[TrialRecord]) -> Vec<&TrialRecord> {
    let common = |record: &&TrialRecord| record.spec.common_rate && !record.spec.is_pilot();
    records.iter().filter(common).collect()
}

/// The one rate of these trials.
fn the_rate(trials: &[&TrialRecord]) -> f64 {
    let rate = trials[0].spec.rate().unwrap();
    for trial in trials {
        assert_eq!(trial.spec.rate(), Some(rate), "{}", trial.trial);
    }
    rate
}

fn remove(output: &Path, trials: &[&TrialRecord]) {
    for trial in trials {
        std::fs::remove_dir_all(output.join("trials").join(&trial.trial)).unwrap();
    }
}

#[test]
fn every_system_is_asked_for_half_of_what_the_slowest_one_can_do() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    let (summary, started, records) = run(STUDY, &output);
    // Two systems, two blocks: workload a in a closed loop, c in a closed loop and at the common rate.
    assert_eq!((summary.total, summary.completed), (12, 12));
    assert_eq!(
        started[..2],
        [
            "pilot-01-sick-delay-2ms-c-common",
            "pilot-02-sick-delay-10ms-c-common"
        ]
    );
    let rates: Vec<f64> = pilots(&records)
        .iter()
        .map(|pilot| {
            assert_eq!(pilot.spec.rate(), None, "a pilot is a closed loop");
            pilot.measure.as_ref().unwrap().throughput_per_second().unwrap()
        })
        .collect();
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(rates.len() == 2 && slowest <= 201.0, "{rates:?}");

    let trials = paced(&records);
    assert_eq!(trials.len(), 4);
    let rate = the_rate(&trials);
    // Two significant digits are within 5% of what they round.
    assert!((rate / (slowest * 0.5) - 1.0).abs() <= 0.05, "{rate} {slowest}");
    assert!(trials.iter().all(|trial| trial.spec.pace.is_some()));
    let others = records
        .iter()
        .filter(|record| record.spec.factors()["rate"] == Level::Unlimited);
    assert!(others.map(|record| record.spec.rate()).all(|rate| rate.is_none()));
}

#[test]
fn a_study_that_goes_on_keeps_its_rate() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    let (_, _, records) = run(STUDY, &output);
    let rate = the_rate(&paced(&records));

    // As a kill after the pilots leaves it: the rate follows from them, and they do not run again.
    let measured: Vec<&TrialRecord> = records.iter().filter(|r| !r.spec.is_pilot()).collect();
    remove(&output, &measured);
    // A copy of a pilot, which the study knows by no such name, says nothing.
    let mut copy = pilots(&records)[1].clone();
    copy.trial = "pilot-09-copy".to_owned();
    copy.measure.as_mut().unwrap().duration_ns *= 10;
    let results = ResultFolder::create(&output, STUDY).unwrap();
    results.begin_trial(&copy.trial).unwrap();
    results.write_trial(&copy).unwrap();
    drop(results);
    let (summary, started, records) = run(STUDY, &output);
    remove(&output, &[&copy]);
    assert_eq!(summary.completed, 12);
    assert!(
        started.iter().all(|trial| !trial.starts_with("pilot")),
        "{started:?}"
    );
    assert_eq!(the_rate(&paced(&records)), rate);

    // A faster pilot does not change the rate of trials that were begun.
    let mut slowest = pilots(&records)[1].clone();
    slowest.measure.as_mut().unwrap().duration_ns /= 10;
    let results = ResultFolder::create(&output, STUDY).unwrap();
    results.write_trial(&slowest).unwrap();
    drop(results);
    remove(&output, &paced(&records)[1..]);
    let (_, _, records) = run(STUDY, &output);
    // The one that was left is measured again, with what took turns with it.
    assert_eq!(paced(&records).len(), 5);
    assert_eq!(the_rate(&paced(&records)), rate);

    // Without them it would have.
    remove(&output, &paced(&records));
    let (_, _, records) = run(STUDY, &output);
    assert!(the_rate(&paced(&records)) > rate);
}

#[test]
fn a_system_whose_pilot_fails_has_no_common_rate_and_the_others_have() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "not a folder").unwrap();
    let text = STUDY.replace("sick?delay=2ms", &format!("fjall:{}/x", blocked.display()));
    let output = folder.path().join("r");
    let (summary, _, records) = run(&text, &output);
    // Its pilot, and its six trials.
    assert_eq!((summary.completed, summary.failed.len()), (6, 7), "{summary:?}");
    let (ok, failed): (Vec<_>, Vec<_>) = paced(&records)
        .into_iter()
        .partition(|trial| trial.status == TrialStatus::Completed);
    assert_eq!((ok.len(), failed.len()), (2, 2));
    let rate = the_rate(&ok);
    assert!(rate <= 100.0, "{rate}");
    for trial in failed {
        let TrialStatus::Failed { reason, .. } = &trial.status else {
            panic!("{:?}", trial.status)
        };
        assert!(
            reason.contains("no load to give all systems: the pilot of fjall:") && reason.contains("fjall"),
            "{reason}"
        );
    }

    // When it can be reached again it is asked for the rate that the others had.
    std::fs::remove_file(&blocked).unwrap();
    std::fs::create_dir(&blocked).unwrap();
    let (summary, started, records) = run(&text, &output);
    assert!(started[0].starts_with("pilot-01-fjall"), "{started:?}");
    // The others took turns without it, so they are measured again, too.
    assert_eq!((summary.completed, summary.failed.len()), (12, 0), "{summary:?}");
    // The attempts that failed stay.
    let mut completed = paced(&records);
    completed.retain(|trial| trial.status == TrialStatus::Completed);
    assert_eq!(completed.len(), 4);
    assert_eq!(the_rate(&completed), rate);
}

#[test]
fn every_level_of_the_other_factors_has_a_rate_of_its_own() {
    let text = STUDY.replace("clients = 2", "clients = [1, 4]");
    let study = parse(&text, Path::new(".")).unwrap();
    let names: Vec<String> = pilot::trials(&study)
        .into_iter()
        .map(|pilot| pilot.planned.trial)
        .collect();
    assert_eq!(
        names,
        [
            "pilot-01-sick-delay-2ms-c-c1-common",
            "pilot-02-sick-delay-2ms-c-c4-common",
            "pilot-03-sick-delay-10ms-c-c1-common",
            "pilot-04-sick-delay-10ms-c-c4-common",
        ],
        "one system after the other"
    );
    let folder = tempfile::tempdir().unwrap();
    let (_, _, records) = run(&text, &folder.path().join("r"));
    let rate = |clients: u32| {
        let trials = paced(&records);
        let of_level: Vec<&TrialRecord> = trials
            .into_iter()
            .filter(|trial| trial.spec.clients == clients)
            .collect();
        the_rate(&of_level)
    };
    assert!(rate(1) < rate(4));
}
