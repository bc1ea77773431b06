//! Files damaged at random: every damage gives an error or a readable record, never a panic.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::trial;
use dbdyno_record::{FolderError, Latency, ResultFolder};
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
