//! Plots, with servers that are none: a launcher notes what it starts and what is stopped, and the trials run in memory.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use dbdyno_engine::{Event, Phase};
use dbdyno_machine::{BlockDevice, CompilerTime, HostSnapshot};
use dbdyno_record::AtRest;
use dbdyno_record::plan::planned_name;
use proptest::prelude::*;

#[path = "plot_tests/fake_servers.rs"]
mod fake_servers;

use fake_servers::{DIRECTORY, Fake};

use super::*;
use crate::file;
use crate::run::event::StudyEvent;

/// The events, in order: `start redis`, `stop redis`, `trial 001-redis-a`.
type Log = Rc<RefCell<Vec<String>>>;

struct Note {
    log: Log,
    /// Stops the study in the trial of this number, counted from 1.
    stop_in: Option<(usize, Stop)>,
    /// The first window of each warm-up.
    windows: Vec<u64>,
    warms: bool,
}

impl StudyObserver for Note {
    fn event(&mut self, event: &StudyEvent<'_>) {
        match event {
            StudyEvent::TrialStarted { trial, .. } => {
                self.log
                    .borrow_mut()
                    .push(format!("trial {}", trial.planned.trial));
                if let Some((left, stop)) = &mut self.stop_in {
                    *left -= 1;
                    if *left == 0 {
                        stop.request();
                    }
                }
            }
            StudyEvent::Engine(Event::PhaseStarted { phase, .. }) => self.warms = *phase == Phase::WarmUp,
            StudyEvent::Engine(Event::Interval(interval)) if std::mem::take(&mut self.warms) => {
                self.windows.push(interval.duration_ns / 1_000_000);
            }
            _ => {}
        }
    }
}

/// A machine on which compilers take half of what the servers use, until they have been looked at so often.
struct Compiling {
    looks: u32,
    until: u32,
}

impl Machine for Compiling {
    fn snapshot(&mut self) -> HostSnapshot {
        HostSnapshot::default()
    }

    fn compilers(&mut self, _: &[u32]) -> CompilerTime {
        self.looks += 1;
        let compiling = f64::from(self.looks.min(self.until)) / 2.0;
        CompilerTime {
            whole_seconds: f64::from(self.looks),
            threads_seconds: [((1, 2), compiling)].into(),
        }
    }
}

/// A machine without counters.
struct Unknown;

impl Machine for Unknown {
    fn snapshot(&mut self) -> HostSnapshot {
        HostSnapshot::default()
    }
}

/// A machine that becomes slower with every look at it.
struct Slowing(f64);

impl Machine for Slowing {
    fn snapshot(&mut self) -> HostSnapshot {
        HostSnapshot::default()
    }

    fn reference_work(&mut self, _: Duration) -> Option<f64> {
        self.0 += 10.0;
        Some(self.0)
    }
}

struct Ran {
    log: Vec<String>,
    records: Vec<TrialRecord>,
    summary: Summary,
    windows: Vec<u64>,
}

fn run_in(folder: &Path, text: &str, broken: &'static str, stop_in: Option<usize>) -> Ran {
    run_on(&mut Unknown, folder, text, broken, stop_in)
}

fn run_on(
    machine: &mut dyn Machine,
    folder: &Path,
    text: &str,
    broken: &'static str,
    stop_in: Option<usize>,
) -> Ran {
    let file = file::of_text(text);
    let results = open_folder(&file, folder).unwrap();
    let log = Log::default();
    let stop = Stop::new();
    let mut note = Note {
        log: Rc::clone(&log),
        stop_in: stop_in.map(|number| (number, stop.clone())),
        windows: Vec::new(),
        warms: false,
    };
    let labs = Labs::with(Box::new(Fake {
        log: Rc::clone(&log),
        broken,
    }));
    let site = Site {
        machine,
        labs,
        folder: &results,
        observer: &mut note,
        stop: &stop,
    };
    let summary = run_at(site, &file, &[]).unwrap();
    Ran {
        log: log.take(),
        records: results.trials().unwrap(),
        summary,
        windows: note.windows,
    }
}

fn run(text: &str) -> Ran {
    let (_folder, path) = results();
    run_in(&path, text, "", None)
}

fn results() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    (folder, path)
}

