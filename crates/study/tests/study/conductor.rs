//! A whole study on databases in memory: every trial once, whatever happens in between.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::disturbed::DisturbedIn;
use dbdyno_driver::Target;
use dbdyno_engine::{Event, Limit, Pace, Phase, Stop, TrialSpec, WarmUp};
use dbdyno_record::{ResultFolder, TrialRecord, TrialStatus};
use dbdyno_study::definition::Rate;
use dbdyno_study::file::parse;
use dbdyno_study::{
    CheckedStudy, Operations, Plan, Single, StudyEvent, StudyObserver, Summary, conductor, plan, workloads,
};
use dbdyno_workload::{Arrivals, Workload};

/// One trial after the other; trials that take turns are in `turns.rs`.
const STUDY: &str = "name = \"t\"\norder = \"blocks\"\ntrials = 2\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\", \"d\"]\n\
                     records = 100\nclients = 2\noperations = 500\nwarmup = \"10ms\"\n";

fn study_file(text: &str) -> CheckedStudy {
    CheckedStudy {
        study: parse(text, Path::new(".")).unwrap(),
        text: text.to_owned(),
    }
}

/// Counts trials; stops the study in the measured phase of the trial it is told.
#[derive(Default)]
struct Watch {
    started: Vec<String>,
    ended: Vec<String>,
    stop_in: Option<(usize, Stop)>,
}

impl StudyObserver for Watch {
    fn event(&mut self, event: &StudyEvent<'_>) {
        match event {
            StudyEvent::TrialStarted { trial, .. } => self.started.push(trial.planned.trial.clone()),
            StudyEvent::TrialEnded { record, .. } => self.ended.push(record.trial.clone()),
            StudyEvent::Engine(Event::PhaseStarted {
                phase: Phase::Measure,
                ..
            }) => {
                if let Some((number, stop)) = &self.stop_in
                    && self.started.len() == *number
                {
                    stop.request();
                }
            }
            StudyEvent::Engine(_) => {}
        }
    }
}

#[test]
fn every_trial_is_run_once_and_kept() {
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(STUDY));
    let output = folder.path().join("r");
    let results = conductor::open_folder(&file, &output).unwrap();
    let mut watch = Watch::default();
    let summary = conductor::run(&file, &results, &mut watch, &Stop::new()).unwrap();
    assert_eq!(
        (summary.total, summary.completed, summary.failed.len()),
        (8, 8, 0)
    );
    let planned: Vec<String> = Plan::new(&file.study)
        .trials
        .iter()
        .map(|trial| trial.planned.trial.clone())
        .collect();
    assert_eq!(watch.ended, planned);

    let records = results.trials().unwrap();
    for record in &records {
        assert_eq!(record.status, TrialStatus::Completed);
        let attempts: u64 = record
            .measure
            .as_ref()
            .unwrap()
            .operations
            .values()
            .map(|o| o.attempts())
            .sum();
        assert_eq!(attempts, 500, "{}", record.trial);
        assert!(record.skew.is_some());
        assert!(!results.intervals(&record.trial).unwrap().is_empty());
        assert!(results.trial_dir(&record.trial).join("latency.hlog").exists());
        let twin = records.iter().find(|other| {
            other.block == record.block
                && other.workload.name == record.workload.name
                && other.trial != record.trial
        });
        assert_eq!(
            twin.unwrap().seed,
            record.seed,
            "systems of a block get the same operations"
        );
    }
    let seeds: BTreeSet<u64> = records.iter().map(|record| record.seed).collect();
    assert_eq!(seeds.len(), 2, "every block has operations of its own");
    let systems = results.environment().unwrap().unwrap().systems;
    assert_eq!(
        systems.keys().map(String::as_str).collect::<Vec<_>>(),
        ["memory", "null"]
    );
}

