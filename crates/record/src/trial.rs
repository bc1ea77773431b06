//! The record of one trial, and the plain types it is made of. Names of maps' keys are the names of the crates to the
//! left (`OperationKind::name`, `ErrorClass::name`, `Durability::name`), as text.

use std::collections::BTreeMap;

use dbdyno_trial::TrialSpec;
use serde::{Deserialize, Serialize};

use crate::{Conditions, Finding, Latency, Stated, SystemRecord, TrialStatus};

mod generators;
mod on_disk;

pub use generators::{GeneratorClock, GeneratorRecord};

/// The version of the format, in every record's `format`.
pub const TRIAL_FORMAT: &str = "dbdyno.trial/4";

/// Everything known about one trial: once, one system, one workload.
#[derive(Clone, Debug, PartialEq)]
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
    /// What it was asked to do. Files keep the factors and settings that follow from it, too.
    pub spec: TrialSpec,
    /// Operating-system threads that carried its clients; 0 where it did not come that far.
    pub threads: u32,
    /// The system as asked for and as it describes itself.
    pub system: SystemRecord,
    /// The work.
    pub workload: WorkloadRecord,
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
    /// The load generators, where several carried it out together.
    pub generators: Vec<GeneratorRecord>,
    /// Judged facts about the validity of this trial.
    pub findings: Vec<Finding>,
    /// Under what conditions it was measured.
    pub conditions: Conditions,
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

/// The load phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadRecord {
    /// From the first insert's start to the last insert's end.
    pub duration_ns: u64,
    /// The inserts.
    pub inserts: OperationRecord,
}

/// How many distinct error messages a phase keeps.
pub const MOST_ERROR_SAMPLES: usize = 8;

/// The measured phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureRecord {
    /// From the phase's start to its deadline. Without a time limit, and where all operations ended before it: to the end of
    /// the last operation, or of several load generators until the first of them had sent its share. Records of versions that kept no
    /// `drain` count to the end of the last operation always.
    pub duration_ns: u64,
    /// What load generators sent after the first of them had sent its share; absent where there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Tail>,
    /// The wait for operations that had not ended at the deadline.
    #[serde(default, skip_serializing_if = "Drain::is_empty")]
    pub drain: Drain,
    /// By operation name; kinds that were never asked for are absent.
    pub operations: BTreeMap<String, OperationRecord>,
    /// The rate, as asked and as achieved; `None`: closed loop.
    pub pacing: Option<Pacing>,
    /// Resources that the client side used.
    pub client: ClientCost,
    /// Resources that the servers used, where the lab runs them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerCost>,
    /// How much faster (below 0: slower) the clock that timed the operations went than the operating system's monotonic
    /// clock, parts per million; `None` where it is that clock, or the phase was too short for a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_drift_ppm: Option<f64>,
    /// The first few distinct error messages, for people.
    pub error_samples: Vec<String>,
}

/// Operations that load generators sent after the first of them had sent its share of a number of operations. The load was no longer that of
/// all of them: these operations are in no other figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tail {
    /// How many there were, whatever came of them.
    pub operations: u64,
    /// From the end of the phase to the end of the last of them.
    pub duration_ns: u64,
}

/// Operations that had not ended at the deadline, and their end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// From the deadline to the last answer, or to the moment when the last clients were given up.
    pub duration_ns: u64,
    /// Clients whose operation in flight did not end within the drain.
    pub stuck: u32,
    /// Operations that were due before the deadline and that nobody sent; open loop only.
    pub never_sent: u64,
}

impl Drain {
    /// Whether everything had ended at the deadline.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An open loop's asked rate against what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pacing {
    /// Operations per second asked for.
    pub asked_rate: f64,
    /// Operations per second that were sent in the measured phase, whatever came of them.
    pub achieved_rate: f64,
    /// Whether the achieved rate is the asked one (within 1%, without a growing backlog, and no client is stuck).
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
    /// Those of them that were answered after the phase's deadline: they count for latency and not for throughput.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drained: u64,
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
    /// Lower bounds of response times (service times without a rate): from the intended start until the trial was given up, of
    /// operations in flight then and of those that were due and never sent. They are in no other figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Latency>,
    /// How long failed operations were waited for: from the intended start with a rate, from the send without one. Answers
    /// "not found" are not among them. `None` where nothing failed, and in records of versions that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<Latency>,
    /// Figures that a log of another tool states in place of histograms (`dbdyno import`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<Stated>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl MeasureRecord {
    /// Successful operations of all kinds that were answered within the phase.
    #[must_use]
    pub fn ok_in_time(&self) -> u64 {
        self.operations.values().map(OperationRecord::ok_in_time).sum()
    }