const STUDY: &str = "name = \"x\"\norder = \"blocks\"\nsystems = [\"lab:redis\", \"lab:mongodb\", \"memory\"]\nworkloads = [\"a\", \"c\"]\n\
                     records = 100\noperations = 200\nwarmup = \"0s\"\ntrials = 3\naa = true\n";

/// Systems whose servers run, entry by entry of the log.
fn running(log: &[String]) -> Vec<Vec<&str>> {
    let mut now: Vec<&str> = Vec::new();
    log.iter()
        .map(|entry| {
            if let Some(name) = entry.strip_prefix("start ") {
                now.push(name);
            }
            if let Some(name) = entry.strip_prefix("stop ") {
                now.retain(|other| *other != name);
            }
            now.clone()
        })
        .collect()
}

#[test]
fn the_record_holds_the_encryption_and_a_full_volume_is_reported() {
    let text = "name = \"x\"\nsystems = [\"lab:redis\", \"lab:redis?at_rest=plain-volume\"]\nworkloads = [\"c\"]\n\
                records = 100\noperations = 200\nwarmup = \"0s\"\ntrials = 1\n";
    for record in run(text).records {
        let has_volume = record.system.name.contains("plain-volume");
        let expected = has_volume.then_some(AtRest::PlainVolume);
        assert_eq!(record.system.at_rest, expected, "{}", record.system.name);
        let full = record
            .findings
            .iter()
            .find(|finding| finding.code() == "volume-full");
        assert_eq!(full.is_some(), has_volume, "{}", record.system.name);
    }
}

#[test]
fn servers_of_systems_that_take_turns_run_at_the_same_time_for_a_block() {
    let ran = run(&STUDY.replace("order = \"blocks\"\n", ""));
    assert_eq!((ran.summary.completed, ran.summary.failed.len()), (24, 0));
    let starts = |name: &str| ran.log.iter().filter(|entry| *entry == name).count();
    assert_eq!((starts("start redis"), starts("start mongodb")), (6, 3));
    // From its first group on a block has all its servers, and all of them end with it.
    let most = running(&ran.log).into_iter().map(|running| running.len()).max();
    assert_eq!(most, Some(3));
    for record in &ran.records {
        let turns = record.conditions.interleaving.as_ref().unwrap();
        assert_eq!(turns.beside.len(), 3);
        let idle = record
            .findings
            .iter()
            .find(|finding| finding.code() == "idle-servers");
        assert_eq!(idle, None, "they take turns");
    }
}

/// The count of a device is that of all who write to it.
#[test]
fn what_a_server_wrote_is_known_where_no_other_wrote_to_its_device() {
    let has_device = BlockDevice::of(Path::new(DIRECTORY)).is_some();
    let in_turns = STUDY.replace("order = \"blocks\"\n", "");
    for (text, is_known) in [(STUDY, true), (in_turns.as_str(), !has_device)] {
        let records = run(text).records;
        let servers: Vec<_> = records
            .iter()
            .filter_map(|record| record.measure.as_ref()?.server.as_ref())
            .collect();
        assert_eq!(servers.len(), 18);
        assert!(
            servers
                .iter()
                .all(|server| server.written_bytes.is_some() == is_known)
        );
    }
}

#[test]
fn one_systems_servers_run_at_a_time_and_each_block_starts_them_anew() {
    let ran = run(STUDY);
    assert_eq!(ran.summary.completed, 24);
    for (entry, running) in ran.log.iter().zip(running(&ran.log)) {
        assert!(running.len() <= 1, "{entry}: {running:?}");
        if entry.contains("-memory-") {
            assert!(
                running.is_empty(),
                "no servers run beside an embedded store: {entry}"
            );
        }
    }
    let starts = |name: &str| ran.log.iter().filter(|entry| *entry == name).count();
    // The A/A twin asks for what the first system asks for, and has its own.
    assert_eq!((starts("start redis"), starts("start mongodb")), (6, 3));

    let mut trials_of: BTreeMap<u32, Vec<&TrialRecord>> = BTreeMap::new();
    for record in &ran.records {
        match &record.conditions.start {
            Some(start) => trials_of.entry(start.id).or_default().push(record),
            None => assert_eq!(record.system.name, "memory"),
        }
    }
    assert_eq!(trials_of.len(), 9);
    for (id, records) in trials_of {
        let plots: BTreeSet<_> = records
            .iter()
            .map(|record| (record.block, record.system.name.as_str()))
            .collect();
        let workloads: BTreeSet<_> = records.iter().map(|record| &record.workload.name).collect();
        assert_eq!((plots.len(), workloads.len()), (1, 2), "start {id}");
    }
    let twin = ran
        .records
        .iter()
        .find(|record| record.system.name.ends_with("(A/A)"))
        .unwrap();
    assert!(twin.conditions.start.is_some());
    assert!(
        ran.records
            .iter()
            .flat_map(|record| &record.findings)
            .all(|finding| finding.code() != "idle-servers")
    );
}