#[test]
fn what_is_missing_is_run_and_nothing_else() {
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(STUDY));
    let output = folder.path().join("r");
    let names: Vec<String> = Plan::new(&file.study)
        .trials
        .iter()
        .map(|trial| trial.planned.trial.clone())
        .collect();
    {
        let results = conductor::open_folder(&file, &output).unwrap();
        conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    }
    // As a kill leaves it: one trial without its record, one not begun.
    std::fs::remove_file(output.join("trials").join(&names[2]).join("record.json")).unwrap();
    std::fs::remove_dir_all(output.join("trials").join(&names[5])).unwrap();

    let results = conductor::open_folder(&file, &output).unwrap();
    assert!(!conductor::is_complete(&file, &results).unwrap());
    let mut watch = Watch::default();
    let summary = conductor::run(&file, &results, &mut watch, &Stop::new()).unwrap();
    assert!(conductor::is_complete(&file, &results).unwrap());
    // The killed attempt stays as an interrupted one.
    assert_eq!(watch.started, [format!("{}~2", names[2]), names[5].clone()]);
    let killed = results.trial(&names[2]).unwrap().unwrap();
    assert_eq!(killed.status, TrialStatus::Interrupted);
    assert_eq!((summary.already_done, summary.completed), (6, 2));
    assert_eq!(results.completed_trials().unwrap().len(), 8);
}

#[test]
fn a_stopped_trial_is_kept_as_interrupted_and_repeated() {
    let text = STUDY.replace("operations = 500", "duration = \"20s\"");
    let (folder, file) = (tempfile::tempdir().unwrap(), study_file(&text));
    let output = folder.path().join("r");
    let results = conductor::open_folder(&file, &output).unwrap();
    let stop = Stop::new();
    let mut watch = Watch {
        stop_in: Some((1, stop.clone())),
        ..Watch::default()
    };
    let summary = conductor::run(&file, &results, &mut watch, &stop).unwrap();
    assert!(summary.interrupted);
    assert_eq!(watch.ended.len(), 1);
    let record = results.trial(&watch.ended[0]).unwrap().unwrap();
    assert_eq!(record.status, TrialStatus::Interrupted);
    assert!(results.completed_trials().unwrap().is_empty());
    drop(results);

    let again = conductor::open_folder(&file, &output).unwrap();
    let stop = Stop::new();
    let mut next = Watch {
        stop_in: Some((1, stop.clone())),
        ..Watch::default()
    };
    conductor::run(&file, &again, &mut next, &stop).unwrap();
    assert_eq!(
        next.started[0],
        format!("{}~2", watch.started[0]),
        "the interrupted trial comes first again, as another attempt"
    );
    let kept = again.trial(&watch.started[0]).unwrap().unwrap();
    assert!(
        kept.measure.is_some_and(|measure| measure.duration_ns > 0),
        "with its partial figures"
    );
}

#[test]
fn a_changed_study_is_refused_with_the_keys_that_differ() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    drop(conductor::open_folder(&study_file(STUDY), &output).unwrap());
    let changed = study_file(&STUDY.replace("records = 100", "records = 200"));
    let error = conductor::open_folder(&changed, &output).unwrap_err().to_string();
    assert!(error.ends_with("`records` was 100 and is now 200"), "{error}");
}

#[test]
fn a_system_that_cannot_be_opened_fails_its_trials_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "not a folder").unwrap();
    let text = STUDY.replace("\"null\"", &format!("\"fjall:{}/x\"", blocked.display()));
    let file = study_file(&text);
    let results = conductor::open_folder(&file, &folder.path().join("r")).unwrap();
    let summary = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert_eq!((summary.completed, summary.failed.len()), (4, 4));
    let again = conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    assert!(
        again.failed.iter().all(|(name, _)| name.ends_with("~2")),
        "{again:?}"
    );
    assert_eq!(results.trials().unwrap().len(), 12, "every attempt stays");
    let failed = results.trial(&summary.failed[0].0).unwrap().unwrap();
    assert!(
        matches!(&failed.status, TrialStatus::Failed { reason, .. } if reason.contains("fjall")),
        "{:?}",
        failed.status
    );
}

