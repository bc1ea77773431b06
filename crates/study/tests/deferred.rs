//! Work that a system puts off while it is measured in turns. A program of its own: all threads that begin in a system's turn are
//! taken to be the system's.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::path::Path;

use dbdyno_engine::Stop;
use dbdyno_record::{TrialRecord, codes};
use dbdyno_study::file::parse;
use dbdyno_study::{CheckedStudy, conductor};

const STUDY: &str = "name = \"t\"\ntrials = 1\nrepeat_disturbed = 0\nsystems = [\"sick?deferred=20us\", \"sick\"]\n\
                     workloads = [\"a\"]\nrecords = 100\nclients = 1\nduration = \"1s\"\nwarmup = \"50ms\"\n";

#[test]
fn work_that_is_put_off_is_found_and_paid_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = CheckedStudy {
        study: parse(STUDY, Path::new(".")).unwrap(),
        text: STUDY.to_owned(),
    };
    let results = conductor::open_folder(&file, &folder.path().join("r")).unwrap();
    conductor::run(&file, &results, &mut (), &Stop::new()).unwrap();
    let records = results.trials().unwrap();
    let of = |name: &str| records.iter().find(|record| record.system.name == name).unwrap();
    let found = |record: &TrialRecord| {
        let mut codes = record.findings.iter().map(|finding| finding.code.as_str());
        codes.any(|code| code == codes::DEFERRED_WORK)
    };
    let lazy = of("sick?deferred=20us");
    let work = lazy.conditions.interleaving.as_ref().unwrap().work.unwrap();
    assert!(found(lazy), "{work:?}");
    assert!(work.charged_ns > 0 && work.deferred_share() > 0.05, "{work:?}");
    assert!(lazy.measure.as_ref().unwrap().duration_ns > 1_000_000_000);
    assert!(!found(of("sick")), "{:?}", of("sick").conditions.interleaving);
}