#[test]
fn pilots_have_the_machine_to_themselves() {
    let text = "name = \"x\"\norder = \"blocks\"\nsystems = [\"lab:redis\", \"lab:mongodb\"]\nworkloads = \"a\"\nrates = [\"common\"]\nrecords = 100\n\
                operations = 200\nwarmup = \"0s\"\ntrials = 1\n";
    let ran = run(text);
    let first: Vec<&str> = ran.log.iter().take(6).map(String::as_str).collect();
    assert_eq!(
        first,
        [
            "trial pilot-01-lab-redis-a",
            "start redis",
            "stop redis",
            "trial pilot-02-lab-mongodb-a",
            "start mongodb",
            "stop mongodb"
        ]
    );
}

#[test]
fn one_start_for_the_study_says_what_ran_beside() {
    let ran = run(&format!("restart = \"study\"\n{STUDY}"));
    let starts: Vec<&String> = ran
        .log
        .iter()
        .filter(|entry| entry.starts_with("start"))
        .collect();
    assert_eq!(starts.len(), 3, "{starts:?}");
    let last = ran.records.last().unwrap();
    let idle = last
        .findings
        .iter()
        .find(|finding| finding.code() == "idle-servers")
        .unwrap();
    assert!(
        !idle.message().contains(&format!("{};", last.system.name)),
        "{idle:?}"
    );
    let ids: BTreeSet<u32> = ran
        .records
        .iter()
        .filter(|record| record.system.name == "lab:mongodb")
        .map(|record| record.conditions.start.as_ref().unwrap().id)
        .collect();
    assert_eq!(ids.len(), 1);
}

#[test]
fn what_is_left_of_a_plot_runs_on_a_new_start() {
    let (_folder, path) = results();
    let text = STUDY
        .replace("\"lab:mongodb\", \"memory\"", "\"memory\"")
        .replace("aa = true\n", "");
    let plan = Plan::new(&file::of_text(&text).study);
    let second = plan
        .trials
        .iter()
        .position(|trial| trial.place_in_plot == 1)
        .unwrap();
    let first = run_in(&path, &text, "", Some(second + 1));
    assert!(first.summary.interrupted);
    let next = run_in(&path, &text, "", None);
    assert!(!next.summary.interrupted);
    let start = |index: usize| {
        let name = &plan.trials[index].planned.trial;
        // The interrupted attempt stays; another one counts.
        let counts = |record: &&TrialRecord| {
            planned_name(&record.trial) == name && record.status == dbdyno_record::TrialStatus::Completed
        };
        let record = next.records.iter().find(counts).unwrap();
        record.conditions.start.clone().unwrap()
    };
    assert_ne!(start(second - 1).id, start(second).id);
    let ids: BTreeSet<_> = next
        .records
        .iter()
        .filter_map(|record| record.conditions.start.clone())
        .map(|start| (start.id, start.started_at))
        .collect();
    let numbers: BTreeSet<u32> = ids.iter().map(|(id, _)| *id).collect();
    assert_eq!(
        (ids.len(), numbers.len()),
        (4, 4),
        "no number is used twice: {ids:?}"
    );
}

#[test]
fn servers_that_do_not_start_fail_their_plot_once_and_no_other() {
    let (_folder, path) = results();
    let ran = run_in(&path, STUDY, "mongodb", None);
    assert_eq!((ran.summary.completed, ran.summary.failed.len()), (18, 6));
    let tried = ran.log.iter().filter(|entry| *entry == "start mongodb").count();
    assert_eq!(tried, 3, "once for each plot");
}