    /// Successful operations of all kinds per second; `None` when no time passed.
    #[must_use]
    pub fn throughput_per_second(&self) -> Option<f64> {
        per_second(self.ok_in_time(), self.duration_ns)
    }

    /// How long all operations took, those of the tail included: what YCSB calls the run time.
    #[must_use]
    pub fn run_time_ns(&self) -> u64 {
        let tail_ns = self.tail.map_or(0, |tail| tail.duration_ns);
        self.duration_ns.saturating_add(tail_ns)
    }

    /// From the phase's start to the last answer.
    #[must_use]
    pub fn whole_ns(&self) -> u64 {
        self.duration_ns.saturating_add(self.drain.duration_ns)
    }
}

impl LoadRecord {
    /// Successful inserts per second; `None` when no time passed.
    #[must_use]
    pub fn throughput_per_second(&self) -> Option<f64> {
        per_second(self.inserts.ok, self.duration_ns)
    }
}

/// A count over a time in nanoseconds, as a rate per second.
pub(crate) fn per_second(count: u64, duration_ns: u64) -> Option<f64> {
    (duration_ns > 0).then(|| count as f64 * 1e9 / duration_ns as f64)
}

impl OperationRecord {
    /// Failures of all classes.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Successful operations that were answered before the phase's deadline: throughput.
    #[must_use]
    pub fn ok_in_time(&self) -> u64 {
        self.ok.saturating_sub(self.drained)
    }

    /// Operations that were sent, whatever came of them.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        let unsuccessful = self.not_found.saturating_add(self.too_early);
        self.ok
            .saturating_add(unsuccessful)
            .saturating_add(self.error_count())
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

/// Resources that the client side used during the measured phase.
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
    /// The client thread that used the most CPU time; `None` where the operating system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_thread: Option<ThreadCost>,
}

/// Resources that one client thread used during the measured phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadCost {
    /// The thread's name, e.g. `clients-0`.
    pub name: String,
    /// Its CPU time over its elapsed time in the measured phase, 0 to 1.
    pub cpu_share: f64,
}

/// Resources of the machine that the servers of the system used during the measured phase, all of them together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerCost {
    /// CPU seconds.
    pub cpu_seconds: f64,
    /// Resident memory at the end, bytes.
    pub resident_bytes: u64,
    /// Read from storage, bytes: what the page cache answers is not among it.
    pub read_bytes: u64,
    /// Written to storage, bytes: over the bytes that operations wrote it is the write amplification. Not known for
    /// servers of which only the process is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// Space that their data take on disk at the end, bytes: over the bytes of the records it is the space amplification.
    /// Not known for servers of which only the process is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
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

#[cfg(test)]
pub(crate) mod tests {
    use dbdyno_trial::{Durability, Limit, ScanOrder, SystemSpec};

    use super::*;
    use crate::{Fact, HostRecord, Level, Pauses, ServerStart, Severity, Steadiness, SteadyState};

