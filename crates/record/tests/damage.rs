//! Files damaged at random: every damage gives an error or a readable record, never a panic.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::trial;
use dbdyno_record::folder::INTERVALS;
use dbdyno_record::intervals::IntervalCounts;
use dbdyno_record::{
    FolderError, IntervalRow, IntervalsWriter, Latency, PlanFile, PlannedStudy, ResultFolder,
};
use proptest::prelude::*;

fn read_damaged(bytes: &[u8]) -> Result<(), FolderError> {
    let place = tempfile::tempdir().unwrap();
    drop(ResultFolder::create(place.path(), "").unwrap());
    let reader = ResultFolder::open(place.path()).unwrap();
    fs::create_dir(reader.trial_dir("t")).unwrap();
    fs::write(reader.trial_dir("t").join("record.json"), bytes).unwrap();
    reader.trials().map(drop)
}

fn record() -> Vec<u8> {
    serde_json::to_vec_pretty(&trial("t")).unwrap()
}

fn histogram() -> Vec<u8> {
    let mut latency = Latency::new();
    (1..200_u64).for_each(|i| latency.record(i * i * 977));
    let json = serde_json::to_value(&latency).unwrap();
    STANDARD.decode(json.as_str().unwrap()).unwrap()
}

fn decode(bytes: &[u8]) -> Result<Latency, serde_json::Error> {
    serde_json::from_value(serde_json::Value::String(STANDARD.encode(bytes)))
}

#[test]
fn undamaged_ones_are_read() {
    read_damaged(&record()).unwrap();
    read_changed("record.json", |_| {}).unwrap();
    assert_eq!(decode(&histogram()).unwrap().count(), 199);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_record_cut_anywhere_is_damaged(share in 0.0..1.0f64) {
        let bytes = record();
        let error = read_damaged(&bytes[..(bytes.len() as f64 * share) as usize]).unwrap_err();
        prop_assert!(matches!(error, FolderError::Damaged { .. }), "{error}");
    }

    #[test]
    fn a_changed_byte_never_panics(place in any::<prop::sample::Index>(), value in any::<u8>()) {
        let mut bytes = record();
        let place = place.index(bytes.len());
        bytes[place] = value;
        if let Err(error) = read_damaged(&bytes) {
            prop_assert!(!matches!(error, FolderError::Missing { .. }), "{error}");
        }
    }
}

/// A trial as a study leaves it, with what is done to one of its files.
fn read_changed(file: &str, change: impl FnOnce(&mut Vec<u8>)) -> Result<(), FolderError> {
    let place = tempfile::tempdir().unwrap();
    let folder = ResultFolder::create(place.path(), "").unwrap();
    let own = folder.begin_trial("t").unwrap();
    let mut rows = IntervalsWriter::create(&own.join(INTERVALS)).unwrap();
    let row = IntervalRow::new(
        "measure",
        0,
        1_000_000_000,
        IntervalCounts::default(),
        &Latency::new(),
    );
    rows.write(&row).unwrap();
    rows.finish().unwrap();
    folder.write_trial(&trial("t")).unwrap();
    let mut bytes = fs::read(own.join(file)).unwrap();
    change(&mut bytes);
    fs::write(own.join(file), bytes).unwrap();
    folder.trials()?;
    folder.intervals("t").map(drop)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_flipped_bit_never_passes(in_record in any::<prop::sample::Index>(), in_rows in any::<prop::sample::Index>()) {
        for (file, place) in [("record.json", in_record), (INTERVALS, in_rows)] {
            let flip = |bytes: &mut Vec<u8>| {
                let bit = place.index(bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            };
            prop_assert!(read_changed(file, flip).is_err(), "{file}");
        }
    }
}

#[test]
fn a_file_of_a_study_that_was_cut_is_damaged() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    let folder = ResultFolder::create(path, "name = \"example\"\ntrials = 10\n").unwrap();
    folder
        .write_plan(&PlanFile::new(PlannedStudy::default(), Vec::new()))
        .unwrap();
    fs::write(path.join("study.toml"), "name = \"example\"\ntrials = 1").unwrap();
    let error = folder.study_text().unwrap_err();
    assert!(matches!(error, FolderError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("SHA256SUMS"), "{error}");
    // Sums that are not there say nothing: folders of earlier versions have none.
    fs::remove_file(path.join("SHA256SUMS")).unwrap();
    folder.study_text().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_garbled_histogram_is_an_error_or_can_be_used(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = histogram();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let cut = cut.index(2 * bytes.len());
        bytes.truncate(cut.max(1));
        if let Ok(found) = decode(&bytes) {
            let mut merged = Latency::new();
            merged.record(5);
            merged.merge(&found);
            prop_assert!(merged.percentile_ns(99.0).is_some());
        }
    }
}