#[test]
fn a_server_that_dies_fails_its_trial_and_is_started_anew_for_the_next() {
    let text = "name = \"x\"\norder = \"blocks\"\nsystems = [\"lab:redis?appendfsync=no\", \"lab:mongodb\"]\nworkloads = [\"a\", \"c\"]\n\
                records = 100\noperations = 200\nwarmup = \"0s\"\ntrials = 1\n";
    for text in [text.to_owned(), text.replace("order = \"blocks\"\n", "")] {
        let ran = run(&text);
        assert_eq!(
            (ran.summary.completed, ran.summary.failed.len()),
            (2, 2),
            "{text}"
        );
        let starts = |name: &str| ran.log.iter().filter(|entry| entry.contains(name)).count();
        assert_eq!(
            (starts("start redis"), starts("start mongodb")),
            (2, 1),
            "{:?}",
            ran.log
        );
        for record in &ran.records {
            let reason = match &record.status {
                TrialStatus::Failed { reason, .. } => reason.as_str(),
                _ => "",
            };
            let died = record.system.name.contains("redis");
            assert_eq!(reason.starts_with("node1 of the lab ended"), died, "{reason}");
        }
    }
}

#[test]
fn servers_are_warmed_up_until_steady_once_for_each_start() {
    let text = "name = \"x\"\nsystems = [\"lab:redis\"]\nworkloads = [\"a\", \"c\"]\nrecords = 100\n\
                duration = \"10ms\"\nwarmup_limit = \"700ms\"\ntrials = 2\n";
    let ran = run(text);
    assert_eq!(ran.records.len(), 4);
    for record in &ran.records {
        // 700 ms are fewer than twenty windows of 250 ms or of 100 ms: nobody can find them steady.
        let never_warm = record
            .findings
            .iter()
            .any(|finding| finding.code() == "never-warm");
        assert!(never_warm && record.conditions.warmup_ns.is_some(), "{record:?}");
    }
    assert_eq!(
        ran.windows,
        [250, 100, 100, 250, 100, 100],
        "the windows of the warm-up of a start, and of its trials"
    );
}

#[test]
fn servers_are_warm_when_their_compilers_rest() {
    let text = "name = \"x\"\nsystems = [\"lab:redis\"]\nworkloads = \"a\"\nrecords = 100\nduration = \"10ms\"\ntrials = 1\n";
    let warmed = |until: u32, limit: &str| {
        let (_folder, path) = results();
        let mut machine = Compiling { looks: 0, until };
        run_on(
            &mut machine,
            &path,
            &format!("{text}warmup_limit = \"{limit}\"\n"),
            "",
            None,
        )
        .records
        .remove(0)
    };
    // A look every 2.5 s: the fourth is the first that sees a span without work.
    let record = warmed(3, "60s");
    let start = record.conditions.start.as_ref().unwrap();
    let seconds = start.warmup_ns.unwrap() / 1_000_000_000;
    assert!((7..59).contains(&seconds), "{seconds} s");
    let never_warm = |finding: &dbdyno_record::Finding| finding.code() == "never-warm";
    assert!(!record.findings.iter().any(never_warm), "{record:?}");

    let record = warmed(u32::MAX, "3s");
    let never_warm = record
        .findings
        .iter()
        .find(|finding| finding.code() == "never-warm");
    let message = never_warm.unwrap().message();
    assert!(
        message.contains("before Java's compilers were idle (they took 50% of"),
        "{message}"
    );
    assert_eq!(record.conditions.compilers_share, Some(0.5));
    let is_compiling = |finding: &dbdyno_record::Finding| finding.code() == "still-compiling";
    assert!(record.findings.iter().any(is_compiling), "{record:?}");
}

