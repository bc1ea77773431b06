//! A record for tests of what is read from records.

use std::time::Duration;

use dbdyno_record::{
    ClientCost, Conditions, Floor, MeasureRecord, OperationRecord, SystemRecord, TrialRecord, TrialStatus,
    WorkloadRecord,
};
use dbdyno_trial::{SystemSpec, TrialSpec, WarmUp};

/// A completed trial of ten seconds, after two of warm-up, with this many successful reads.
pub(crate) fn completed(trial: &str, ok: u64) -> TrialRecord {
    let reads = OperationRecord {
        ok,
        ..OperationRecord::default()
    };
    TrialRecord {
        format: String::new(),
        study: "x".to_owned(),
        trial: trial.to_owned(),
        block: 0,
        position: 0,
        seed: 42,
        started_at: String::new(),
        spec: TrialSpec {
            warmup: WarmUp::fixed(Duration::from_secs(2)),
            ..TrialSpec::new(SystemSpec::named("memory"), "a", 1_000_000)
        },
        threads: 1,
        system: SystemRecord {
            name: "memory".to_owned(),
            ..SystemRecord::default()
        },
        workload: WorkloadRecord {
            name: "a".to_owned(),
            records: 1_000_000,
            properties: [("fieldcount", "10"), ("fieldlength", "100")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        },
        status: TrialStatus::Completed,
        load: None,
        measure: Some(MeasureRecord {
            duration_ns: 10_000_000_000,
            tail: None,
            drain: dbdyno_record::Drain::default(),
            operations: [("read".to_owned(), reads)].into(),
            pacing: None,
            client: ClientCost::default(),
            server: None,
            clock_drift_ppm: None,
            error_samples: Vec::new(),
        }),
        floor: Floor::default(),
        skew: None,
        generators: Vec::new(),
        findings: Vec::new(),
        conditions: Conditions::default(),
    }
}
