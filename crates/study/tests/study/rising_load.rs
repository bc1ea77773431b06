//! Searches and sweeps on databases in memory: every trial once, whatever happens in between.

use std::collections::BTreeSet;
use std::path::Path;

use crate::disturbed::DisturbedIn;
use dbdyno_engine::Stop;
use dbdyno_record::{Purpose, ResultFolder, TrialRecord, TrialStatus};
use dbdyno_stats::capacity::{Doubt, SearchResult, most_probes};
use dbdyno_study::file::parse;
use dbdyno_study::rising_load::{Kind, tasks};
use dbdyno_study::{CheckedStudy, StudyEvent, StudyObserver, conductor};

/// Nothing keeps this objective, on any machine.
const HOPELESS: &str = "name = \"c\"\nkind = \"capacity\"\nslo = \"errors>50%\"\ntrials = 3\nsystems = [\"memory\", \"null\"]\n\
                        workloads = [\"a\"]\nrecords = 50\nclients = 2\nduration = \"30ms\"\nwarmup = \"0s\"\n";
const SWEEP: &str = "name = \"s\"\nkind = \"sweep\"\ntrials = 2\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\", \"c\"]\n\
                      records = 50\nclients = [1, 2, 3]\noperations = 300\nwarmup = \"0s\"\norder = \"blocks\"\n";

fn study_file(text: &str) -> CheckedStudy {
    CheckedStudy {
        study: parse(text, Path::new(".")).unwrap(),
        text: text.to_owned(),
    }
}

/// Asks for a stop when so many trials have ended.
struct StopAfter(usize, Stop);

impl StudyObserver for StopAfter {
    fn event(&mut self, event: &StudyEvent<'_>) {
        if let StudyEvent::TrialEnded { .. } = event {
            self.0 = self.0.saturating_sub(1);
            if self.0 == 0 {
                self.1.request();
            }
        }
    }
}

fn open(file: &CheckedStudy, folder: &tempfile::TempDir) -> ResultFolder {
    conductor::open_folder(file, &folder.path().join("r")).unwrap()
}

/// The parts of a record that name a trial apart from its place in time.
fn asked(trial: &TrialRecord) -> (String, String, Purpose, Option<u64>, u32, u32) {
    (
        trial.system.name.clone(),
        trial.workload.name.clone(),
        trial.spec.purpose.unwrap(),
        trial.spec.rate().map(f64::to_bits),
        trial.spec.clients,
        trial.block,
    )
}

#[test]
fn a_search_ends_goes_on_after_a_stop_and_repeats_nothing() {
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(HOPELESS));
    let stop = Stop::new();
    let first = conductor::run(
        &file,
        &open(&file, &folder),
        &mut StopAfter(5, stop.clone()),
        &stop,
    )
    .unwrap();
    assert!(first.interrupted);
    assert_eq!(
        first.completed, 6,
        "the fifth was measured in turns with the sixth"
    );
    let results = open(&file, &folder);
    assert!(!conductor::is_complete(&file, &results).unwrap());
    let second = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert!(conductor::is_complete(&file, &results).unwrap());
    assert!(!second.interrupted);
    assert_eq!(second.already_done, 6);

    let trials = results.trials().unwrap();
    assert_eq!(trials.len(), second.total);
    let distinct: BTreeSet<_> = trials.iter().map(asked).collect();
    assert_eq!(distinct.len(), trials.len(), "a trial was run twice");
    let plan = results.plan().unwrap().unwrap();
    assert_eq!(plan.trials.len(), trials.len());
    assert_eq!(
        plan.study,
        Some(file.study.planned()),
        "a report reads it from here"
    );
    let Kind::Capacity(capacity) = &file.study.kind else {
        panic!("a search");
    };
    for cell in file.study.cells() {
        let own = tasks::of_cell(&cell, &trials);
        assert!(own.len() <= 1 + most_probes(3));
        assert_eq!(tasks::next(&file.study, &cell, &own), None);
        let survey = tasks::survey(capacity, 3, &own);
        assert!(
            matches!(survey.answer(), SearchResult::None { .. }),
            "{:?}",
            survey.answer()
        );
    }
    // The systems took turns.
    let order: Vec<&str> = trials.iter().map(|trial| trial.system.name.as_str()).collect();
    let in_turns = order
        .chunks(2)
        .take(8)
        .filter(|pair| pair[0] != pair.get(1).copied().unwrap_or(pair[0]));
    assert_eq!(in_turns.count(), 8, "{order:?}");

    let third = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!((third.completed, third.already_done), (0, trials.len()));
}

#[test]
fn a_sweep_measures_every_step_once_in_every_block() {
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(SWEEP));
    let results = open(&file, &folder);
    let summary = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!((summary.completed, summary.total), (24, 24));
    let trials = results.trials().unwrap();
    let distinct: BTreeSet<_> = trials.iter().map(asked).collect();
    assert_eq!(distinct.len(), 24);
    for trial in &trials {
        assert_eq!(trial.spec.purpose, Some(Purpose::Step));
        let twin = trials.iter().filter(|other| other.block == trial.block);
        assert!(
            twin.into_iter().all(|other| other.seed == trial.seed),
            "all of a block get the same operations"
        );
    }
    // As a kill leaves it: one trial without its record.
    let gone = &trials[7].trial;
    std::fs::remove_file(results.trial_dir(gone).join("record.json")).unwrap();
    let again = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!((again.already_done, again.completed), (23, 1));
    assert!(
        results.trial(gone).unwrap().is_some(),
        "it came back under its own name"
    );
}

