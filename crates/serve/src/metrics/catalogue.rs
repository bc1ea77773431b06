//! Every metric there is. `docs/monitoring.md` lists them, and the dashboard in `docs/grafana` uses them.

use super::family::{Kind, Metric, Unit};

const CELL: &[&str] = &["study", "system", "workload"];
const CELL_AND_GENERATOR: &[&str] = &["study", "system", "workload", "generator"];
const CELL_AND_PHASE: &[&str] = &["study", "system", "workload", "phase"];

pub(crate) static OPERATIONS: Metric = Metric {
    name: "dbdyno_operations",
    help: "Operations by outcome: ok, not_found, too_early or error.",
    unit: Unit::Count,
    kind: Kind::Counter,
    labels: &["study", "system", "workload", "phase", "operation", "outcome"],
};
pub(crate) static LATENCY: Metric = Metric {
    name: "dbdyno_operation_latency",
    help: "Latency of successful operations: response time with a rate, service time without one.",
    unit: Unit::Seconds,
    kind: Kind::Histogram,
    labels: &["study", "system", "workload", "phase", "operation"],
};
pub(crate) static ERRORS: Metric = Metric {
    name: "dbdyno_operation_errors",
    help: "Failed operations of ended trials by error class.",
    unit: Unit::Count,
    kind: Kind::Counter,
    labels: &["study", "system", "workload", "operation", "class"],
};
pub(crate) static CLIENT_CPU: Metric = Metric {
    name: "dbdyno_client_cpu",
    help: "CPU time of dbdyno, with an embedded store in it, since this server began to watch.",
    unit: Unit::Seconds,
    kind: Kind::Counter,
    labels: CELL_AND_PHASE,
};
pub(crate) static CLIENT_MEMORY: Metric = Metric {
    name: "dbdyno_client_memory",
    help: "Resident memory of dbdyno in the running trial.",
    unit: Unit::Bytes,
    kind: Kind::Gauge,
    labels: CELL,
};
pub(crate) static SERVER_CPU: Metric = Metric {
    name: "dbdyno_server_cpu",
    help: "CPU time of the database servers since this server began to watch.",
    unit: Unit::Seconds,
    kind: Kind::Counter,
    labels: CELL_AND_PHASE,
};
pub(crate) static SERVER_MEMORY: Metric = Metric {
    name: "dbdyno_server_memory",
    help: "Resident memory of the database servers in the running trial.",
    unit: Unit::Bytes,
    kind: Kind::Gauge,
    labels: CELL,
};
pub(crate) static SERVER_READ: Metric = Metric {
    name: "dbdyno_server_read",
    help: "Bytes that the database servers read from storage since this server began to watch.",
    unit: Unit::Bytes,
    kind: Kind::Counter,
    labels: CELL_AND_PHASE,
};
pub(crate) static SERVER_WRITTEN: Metric = Metric {
    name: "dbdyno_server_written",
    help: "Bytes written to the storage of the database servers since this server began to watch.",
    unit: Unit::Bytes,
    kind: Kind::Counter,
    labels: CELL_AND_PHASE,
};
pub(crate) static GENERATOR_THROUGHPUT: Metric = Metric {
    name: "dbdyno_generator_throughput",
    help: "Successful operations per second of a load generator in the running trial, where several send the load.",
    unit: Unit::Count,
    kind: Kind::Gauge,
    labels: CELL_AND_GENERATOR,
};
pub(crate) static GENERATOR_CPUS: Metric = Metric {
    name: "dbdyno_generator_cpus",
    help: "CPUs that a load generator uses in the running trial, where several send the load.",
    unit: Unit::Count,
    kind: Kind::Gauge,
    labels: CELL_AND_GENERATOR,
};
pub(crate) static PHASE: Metric = Metric {
    name: "dbdyno_phase",
    help: "The phase of the running trial.",
    unit: Unit::Count,
    kind: Kind::Info,
    labels: CELL_AND_PHASE,
};
pub(crate) static TRIAL_NUMBER: Metric = Metric {
    name: "dbdyno_trial_number",
    help: "Place of the running trial among all trials of its study, from 1.",
    unit: Unit::Count,
    kind: Kind::Gauge,
    labels: CELL,
};
pub(crate) static TRIALS: Metric = Metric {
    name: "dbdyno_trials",
    help: "Ended trials by state (completed, disturbed, interrupted, failed) and verdict (valid, invalid).",
    unit: Unit::Count,
    kind: Kind::Counter,
    labels: &["study", "system", "workload", "state", "verdict"],
};
pub(crate) static TRIAL_END: Metric = Metric {
    name: "dbdyno_trial_end_time",
    help: "Unix time at which the last trial with this state and verdict ended.",
    unit: Unit::Seconds,
    kind: Kind::Gauge,
    labels: &["study", "system", "workload", "state", "verdict"],
};
pub(crate) static STUDY_RUNNING: Metric = Metric {
    name: "dbdyno_study_running",
    help: "1 while a process runs the study, else 0.",
    unit: Unit::Count,
    kind: Kind::Gauge,
    labels: &["study"],
};
pub(crate) static STUDY_TRIALS: Metric = Metric {
    name: "dbdyno_study_trials",
    help: "Planned trials of the study.",
    unit: Unit::Count,
    kind: Kind::Gauge,
    labels: &["study"],
};
pub(crate) static STUDY_DONE: Metric = Metric {
    name: "dbdyno_study_trials_done",
    help: "Planned trials of the study that are completed.",
    unit: Unit::Count,
    kind: Kind::Gauge,
    labels: &["study"],
};
pub(crate) static STUDY_REMAINING: Metric = Metric {
    name: "dbdyno_study_remaining",
    help: "Estimated time until the study ends, without repetitions of disturbed trials.",
    unit: Unit::Seconds,
    kind: Kind::Gauge,
    labels: &["study"],
};
pub(crate) static DROPPED: Metric = Metric {
    name: "dbdyno_dropped_series",
    help: "Series left out of this answer because a metric has too many.",
    unit: Unit::Count,
    kind: Kind::Gauge,
    labels: &[],
};

/// All of them, in the order of every answer.
pub(crate) static ALL: [&Metric; 20] = [
    &OPERATIONS,
    &LATENCY,
    &ERRORS,
    &CLIENT_CPU,
    &CLIENT_MEMORY,
    &SERVER_CPU,
    &SERVER_MEMORY,
    &SERVER_READ,
    &SERVER_WRITTEN,
    &GENERATOR_THROUGHPUT,
    &GENERATOR_CPUS,
    &PHASE,
    &TRIAL_NUMBER,
    &TRIALS,
    &TRIAL_END,
    &STUDY_RUNNING,
    &STUDY_TRIALS,
    &STUDY_DONE,
    &STUDY_REMAINING,
    &DROPPED,
];
