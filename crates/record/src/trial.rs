//! The record of one trial, and the plain types it is made of. Names of maps' keys are the names of the crates to the
//! left (`OperationKind::name`, `ErrorClass::name`, `Durability::name`), as text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Latency;

/// The version of the format, in every record's `format`.
pub const TRIAL_FORMAT: &str = "dbdyno.trial/1";

/// Everything known about one trial: once, one system, one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialRecord {
    /// [`TRIAL_FORMAT`].
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// Name of the trial's folder, unique in the study.
    pub trial: String,
    /// Which randomised complete block, from 0.
    pub block: u32,
    /// Place in the order of execution, from 0.
    pub position: u32,
    /// The workload's seed. Trials of one block share it, so their systems get the same operations.
    pub seed: u64,
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// The level of every factor of this cell, by factor name, e.g. `{"system": "redb", "workload": "a"}`.
    pub factors: BTreeMap<String, String>,
    /// The system as asked for and as it describes itself.
    pub system: SystemRecord,
    /// The work.
    pub workload: WorkloadRecord,
    /// How it was asked.
    pub settings: Settings,
    /// How it ended.
    pub status: TrialStatus,
    /// The load phase; `None` when the table held what was needed, or the system stores nothing.
    pub load: Option<LoadRecord>,
    /// The measured phase; `None` when the trial failed before it.
    pub measure: Option<MeasureRecord>,
    /// The tool's own cost on this machine, measured before the trial.
    pub floor: Floor,
    /// How skewed the keys of the operations were.
    pub skew: Option<Skew>,
    /// Judged facts about the validity of this trial.
    pub findings: Vec<Finding>,
}

/// A system as asked for, and as it describes itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemRecord {
    /// Name in tables, unique in the study.
    pub name: String,
    /// Name of the driver, e.g. `redb`.
    pub driver: String,
    /// The address, secrets redacted.
    pub address: String,
    /// Product as read back; empty when it was never reached (as the next fields).
    pub product: String,
    /// Version as read back.
    pub version: String,
    /// Topology as read back.
    pub topology: String,
    /// Durability in force: `none`, `buffered`, `synced`.
    pub durability: String,
    /// How the system provides it.
    pub durability_means: String,
    /// Order of scans: `key`, `other`, `unsupported`.
    pub scan_order: String,
    /// Other settings that matter.
    pub settings: BTreeMap<String, String>,
}

/// The work, in YCSB's properties.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadRecord {
    /// Name in tables, e.g. `a`.
    pub name: String,
    /// Records in the table before the measured phase.
    pub records: u64,
    /// Every property in force that shapes the work, defaults included, by its YCSB name.
    pub properties: BTreeMap<String, String>,
}

/// How the work was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Logical streams, one operation in flight on each.
    pub clients: u32,
    /// Operating-system threads that carried them.
    pub threads: u32,
    /// Operations per second asked for; `None`: closed loop.
    pub rate: Option<f64>,
    /// `constant` or `poisson`; `None`: closed loop.
    pub arrivals: Option<String>,
    /// Warm-up before the measured phase, nanoseconds.
    pub warmup_ns: u64,
    /// The measured phase's limit in operations, when it has one.
    pub operations: Option<u64>,
    /// The measured phase's limit in time, nanoseconds, when it has one.
    pub duration_ns: Option<u64>,
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum TrialStatus {
    /// It ran to its limit.
    Completed,
    /// It was stopped; what was measured until then is kept.
    Interrupted,
    /// It could not be carried out.
    Failed {
        /// Why.
        reason: String,
    },
}

/// The load phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadRecord {
    /// From the first insert's start to the last insert's end.
    pub duration_ns: u64,
    /// The inserts.
    pub inserts: OperationRecord,
}

/// The measured phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureRecord {
    /// From the phase's start to the end of its last operation.
    pub duration_ns: u64,
    /// By operation name; kinds that were never asked for are absent.
    pub operations: BTreeMap<String, OperationRecord>,
    /// What the asked rate came to; `None`: closed loop.
    pub pacing: Option<Pacing>,
    /// What the client side cost.
    pub client: ClientCost,
    /// The first few distinct error messages, for people.
    pub error_samples: Vec<String>,
}

/// An open loop's asked rate against what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pacing {
    /// Operations per second asked for.
    pub asked_rate: f64,
    /// Operations per second that were completed, errors included.
    pub achieved_rate: f64,
    /// Whether the achieved rate is the asked one (within 1% and without a growing backlog).
    pub sustained: bool,
    /// Operations due but not yet sent when the phase ended.
    pub backlog: u64,
    /// How late free clients sent (intended start to actual send, when the client was not busy with an earlier
    /// operation): the tool's own lag, not the database's.
    pub scheduling_lag: Latency,
}

/// One kind of operation in one phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationRecord {
    /// Successful operations: the only ones that are throughput.
    pub ok: u64,
    /// Reads, scans' first records and read-modify-writes whose record was not there.
    pub not_found: u64,
    /// Not found, but of a record whose insert had not been acknowledged when the operation was sent.
    pub too_early: u64,
    /// Failures by error class; absent classes did not occur.
    pub errors: BTreeMap<String, u64>,
    /// Values read back that were not what was written (`dataintegrity`); these operations are in `ok` too.
    pub verification_failures: u64,
    /// Values checked by `dataintegrity`.
    pub verified: u64,
    /// Records returned by scans.
    pub records_scanned: u64,
    /// Service time (actual send to answer) of successful operations.
    pub service: Latency,
    /// Response time (intended start to answer) of successful operations; `None` in a closed loop, where it is the
    /// service time.
    pub response: Option<Latency>,
    /// Service time of all other operations.
    pub failed: Latency,
}

impl OperationRecord {
    /// Failures of all classes.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Operations that were sent, whatever came of them.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.ok + self.not_found + self.too_early + self.error_count()
    }

    /// The latency that users feel: response time with a rate, service time without one.
    #[must_use]
    pub fn latency(&self) -> &Latency {
        self.response.as_ref().unwrap_or(&self.service)
    }
}

/// The tool's own cost: what no result can be better than.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// One operation of this workload on the empty driver, nanoseconds of one client.
    pub operation_ns: f64,
    /// One reading of the clock.
    pub clock_ns: f64,
    /// Median latency the empty driver shows.
    pub latency_p50_ns: u64,
    /// 99th percentile of the latency the empty driver shows.
    pub latency_p99_ns: u64,
}

/// What the client side cost during the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientCost {
    /// User and system CPU seconds of the whole process (for an embedded store: client and database together).
    pub cpu_seconds: f64,
    /// Share of all the machine's processors this process used, 0 to 1.
    pub cpu_share: f64,
    /// Largest resident memory of the process so far, bytes.
    pub peak_memory_bytes: u64,
    /// Involuntary context switches: others wanted the processor.
    pub involuntary_switches: u64,
}

/// How skewed the keys of the run's operations were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skew {
    /// Operations it was computed from.
    pub operations: u64,
    /// Share of operations on the hottest key, 0 to 1.
    pub hottest_key: f64,
    /// Share of operations on the hottest 1% of all keys.
    pub top_1_percent: f64,
    /// Share of operations on the hottest 20% of all keys.
    pub top_20_percent: f64,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The numbers need care.
    Warning,
    /// The numbers do not mean what they seem to.
    Invalid,
}

/// One judged fact, with its evidence and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// A stable name, e.g. `rate-not-sustained`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was seen, with the figures.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}