#[test]
fn each_step_of_a_sweep_is_measured_in_turns() {
    let text = SWEEP.replace("order = \"blocks\"\n", "");
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(&text));
    let results = open(&file, &folder);
    let summary = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!((summary.completed, summary.total), (24, 24));
    let trials = results.trials().unwrap();
    for trial in &trials {
        let beside = &trial.conditions.interleaving.as_ref().unwrap().beside;
        let other = trials
            .iter()
            .find(|other| [other.trial.clone()] == **beside)
            .unwrap();
        assert_ne!(other.system.name, trial.system.name);
        assert_eq!(
            (other.spec.clients, other.block, &other.workload.name),
            (trial.spec.clients, trial.block, &trial.workload.name)
        );
    }
    // As a kill leaves it: one trial of a group without its record.
    let gone = &trials[7].trial;
    std::fs::remove_file(results.trial_dir(gone).join("record.json")).unwrap();
    let again = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!((again.already_done, again.completed), (23, 1));
    assert!(results.trial(gone).unwrap().is_some());
}

#[test]
fn a_disturbed_step_is_kept_and_measured_again() {
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(SWEEP));
    let results = open(&file, &folder);
    let mut machine = DisturbedIn::trials(&[3, 4]);
    let summary = conductor::run_on(&mut machine, &file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!(
        (summary.completed, summary.total, summary.disturbed.len()),
        (24, 24, 2)
    );
    let third = results.plan().unwrap().unwrap().trials[2].trial.clone();
    assert_eq!(summary.disturbed, [third.clone(), format!("{third}~2")]);
    let trials = results.trials().unwrap();
    assert_eq!(trials.len(), 26, "what was disturbed is kept");
    let counted: BTreeSet<_> = trials
        .iter()
        .filter(|trial| trial.status == TrialStatus::Completed)
        .map(asked)
        .collect();
    assert_eq!(counted.len(), 24, "every step counts once in every block");

    // As a kill leaves it between a disturbed trial and its repetition.
    std::fs::remove_dir_all(results.trial_dir(&format!("{third}~3"))).unwrap();
    let again = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!((again.already_done, again.completed), (23, 1));
    assert!(results.trial(&format!("{third}~3")).unwrap().is_some());
}

#[test]
fn what_a_disturbed_machine_misses_is_no_answer() {
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(HOPELESS));
    let results = open(&file, &folder);
    let mut machine = DisturbedIn::trials(&(1..1000).collect::<Vec<_>>());
    let summary = conductor::run_on(&mut machine, &file, &results, &mut (), &Stop::new()).unwrap();
    assert!(
        !summary.disturbed.is_empty() && summary.disturbed.len() < 2 * summary.completed,
        "repeated until the time for repeats was spent: {} of {}",
        summary.disturbed.len(),
        summary.completed
    );
    let trials = results.trials().unwrap();
    let Kind::Capacity(capacity) = &file.study.kind else {
        panic!("a search");
    };
    for cell in file.study.cells() {
        let own = tasks::of_cell(&cell, &trials);
        let answer = tasks::survey(capacity, 3, &own).answer();
        let SearchResult::Undecided {
            held: None,
            missed: None,
            doubt: Doubt::Disturbance,
        } = answer
        else {
            panic!("{answer:?}");
        };
    }
}

/// Four clients that wait for at least 2 ms each cannot reach 2,000 operations a second, whatever else the machine does; and a machine
/// that is busy in every trial is the one to give the answer for.
#[test]
fn a_machine_that_is_always_busy_has_a_capacity() {
    let text = "name = \"c\"\nkind = \"capacity\"\nslo = \"errors<1%\"\ntrials = 3\nsystems = [\"sick?delay=2ms\"]\n\
                workloads = [\"c\"]\nrecords = 50\nclients = 4\nduration = \"150ms\"\nwarmup = \"0s\"\nrepeat_disturbed = 0\n";
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(text));
    let results = open(&file, &folder);
    let mut machine = DisturbedIn::trials(&(1..1000).collect::<Vec<_>>());
    conductor::run_on(&mut machine, &file, &results, &mut (), &Stop::new()).unwrap();
    let trials = results.trials().unwrap();
    assert!(trials.iter().all(|trial| trial.conditions.is_disturbed()));
    let Kind::Capacity(capacity) = &file.study.kind else {
        panic!("a search");
    };
    let own = tasks::of_cell(&file.study.cells()[0], &trials);
    match tasks::survey(capacity, 3, &own).answer() {
        SearchResult::Capacity { held, disturbed, .. } => {
            assert!(held < 2_000.0 && disturbed, "held at {held}");
        }
        // Trials of so short a time may disagree; none of them is the machine's or the client's fault.
        SearchResult::Undecided {
            doubt: Doubt::Disagreement,
            ..
        } => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_system_that_cannot_be_opened_ends_its_own_search_only() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "not a folder").unwrap();
    let text = SWEEP.replace("\"null\"", &format!("\"fjall:{}/x\"", blocked.display()));
    let file = study_file(&text);
    let summary = conductor::run(&file, &open(&file, &folder), &mut (), &Stop::new()).unwrap();
    assert_eq!(
        (summary.completed, summary.failed.len()),
        (12, 2),
        "two workloads of one system"
    );
}
