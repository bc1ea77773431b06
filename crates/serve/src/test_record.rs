//! A trial for tests, while it runs and as a record: one system, one workload, and a measured phase without operations.

use std::collections::BTreeMap;

use dbdyno_record::live::{LIVE_FORMAT, LiveTrial};
use dbdyno_record::trial::TRIAL_FORMAT;
use dbdyno_record::{
    ClientCost, Conditions, Drain, Floor, MeasureRecord, SystemRecord, TrialRecord, TrialStatus,
    WorkloadRecord,
};
use dbdyno_trial::{SystemSpec, TrialSpec};

/// The running trial of that name.
pub(crate) fn live_trial(trial: &str) -> LiveTrial {
    LiveTrial {
        format: LIVE_FORMAT.to_owned(),
        trial: trial.to_owned(),
        system: "redb".to_owned(),
        takes_turns_with: Vec::new(),
        workload: "a".to_owned(),
        number: 1,
        total: 2,
        started_at: "2026-11-23T19:00:00Z".to_owned(),
        remaining_s: 20.0,
        repeats_s: 4.0,
    }
}

/// The record of the trial of that name.
pub(crate) fn record(trial: &str) -> TrialRecord {
    TrialRecord {
        format: TRIAL_FORMAT.to_owned(),
        study: "watched".to_owned(),
        trial: trial.to_owned(),
        block: 0,
        position: 0,
        seed: 42,
        started_at: "2026-11-23T19:00:00Z".to_owned(),
        spec: TrialSpec {
            clients: 2,
            ..TrialSpec::new(SystemSpec::named("redb"), "a", 500)
        },
        threads: 2,
        system: SystemRecord {
            name: "redb".to_owned(),
            ..SystemRecord::default()
        },
        workload: WorkloadRecord {
            name: "a".to_owned(),
            records: 500,
            properties: BTreeMap::new(),
        },
        status: TrialStatus::Completed,
        load: None,
        measure: Some(MeasureRecord {
            duration_ns: 2_000_000_000,
            tail: None,
            drain: Drain::default(),
            operations: BTreeMap::new(),
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
