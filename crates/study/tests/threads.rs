//! Studies in turns whose result depends on the threads of this process: all that begin in a system's turn are taken to be the
//! system's. Therefore a program of its own, whose tests run one after the other.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use dbdyno_engine::Stop;
use dbdyno_record::finding::DeferredWork;
use dbdyno_record::{Finding, TrialRecord};
use dbdyno_study::file::parse;
use dbdyno_study::{CheckedStudy, conductor};

static PROCESS: Mutex<()> = Mutex::new(());

fn run(text: &str) -> Vec<TrialRecord> {
    run_with_rows(text)
        .into_iter()
        .map(|(record, _)| record)
        .collect()
}

/// The trials of a study, each with its `intervals.csv`.
fn run_with_rows(text: &str) -> Vec<(TrialRecord, String)> {
    let _alone = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let file = CheckedStudy {
        study: parse(text, Path::new(".")).unwrap(),
        text: text.to_owned(),
    };
    let results = conductor::open_folder(&file, &folder.path().join("r")).unwrap();
    conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    let rows = |record: &TrialRecord| {
        std::fs::read_to_string(results.trial_dir(&record.trial).join("intervals.csv")).unwrap()
    };
    let records = results.trials().unwrap();
    records
        .into_iter()
        .map(|record| (record.clone(), rows(&record)))
        .collect()
}

#[test]
fn work_that_is_put_off_is_found_and_paid_for() {
    // Three turns of others for each of its own: it works for longer than CPUs are idle in its own, on a busy machine, too.
    let text = "name = \"t\"\ntrials = 1\nrepeat_disturbed = 0\nworkloads = [\"a\"]\nrecords = 100\nclients = 1\n\
                systems = [\"sick?deferred=200us&deferred_limit=60s\", \"sick\", \"sick?delay=1ms\", \"sick?delay=2ms\"]\n\
                duration = \"1s\"\nwarmup = \"50ms\"\n";
    let records = run(text);
    let of = |name: &str| records.iter().find(|record| record.system.name == name).unwrap();
    let found = |record: &TrialRecord| record.findings.iter().any(Finding::is::<DeferredWork>);
    let lazy = of("sick?deferred=200us&deferred_limit=60s");
    let interleaving = lazy.conditions.interleaving.as_ref().unwrap();
    let work = interleaving.work.unwrap();
    assert!(found(lazy), "{work:?}");
    assert!(work.charged_ns > 0 && work.deferred_share() > 0.05, "{work:?}");
    let measured_ns: u64 = interleaving.slices.iter().map(|slice| slice.measured_ns).sum();
    assert_eq!(
        lazy.measure.as_ref().unwrap().duration_ns,
        measured_ns + work.charged_ns
    );
    assert!(!found(of("sick")), "{:?}", of("sick").conditions.interleaving);
}

#[test]
fn at_a_rate_nothing_is_added_to_the_time_of_the_schedule() {
    let text = "name = \"t\"\ntrials = 1\nrepeat_disturbed = 0\nsystems = [\"sick?deferred=200us\", \"sick\"]\n\
                workloads = [\"a\"]\nrates = [\"1k\"]\nrecords = 100\nclients = 1\nduration = \"1s\"\nwarmup = \"50ms\"\n";
    let records = run(text);
    let lazy = &records
        .iter()
        .find(|record| record.system.name != "sick")
        .unwrap();
    let work = lazy.conditions.interleaving.as_ref().unwrap().work.unwrap();
    assert!(work.charged_ns == 0 && work.deferred_share() > 0.05, "{work:?}");
    let (measure, slices) = (
        lazy.measure.as_ref().unwrap(),
        &lazy.conditions.interleaving.as_ref().unwrap().slices,
    );
    assert_eq!(
        measure.duration_ns,
        slices.iter().map(|slice| slice.measured_ns).sum::<u64>()
    );
}

/// Heads are not measured, and others run between slices.
#[test]
fn cpu_time_over_time_is_that_of_the_measured_parts() {
    let clients = 2.0;
    let text = "name = \"t\"\ntrials = 1\nrepeat_disturbed = 0\nsystems = [\"memory\", \"sick\"]\nworkloads = [\"c\"]\n\
                records = 100\nclients = 2\nduration = \"2s\"\nwarmup = \"50ms\"\n";
    for (record, rows) in run_with_rows(text) {
        let of = |column: &str| {
            let mut lines = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let place = lines
                .next()
                .unwrap()
                .iter()
                .position(|name| *name == column)
                .unwrap();
            let measured = lines.filter(|cells| cells[0] == "measure");
            measured
                .map(|cells| cells[place].parse::<f64>().unwrap())
                .sum::<f64>()
        };
        let (used, measured) = (of("client_cpu_seconds"), of("duration_s"));
        assert!(
            used > 0.0 && used < 1.06 * clients * measured,
            "{}: {used} s in {measured} s",
            record.trial
        );
    }
}

#[test]
fn a_slowdown_of_a_tenth_is_found_as_such() {
    let text = "name = \"t\"\ntrials = 3\nsystems = [\"sick?delay=10ms\", \"sick?delay=10ms&slowdown=10%\"]\nworkloads = [\"c\"]\n\
                records = 100\nclients = 2\nduration = \"1s\"\nwarmup = \"50ms\"\n";
    let records = run(text);
    let of = |name: &str| {
        let own = records.iter().filter(|record| record.system.name == name);
        let mut values: Vec<f64> = own
            .map(|record| record.measure.as_ref().unwrap().throughput_per_second().unwrap())
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let ratio = of("sick?delay=10ms") / of("sick?delay=10ms&slowdown=10%");
    // The delays are exact, and long enough that a busy machine, which wakes threads late, adds little to either.
    assert!((1.05..1.15).contains(&ratio), "{ratio}");
}