#[test]
fn a_single_run_leaves_a_study_that_repeats_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut properties = workloads::base("a", Path::new(".")).unwrap();
    properties.set("fieldlength=17").unwrap();
    let specification = workloads::resolve(&properties, 50).unwrap().specification;
    let workload = Arc::new(Workload::new(specification.clone(), 9).unwrap());
    let mut single = Single::new(Target::parse("memory").unwrap(), workload, "a");
    single.spec = TrialSpec {
        clients: 3,
        client_threads: Some(2),
        pace: Some(Pace {
            rate: 2000.0,
            arrivals: Arrivals::Poisson,
        }),
        warmup: WarmUp::fixed(Duration::from_millis(10)),
        limit: Limit {
            operations: Some(200),
            duration: None,
        },
        ..single.spec
    };
    let text = single.study_text("once");
    let results = ResultFolder::create(&folder.path().join("r"), &text).unwrap();
    let result = single.run_into(&results, "once", &mut (), &Stop::new()).unwrap();
    assert!(result.error.is_none());
    assert_eq!(results.trials().unwrap(), [result.record]);

    let study = parse(&text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}\n{text}"));
    assert_eq!((study.name.as_str(), study.seed, study.trials), ("once", 9, 1));
    assert_eq!(
        (study.clients.as_slice(), study.rates.as_slice()),
        ([3].as_slice(), [Rate::PerSecond(2000.0)].as_slice())
    );
    assert_eq!(study.shared.client_threads, Some(2));
    assert_eq!(
        (
            study.operations.as_slice(),
            study.shared.limit.duration,
            study.shared.warmup.longest
        ),
        (
            [Operations::Count(200)].as_slice(),
            None,
            single.spec.warmup.longest
        )
    );
    let again = workloads::resolve(&study.workloads[0].properties, 50)
        .unwrap()
        .specification;
    let without_sizes = |specification: &dbdyno_workload::Specification| {
        let mut properties = specification.properties();
        properties.remove("operationcount");
        properties
    };
    assert_eq!(without_sizes(&again), without_sizes(&specification));
}

fn run_disturbed(text: &str, output: &Path, trials: &[usize]) -> (Summary, Vec<TrialRecord>) {
    let file = study_file(text);
    let results = conductor::open_folder(&file, output).unwrap();
    let mut machine = DisturbedIn::trials(trials);
    let summary = conductor::run_on(&mut machine, &file, &results, &mut (), &Stop::new()).unwrap();
    (summary, results.trials().unwrap())
}

#[test]
fn a_disturbed_trial_is_kept_and_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    let text = format!("repeat_budget = \"50%\"\n{STUDY}");
    let (summary, records) = run_disturbed(&text, &output, &[3, 4]);
    assert_eq!(
        (summary.completed, summary.disturbed.len(), records.len()),
        (8, 2, 10)
    );
    let third = Plan::new(&study_file(STUDY).study).trials[2]
        .planned
        .trial
        .clone();
    let names: Vec<&str> = records[2..5].iter().map(|record| record.trial.as_str()).collect();
    assert_eq!(names, [third.clone(), format!("{third}~2"), format!("{third}~3")]);
    for record in &records[2..4] {
        assert_eq!(record.status, TrialStatus::Disturbed);
        assert_eq!(record.conditions.disturbed_by, ["host-steal"]);
    }
    assert_eq!(records[4].status, TrialStatus::Completed);
    assert_eq!(records[4].seed, records[2].seed, "the same operations again");
    assert!(records[4].conditions.disturbed_by.is_empty());

    let (again, _) = run_disturbed(&text, &output, &[1]);
    assert_eq!((again.already_done, again.completed), (8, 0), "nothing is left");
}