#[test]
fn servers_are_warmed_up_until_steady_where_the_study_does_not_say() {
    let study = |more: &str| {
        let text = format!(
            "name = \"x\"\norder = \"blocks\"\nsystems = [\"lab:redis\", \"redis://h\", \"memory\"]\nworkloads = \"a\"\n{more}"
        );
        file::of_text(&text).study
    };
    let reported = |more: &str| {
        let study = study(more);
        [0, 1, 2].map(|system| {
            let warmup = study.warm_up(&study.systems[system]);
            (warmup.longest.as_secs(), warmup.until_steady)
        })
    };
    assert_eq!(reported(""), [(120, true), (120, true), (2, false)]);
    assert_eq!(
        reported("warmup_limit = \"60s\""),
        [(60, true), (60, true), (2, false)]
    );
    assert_eq!(reported("warmup = \"auto\""), [(120, true); 3]);
    assert_eq!(reported("warmup = \"5s\""), [(5, false); 3]);
}

#[test]
fn a_folder_of_another_order_is_refused() {
    let (_folder, path) = results();
    let ran = run_in(&path, STUDY, "", Some(2));
    let first = &ran.records[0].trial;
    std::fs::rename(
        path.join("trials").join(first),
        path.join("trials").join("000-other"),
    )
    .unwrap();
    let record = path.join("trials/000-other/record.json");
    let text = std::fs::read_to_string(&record)
        .unwrap()
        .replace(first, "000-other");
    std::fs::write(&record, text).unwrap();
    std::fs::remove_file(record.with_file_name("SHA256SUMS")).unwrap();
    // Its own plan has the trial.
    let plan = path.join("plan.json");
    let text = std::fs::read_to_string(&plan)
        .unwrap()
        .replace(first, "000-other");
    std::fs::write(&plan, text).unwrap();
    std::fs::remove_file(path.join("SHA256SUMS")).unwrap();
    let file = file::of_text(STUDY);
    let results = open_folder(&file, &path).unwrap();
    let site = Site {
        machine: &mut Unknown,
        labs: Labs::default(),
        folder: &results,
        observer: &mut (),
        stop: &Stop::new(),
    };
    let error = run_at(site, &file, &[]).unwrap_err();
    assert!(error.to_string().contains("orders trials differently"), "{error}");
}

proptest! {
    #[test]
    fn every_block_holds_every_cell_once_and_every_plot_in_one_piece(seed in 0..i64::MAX as u64, blocks in 1..8u32) {
        let text = STUDY.replace("trials = 3", &format!("trials = {blocks}\nseed = {seed}\nrates = [\"unlimited\", \"50\"]"));
        let study = file::of_text(&text).study;
        let plan = Plan::new(&study);
        prop_assert_eq!(&Plan::new(&study), &plan);
        let cells = study.cells();
        for block in 0..blocks as usize {
            let own = &plan.trials[block * cells.len()..(block + 1) * cells.len()];
            prop_assert!(cells.iter().all(|cell| own.iter().filter(|trial| trial.planned.spec == *cell).count() == 1));
            for system in &study.systems[..3] {
                let places: Vec<usize> = (0..own.len()).filter(|at| own[*at].planned.spec.system.name == system.name).collect();
                if study.starts_for_each_block(system) {
                    prop_assert_eq!(places[1] - places[0], 1);
                }
            }
        }
        for trial in plan.trials.iter().filter(|trial| trial.place_in_plot == 0) {
            prop_assert!(trial.planned.spec.is_closed_loop() || !trial.shares_start(&study), "servers are warmed up by a closed loop");
        }
        let plots: BTreeSet<u32> = plan.trials.iter().map(|trial| trial.plot).collect();
        // Three systems of the lab, the twin among them, and four cells of the embedded store.
        prop_assert_eq!(plots.len() as u32, 7 * blocks);
    }
}

#[test]
fn the_speed_of_the_machine_is_taken_before_and_after_each_trial() {
    let text = "name = \"x\"\nsystems = [\"memory\"]\nworkloads = \"a\"\nrecords = 100\noperations = 100\nwarmup = \"0s\"\ntrials = 2\n";
    let (_folder, path) = results();
    let ran = run_on(&mut Slowing(0.0), &path, text, "", None);
    let taken: Vec<Option<(f64, f64)>> = ran
        .records
        .iter()
        .map(|record| {
            record
                .conditions
                .reference
                .map(|work| (work.before_ns, work.after_ns))
        })
        .collect();
    assert_eq!(taken, [Some((10.0, 20.0)), Some((30.0, 40.0))]);
    assert_eq!(run(text).records[0].conditions.reference, None, "nobody looked");
}
