//! Studies whose systems are measured in turns: every trial once, whatever happens in between, and ratios as they are.

use std::path::Path;

use dbdyno_engine::{Event, Phase, Stop};
use dbdyno_machine::{CpuTime, HostSnapshot};
use dbdyno_record::{ResultFolder, TrialRecord, TrialStatus};
use dbdyno_study::conditions::Machine;
use dbdyno_study::file::parse;
use dbdyno_study::{CheckedStudy, Plan, StudyEvent, StudyObserver, Summary, conductor};

const STUDY: &str = "name = \"t\"\ntrials = 2\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\", \"d\"]\n\
                     records = 100\nclients = 2\nduration = \"600ms\"\nwarmup = \"10ms\"\n\
                     repeat_disturbed = 0\n";

fn study_file(text: &str) -> CheckedStudy {
    CheckedStudy {
        study: parse(text, Path::new(".")).unwrap(),
        text: text.to_owned(),
    }
}

fn run(text: &str, output: &Path) -> (Summary, Vec<TrialRecord>) {
    run_with(text, output, &mut (), &Stop::new())
}

fn run_with(
    text: &str,
    output: &Path,
    observer: &mut dyn StudyObserver,
    stop: &Stop,
) -> (Summary, Vec<TrialRecord>) {
    let file = study_file(text);
    let results = conductor::open_folder(&file, output).unwrap();
    let summary = conductor::run(&file, &results, observer, stop).unwrap();
    (summary, results.trials().unwrap())
}

/// Hears which trials end.
#[derive(Default)]
struct Ended(Vec<String>);

impl StudyObserver for Ended {
    fn event(&mut self, event: &StudyEvent<'_>) {
        if let StudyEvent::TrialEnded { record, .. } = event {
            self.0.push(record.trial.clone());
        }
    }
}

#[test]
fn every_trial_is_run_once_in_slices() {
    let folder = tempfile::tempdir().unwrap();
    let mut ended = Ended::default();
    let (summary, records) = run_with(STUDY, &folder.path().join("r"), &mut ended, &Stop::new());
    assert_eq!((summary.completed, summary.failed.len()), (8, 0));
    let planned = Plan::new(&study_file(STUDY).study).trials;
    let names: Vec<&str> = planned.iter().map(|trial| trial.planned.trial.as_str()).collect();
    assert_eq!(ended.0, names);
    for record in &records {
        assert_eq!(record.status, TrialStatus::Completed);
        let turns = record.conditions.interleaving.as_ref().unwrap();
        // Twice 300 ms; with it one other trial, which has the same work.
        assert_eq!((turns.slices.len(), turns.beside.len()), (2, 1), "{turns:?}");
        let other = records
            .iter()
            .find(|other| other.trial == turns.beside[0])
            .unwrap();
        assert_eq!(
            (other.block, other.seed, &other.workload.name),
            (record.block, record.seed, &record.workload.name)
        );
        let measured_ns: u64 = turns.slices.iter().map(|slice| slice.measured_ns).sum();
        let charged_ns = turns.work.map_or(0, |work| work.charged_ns);
        assert_eq!(
            record.measure.as_ref().unwrap().duration_ns,
            measured_ns + charged_ns
        );
        let ok: u64 = turns.slices.iter().map(|slice| slice.ok).sum();
        let counted: u64 = record
            .measure
            .as_ref()
            .unwrap()
            .operations
            .values()
            .map(|kind| kind.ok)
            .sum();
        assert_eq!(ok, counted);
        let rows = std::fs::read_to_string(
            folder
                .path()
                .join("r/trials")
                .join(&record.trial)
                .join("intervals.csv"),
        )
        .unwrap();
        assert!(rows.lines().any(|row| row.starts_with("measure,")), "{rows}");
    }
}

#[test]
fn a_group_of_which_trials_are_missing_is_measured_again_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    let (_, records) = run(STUDY, &output);
    let lost = [&records[1].trial, &records[4].trial, &records[5].trial];
    for trial in lost {
        std::fs::remove_dir_all(output.join("trials").join(trial)).unwrap();
    }
    // Nothing that counts is lost before there is something better.
    let stop = Stop::new();
    let (summary, stopped) = run_with(STUDY, &output, &mut StopIn(Phase::Measure, stop.clone()), &stop);
    assert!(summary.interrupted, "{summary:?}");
    let counted = stopped
        .iter()
        .filter(|record| record.status == TrialStatus::Completed);
    assert_eq!(counted.count(), records.len() - lost.len());
    let (summary, again) = run(STUDY, &output);
    assert_eq!(summary.completed, 4, "{summary:?}");
    // The rest of a group would be compared with trials of another time.
    let torn: Vec<&TrialRecord> = again
        .iter()
        .filter(|record| {
            record
                .findings
                .iter()
                .any(|finding| finding.code() == "torn-group")
        })
        .collect();
    assert_eq!(torn.len(), 1);
    assert_eq!(
        (torn[0].trial.as_str(), &torn[0].status),
        (records[0].trial.as_str(), &TrialStatus::Disturbed)
    );
    let counted = again
        .iter()
        .filter(|record| record.status == TrialStatus::Completed);
    assert!(
        counted
            .clone()
            .all(|record| record.conditions.interleaving.is_some())
    );
    assert_eq!(counted.count(), records.len());
}

