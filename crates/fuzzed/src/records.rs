//! Files of result folders, and logs of other tools that become such files.

use std::fmt::Debug;

use dbdyno_import::{Declared, record};
use dbdyno_record::audit::AuditRecord;
use dbdyno_record::live::LiveEvent;
use dbdyno_record::{
    Environment, HistoryEntry, IntervalLogWriter, IntervalsWriter, Latency, PlanFile, TrialRecord, fuzzing,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::memory::bounded;

/// Records of trials, plans, descriptions of machines, live events, histories and audits.
pub fn records(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let is_audit = bounded(bytes, || AuditRecord::read(text)).is_ok();
    let is_history = bounded(bytes, || fuzzing::history(text)).is_ok_and(|entries| !entries.is_empty());
    let documents = [
        document::<TrialRecord>,
        document::<PlanFile>,
        document::<Environment>,
        document::<LiveEvent>,
        document::<HistoryEntry>,
        document::<AuditRecord>,
    ];
    // All of them, not as many as it takes.
    let accepted = documents.iter().filter(|document| document(text)).count();
    accepted > 0 || is_audit || is_history
}

/// What is written again is read as the same.
fn document<T: Serialize + DeserializeOwned + PartialEq + Debug>(text: &str) -> bool {
    let Ok(document) = bounded(text.as_bytes(), || serde_json::from_str::<T>(text)) else {
        return false;
    };
    same(&document);
    true
}

fn same<T: Serialize + DeserializeOwned + PartialEq + Debug>(document: &T) {
    let written = match serde_json::to_string(document) {
        Ok(written) => written,
        Err(error) => panic!("{document:?} cannot be written: {error}"),
    };
    match serde_json::from_str::<T>(&written) {
        Ok(again) => assert_eq!(&again, document, "{written}"),
        Err(error) => panic!("{written} is not read again: {error}"),
    }
}

/// Histograms in HdrHistogram's encoding, and whatever is asked of one.
pub fn histograms(bytes: &[u8]) -> bool {
    let Ok(histogram) = bounded(bytes, || fuzzing::histogram(bytes)) else {
        return false;
    };
    used(&histogram);
    same(&histogram);
    true
}

fn used(histogram: &Latency) {
    let percentiles = [0.0, 50.0, 99.9, 100.0].map(|percentile| histogram.percentile_ns(percentile));
    assert!(percentiles.is_sorted(), "{percentiles:?}");
    let counted = histogram
        .counts()
        .fold(0_u64, |sum, (_, count)| sum.saturating_add(count));
    assert_eq!(counted, histogram.count());
    let mut all = histogram.clone();
    all.record(1);
    all.merge(histogram);
    assert!(histogram.mean_ns().is_none_or(f64::is_finite) && histogram.sum_ns().is_finite());
}

/// `latency.hlog`: its histograms are read again.
pub fn interval_logs(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let Ok(intervals) = bounded(bytes, || fuzzing::interval_log(text)) else {
        return false;
    };
    let mut written = Vec::new();
    let Ok(mut log) = IntervalLogWriter::new(&mut written, jiff::Timestamp::UNIX_EPOCH, "") else {
        panic!("memory takes everything");
    };
    for interval in &intervals {
        used(&interval.latency);
        let added = log.write(
            "measure.read",
            interval.start,
            interval.duration,
            &interval.latency,
        );
        assert!(added.is_ok(), "{added:?}");
    }
    let again = fuzzing::interval_log(&String::from_utf8_lossy(&written));
    let histograms = |intervals: &[dbdyno_record::LoggedInterval]| {
        let each = intervals.iter().map(|interval| interval.latency.clone());
        each.collect::<Vec<_>>()
    };
    assert_eq!(again.map(|again| histograms(&again)), Ok(histograms(&intervals)));
    !intervals.is_empty()
}

/// `intervals.csv`: its rows are read again.
pub fn interval_rows(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let Ok(rows) = bounded(bytes, || fuzzing::interval_rows(text)) else {
        return false;
    };
    let mut written = Vec::new();
    let mut writer = IntervalsWriter::new(&mut written);
    for row in &rows {
        let added = writer.write(row);
        assert!(added.is_ok(), "{added:?}");
    }
    drop(writer);
    let again = fuzzing::interval_rows(&String::from_utf8_lossy(&written));
    // Numbers that are none are equal to nothing, and written the same.
    assert_eq!(format!("{again:?}"), format!("{:?}", Ok::<_, String>(&rows)));
    !rows.is_empty()
}

/// Logs of YCSB and go-ycsb: what is accepted took some time, and becomes a record that is read again.
pub fn ycsb_logs(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let Ok(log) = bounded(bytes, || dbdyno_import::read(text)) else {
        return false;
    };
    assert!(log.duration_ns > 0 && !log.operations.is_empty(), "{log:?}");
    let record = record(&log, &Declared::default());
    if let Some(measure) = &record.measure {
        assert!(measure.throughput_per_second().is_none_or(f64::is_finite));
    }
    same(&record);
    true
}