#[test]
fn a_machine_that_is_never_quiet_ends_at_the_limit_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("repeat_disturbed = 1\nrepeat_budget = \"100%\"\n{STUDY}");
    let always: Vec<usize> = (1..=16).collect();
    let (summary, records) = run_disturbed(&text, &folder.path().join("r"), &always);
    assert_eq!(
        (summary.completed, summary.disturbed.len(), records.len()),
        (8, 8, 16)
    );
    let last = records
        .iter()
        .find(|record| record.trial.ends_with("~2"))
        .unwrap();
    assert_eq!(last.status, TrialStatus::Completed);
    assert!(
        last.findings
            .iter()
            .any(|finding| finding.code() == "always-disturbed")
    );

    let folder = tempfile::tempdir().unwrap();
    let text = format!("repeat_disturbed = 0\n{STUDY}");
    let (_, records) = run_disturbed(&text, &folder.path().join("r"), &[1]);
    assert_eq!(records.len(), 8);
    assert_eq!(
        records[0].conditions.disturbed_by,
        ["host-steal"],
        "told all the same"
    );
}

/// Twenty trials of a machine that is always busy: a fifth is repeated, the rest is kept and says so, also when the study is
/// stopped and goes on.
#[test]
fn repeats_end_with_their_budget_on_a_machine_that_is_always_busy() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    let text = STUDY.replace("trials = 2", "trials = 5");
    let always: Vec<usize> = (1..=60).collect();
    let (summary, records) = run_disturbed(&text, &output, &always);
    assert_eq!((summary.completed, summary.disturbed.len()), (20, 4));
    assert_eq!(records.len(), 24, "1.2 times the trials");
    let spent = |record: &&TrialRecord| {
        record
            .findings
            .iter()
            .any(|finding| finding.code() == "repeat-budget-spent")
    };
    assert_eq!(records.iter().filter(spent).count(), summary.kept_disturbed.len());
    assert!(summary.kept_disturbed.len() >= 16, "{:?}", summary.kept_disturbed);
    let study = study_file(&text).study;
    let whole = Plan::new(&study).estimated_time(&study);
    assert_eq!(plan::time_for_repeats(&study, whole), whole.mul_f64(0.2));

    // The last five trials again: what the repeats before took is known from the folder.
    for record in records.iter().rev().take(5) {
        std::fs::remove_dir_all(output.join("trials").join(&record.trial)).unwrap();
    }
    let (again, records) = run_disturbed(&text, &output, &always);
    assert_eq!(
        (again.completed, again.disturbed.len(), records.len()),
        (5, 0, 24)
    );
}

#[test]
fn a_study_killed_between_a_trial_and_its_repetition_goes_on_with_the_repetition() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    let (_, records) = run_disturbed(STUDY, &output, &[1]);
    let repetition = records[1].trial.clone();
    assert!(repetition.ends_with("~2"), "{repetition}");
    std::fs::remove_file(output.join("trials").join(&repetition).join("record.json")).unwrap();
    let (summary, records) = run_disturbed(STUDY, &output, &[]);
    assert_eq!(
        (summary.already_done, summary.completed, records.len()),
        (7, 1, 10)
    );
    assert_eq!(records[1].trial, repetition);
    assert_eq!(
        records[1].status,
        TrialStatus::Interrupted,
        "a kill is no free choice"
    );
    assert!(records[2].trial.ends_with("~3"));
}

#[test]
fn blocks_are_added_until_the_intervals_are_narrow_and_no_further() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("r");
    // Nobody's trials of 500 operations agree to a thousandth: all the blocks there may be are run.
    let text = format!("precision = \"0.1%\"\nmax_trials = 4\n{STUDY}");
    let (summary, records) = run_disturbed(&text, &output, &[]);
    assert_eq!((summary.total, summary.completed, records.len()), (16, 16, 16));
    assert!(summary.precision.unwrap().contains("`max_trials` is reached"));
    let plan = ResultFolder::open(&output).unwrap().plan().unwrap().unwrap();
    assert_eq!(plan.trials.len(), 16);

    // A kill in an added block: it is added again.
    std::fs::remove_dir_all(output.join("trials").join(&records[13].trial)).unwrap();
    let (summary, _) = run_disturbed(&text, &output, &[]);
    assert_eq!(
        (summary.total, summary.already_done, summary.completed),
        (16, 15, 1)
    );
}