/// Requests a stop when a trial has left its measured phase.
struct StopAfterMeasuring(Stop);

impl StudyObserver for StopAfterMeasuring {
    fn event(&mut self, event: &StudyEvent<'_>) {
        if let StudyEvent::Engine(Event::PhaseEnded {
            phase: Phase::Measure | Phase::Drain,
        }) = event
        {
            self.0.request();
        }
    }
}

#[test]
fn trials_that_count_took_turns_with_each_other_wherever_a_resume_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    // Groups end with one system in some blocks, and with the other one in others.
    let text = STUDY
        .replace("trials = 2", "trials = 6")
        .replace("600ms", "200ms");
    let (_, records) = run(&text, &output);
    // The one that is made ready last, whose events are heard, is missing in each group.
    for record in &records {
        let beside = &record.conditions.interleaving.as_ref().unwrap().beside;
        if beside.iter().all(|other| *other < record.trial) {
            std::fs::remove_dir_all(output.join("trials").join(&record.trial)).unwrap();
        }
    }
    for _ in 0..4 {
        let stop = Stop::new();
        let (_, records) = run_with(&text, &output, &mut StopAfterMeasuring(stop.clone()), &stop);
        all_took_turns_together(&records);
    }
    let (summary, records) = run(&text, &output);
    assert!(!summary.interrupted, "{summary:?}");
    all_took_turns_together(&records);
    let counted = records
        .iter()
        .filter(|record| record.status == TrialStatus::Completed);
    assert_eq!(counted.count(), 24);
}

/// In groups of which nobody is missing, trials name those that count.
fn all_took_turns_together(records: &[TrialRecord]) {
    let counted: Vec<&TrialRecord> = records
        .iter()
        .filter(|record| record.status == TrialStatus::Completed)
        .collect();
    let of_group = |record: &TrialRecord| (record.block, record.spec.workload.clone());
    for record in &counted {
        let others = counted
            .iter()
            .filter(|other| of_group(other) == of_group(record) && other.trial != record.trial);
        let others: Vec<&String> = others.map(|other| &other.trial).collect();
        let beside: Vec<&String> = record
            .conditions
            .interleaving
            .iter()
            .flat_map(|turns| &turns.beside)
            .collect();
        assert!(others.is_empty() || others == beside, "{others:?} {beside:?}");
    }
}

/// Requests a stop when a trial enters this phase.
struct StopIn(Phase, Stop);

impl StudyObserver for StopIn {
    fn event(&mut self, event: &StudyEvent<'_>) {
        if let StudyEvent::Engine(Event::PhaseStarted { phase, .. }) = event
            && *phase == self.0
        {
            self.1.request();
        }
    }
}

#[test]
fn a_stop_keeps_what_was_measured_and_the_group_goes_on_later() {
    // In the first load, the other trial of the group has not begun.
    for phase in [Phase::Load, Phase::Measure] {
        stopped_in(phase);
    }
}

fn stopped_in(phase: Phase) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    let stop = Stop::new();
    let text = STUDY.replace("600ms", "1500ms");
    let (summary, records) = run_with(&text, &output, &mut StopIn(phase, stop.clone()), &stop);
    assert!(summary.failed.is_empty(), "{summary:?}");
    assert!(summary.interrupted);
    assert!(
        records
            .iter()
            .all(|record| record.status == TrialStatus::Interrupted),
        "{records:?}"
    );
    let (summary, records) = run(&text, &output);
    assert_eq!((summary.completed, summary.interrupted), (8, false));
    assert!(records.iter().any(|record| record.trial.ends_with("~2")));
}