    /// A small trial with everything in it that a trial can have.
    #[allow(clippy::too_many_lines, reason = "one literal with every field of a trial")]
    pub(crate) fn example(name: &str) -> TrialRecord {
        let mut reads = OperationRecord {
            ok: 1000,
            not_found: 5,
            ..OperationRecord::default()
        };
        (1..=1000).for_each(|i| reads.service.record(i * 1_000));
        let mut updates = OperationRecord {
            errors: [("timeout".to_owned(), 2)].into(),
            ..OperationRecord::default()
        };
        updates.failed.record(1_000_000_000);
        let mut inserts = OperationRecord {
            ok: 500,
            ..OperationRecord::default()
        };
        inserts.service.record(20_000);
        TrialRecord {
            format: TRIAL_FORMAT.to_owned(),
            study: "example".to_owned(),
            trial: name.to_owned(),
            block: 0,
            position: 0,
            seed: 42,
            started_at: "2026-01-02T03:04:05Z".to_owned(),
            spec: TrialSpec {
                clients: 2,
                limit: Limit {
                    operations: Some(1007),
                    duration: None,
                },
                ..TrialSpec::new(SystemSpec::named("memory"), "a", 500)
            },
            threads: 2,
            system: SystemRecord {
                name: "memory".to_owned(),
                driver: "memory".to_owned(),
                address: "memory".to_owned(),
                product: "memory".to_owned(),
                version: "0.1.0".to_owned(),
                topology: "embedded".to_owned(),
                nodes: Some(0),
                replicas: Some(1),
                durability: Fact::Known(Durability::None),
                durability_means: "nothing is written to a disk".to_owned(),
                consistency: Fact::Absent,
                consistency_means: String::new(),
                at_rest: None,
                resources: None,
                scan_order: Fact::Known(ScanOrder::Key),
                protection: None,
                settings: BTreeMap::new(),
            },
            workload: WorkloadRecord {
                name: "a".to_owned(),
                records: 500,
                properties: [("recordcount".to_owned(), "500".to_owned())].into(),
            },
            status: TrialStatus::Completed,
            load: Some(LoadRecord {
                duration_ns: 100_000_000,
                inserts,
            }),
            measure: Some(MeasureRecord {
                duration_ns: 2_000_000_000,
                tail: None,
                drain: Drain::default(),
                operations: [("read".to_owned(), reads), ("update".to_owned(), updates)].into(),
                pacing: None,
                server: None,
                client: ClientCost {
                    cpu_seconds: 1.5,
                    busiest_thread: Some(ThreadCost {
                        name: "clients-0".to_owned(),
                        cpu_share: 0.75,
                    }),
                    ..ClientCost::default()
                },
                clock_drift_ppm: Some(12.5),
                error_samples: vec!["timed out".to_owned()],
            }),
            floor: Floor {
                operation_ns: 150.0,
                clock_ns: 20.0,
                latency_p50_ns: 60,
                latency_p99_ns: 120,
            },
            skew: Some(Skew {
                operations: 1007,
                hottest_key: 0.05,
                top_1_percent: 0.3,
                top_20_percent: 0.8,
            }),
            generators: vec![GeneratorRecord {
                name: "west-2".to_owned(),
                host: "load-2".to_owned(),
                cpus: 4,
                clients: 2,
                clock: GeneratorClock {
                    round_trip_ns: 300_000,
                    uncertainty_ns: 150_000,
                    moved_ns: -20,
                },
                late_ns: 0,
                machine: Some(HostRecord {
                    seconds: 2.0,
                    steal_share: Some(0.01),
                    ..HostRecord::default()
                }),
                measure: None,
            }],
            findings: vec![Finding::in_words(
                Severity::Warning,
                "too-short",
                "the measured phase took 2 s",
                "run longer",
            )],
            conditions: Conditions {
                compilers_share: Some(0.02),
                interleaving: None,
                start: Some(ServerStart {
                    id: 3,
                    started_at: "2026-01-01T00:00:00Z".to_owned(),
                    warmup_ns: Some(75_000_000_000),
                }),
                steady: Some(SteadyState {
                    steadiness: Steadiness::Late,
                    judged_by: "throughput".to_owned(),
                    windows: 60,
                    window_ns: 1_000_000_000,
                    levels: [(0, 100.0), (10_000_000_000, 500.0)]
                        .map(|(from_ns, throughput_per_second)| Level {
                            from_ns,
                            throughput_per_second,
                            latency_p50_ns: Some(20_000.0),
                        })
                        .into(),
                    pauses: Some(Pauses {
                        count: 2,
                        total_ns: 4_000_000_000,
                        median_ns: 2_100_000_000,
                        longest_ns: 2_100_000_000,
                        every_ns: Some(20_000_000_000),
                    }),
                }),
                warmup_ns: Some(23_000_000_000),
                reference: Some(crate::ReferenceWork {
                    before_ns: 1.5,
                    after_ns: 2.5,
                }),
                host: Some(HostRecord {
                    seconds: 60.0,
                    steal_share: Some(0.05),
                    busiest_other: Some("rustc".to_owned()),
                    ..HostRecord::default()
                }),
                disturbed_by: vec!["host-steal".to_owned()],
            },
        }
    }

    #[test]
    fn throughput_counts_successes_only() {
        let measure = example("x").measure.unwrap();
        assert_eq!(measure.throughput_per_second(), Some(500.0));
        assert_eq!(
            MeasureRecord {
                duration_ns: 0,
                ..measure
            }
            .throughput_per_second(),
            None
        );
    }
}