#[test]
fn a_system_that_cannot_be_opened_keeps_no_other_from_its_turns() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "x").unwrap();
    let text = STUDY.replace(
        "\"null\"]",
        &format!("\"null\", \"fjall:{}/x\"]", blocked.display()),
    );
    let (summary, records) = run(&text, &folder.path().join("r"));
    assert_eq!((summary.completed, summary.failed.len()), (8, 4));
    assert_eq!(in_turns(&records), 8);
    // Without pilots it has no common rate.
    let text = format!("rates = [\"common\"]\n{text}");
    let (summary, records) = run(&text, &folder.path().join("common"));
    // Its two pilots fail, too.
    assert_eq!((summary.completed, summary.failed.len()), (8, 2 + 4));
    assert_eq!(in_turns(&records), 8);
}

#[test]
fn a_driver_that_panics_keeps_no_other_from_its_turns() {
    for order in ["interleaved", "blocks"] {
        for place in ["connect", "close"] {
            let folder = tempfile::tempdir().unwrap();
            let text = STUDY.replace("\"null\"]", &format!("\"null\", \"sick?panic={place}\"]"));
            let text = format!("order = \"{order}\"\n{text}");
            let (summary, records) = run(&text, &folder.path().join("r"));
            assert_eq!(
                (summary.completed, summary.failed.len()),
                (8, 4),
                "{order}, {place}"
            );
            let failed = records
                .iter()
                .find(|record| record.status != TrialStatus::Completed);
            let status = &failed.unwrap().status;
            assert!(
                matches!(status, TrialStatus::Failed { reason, .. } if reason.contains("panicked")),
                "{status:?}"
            );
        }
    }
}

/// How many trials count, all of which took turns, pilots aside.
fn in_turns(records: &[TrialRecord]) -> usize {
    let sound = records
        .iter()
        .filter(|record| record.status == TrialStatus::Completed && !record.trial.starts_with("pilot"));
    assert!(
        sound
            .clone()
            .all(|record| record.conditions.interleaving.is_some())
    );
    sound.count()
}

/// Somebody else uses the machine at the beginning, until it has been looked at so often.
struct BusyUntil(usize, usize);

impl Machine for BusyUntil {
    fn snapshot(&mut self) -> HostSnapshot {
        self.1 += 1;
        let seconds = self.1 as f64 * 10.0;
        HostSnapshot {
            at_seconds: Some(seconds),
            cpus: Some(CpuTime {
                total: seconds * 2.0,
                used: 0.0,
                stolen: self.1.min(self.0) as f64 * 5.0,
            }),
            ..HostSnapshot::default()
        }
    }
}

#[test]
fn a_disturbance_is_one_of_all_that_took_turns() {
    let folder = tempfile::tempdir().unwrap();
    let text = STUDY.replace(
        "repeat_disturbed = 0",
        "repeat_disturbed = 2\nrepeat_budget = \"100%\"",
    );
    let file = study_file(&text);
    let results = conductor::open_folder(&file, &folder.path().join("r")).unwrap();
    // Two looks at the beginning of the first group, and the first of the two at its end.
    let mut machine = BusyUntil(3, 0);
    let summary = conductor::run_on(&mut machine, &file, &results, &mut (), &Stop::new()).unwrap();
    let records = results.trials().unwrap();
    assert_eq!(
        (summary.completed, summary.disturbed.len(), records.len()),
        (8, 2, 10)
    );
    let repeated = records
        .iter()
        .filter(|record| record.status == TrialStatus::Disturbed);
    assert!(
        repeated
            .clone()
            .all(|record| record.conditions.disturbed_by == ["host-steal"])
    );
    assert_eq!(repeated.count(), 2);
}

#[test]
fn a_folder_that_was_begun_in_blocks_goes_on_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    let blocks = format!("order = \"blocks\"\n{STUDY}");
    let file = study_file(&blocks);
    let results = conductor::open_folder(&file, &output).unwrap();
    results
        .write_plan(&Plan::new(&file.study).to_file(&file.study))
        .unwrap();
    drop(results);
    // Earlier versions knew no `order`: their texts have none, and their plans state none.
    let text = output.join("study.toml");
    std::fs::remove_dir_all(&output).unwrap();
    let file = study_file(STUDY);
    let results = ResultFolder::create(&output, STUDY).unwrap();
    let blocks = study_file(&blocks).study;
    results.write_plan(&Plan::new(&blocks).to_file(&blocks)).unwrap();
    drop(results);
    assert!(text.exists());
    let results = conductor::open_folder(&file, &output).unwrap();
    let summary = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!(summary.completed, 8);
    let records = results.trials().unwrap();
    assert!(
        records
            .iter()
            .all(|record| record.conditions.interleaving.is_none())
    );
    assert!(conductor::is_complete(&file, &results).unwrap());
}
