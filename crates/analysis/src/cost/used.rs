//! What a trial used of CPU, memory and disk: of its servers where the lab ran them, of the process where the store is inside it.

use dbdyno_record::{ClientCost, MeasureRecord, TrialRecord};
use serde::Serialize;

const GIB: f64 = 1_073_741_824.0;

/// Something that has a price by the hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Busy CPUs.
    Cpu,
    /// Memory.
    Memory,
    /// Space on disk.
    Storage,
}

/// Whose CPU time was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CpuOf {
    /// That of the servers.
    Servers,
    /// That of the process that holds store and client together.
    Process,
}

/// Whose CPU time, memory and disk count for this trial; `None` where neither was measured: on servers that the lab did not start.
#[must_use]
pub fn whose(trial: &TrialRecord) -> Option<CpuOf> {
    let measure = trial.measure.as_ref()?;
    match trial.system.node_count() {
        _ if measure.server.is_some() => Some(CpuOf::Servers),
        // An imported result does not know what its client cost.
        Some(0) if measure.client != ClientCost::default() => Some(CpuOf::Process),
        _ => None,
    }
}

/// How much of it was used on average: CPUs, GiB of memory, GiB on disk; `None` where it was not measured.
#[must_use]
pub fn on_average(trial: &TrialRecord, resource: Resource) -> Option<f64> {
    let measure = trial.measure.as_ref()?;
    let server = measure.server.as_ref();
    let of_process = whose(trial)? == CpuOf::Process;
    match resource {
        Resource::Cpu => {
            let seconds = cpu_seconds(measure, of_process)?;
            let phase = measure.duration_ns as f64 / 1e9;
            (phase > 0.0).then(|| seconds / phase)
        }
        Resource::Memory if of_process => Some(measure.client.peak_memory_bytes as f64 / GIB),
        Resource::Memory => Some(server?.resident_bytes as f64 / GIB),
        Resource::Storage => Some(server?.disk_bytes? as f64 / GIB),
    }
}

fn cpu_seconds(measure: &MeasureRecord, of_process: bool) -> Option<f64> {
    match of_process {
        true => Some(measure.client.cpu_seconds),
        false => Some(measure.server.as_ref()?.cpu_seconds),
    }
}

/// CPU seconds for a million successful operations.
#[must_use]
pub fn cpu_seconds_per_million(trial: &TrialRecord) -> Option<f64> {
    let measure = trial.measure.as_ref()?;
    let seconds = cpu_seconds(measure, whose(trial)? == CpuOf::Process)?;
    Some(measure.cpu_ns_per_operation(seconds)? / 1e9 * 1e6)
}

/// Bytes handed to storage for one successful operation.
#[must_use]
pub fn written_bytes_per_operation(trial: &TrialRecord) -> Option<f64> {
    let measure = trial.measure.as_ref()?;
    let ok: u64 = measure.operations.values().map(|operation| operation.ok).sum();
    let written = measure.server.as_ref()?.written_bytes?;
    (ok > 0).then(|| written as f64 / ok as f64)
}

/// Bytes on disk for each record, at the end of the measured phase.
#[must_use]
pub fn disk_bytes_per_record(trial: &TrialRecord) -> Option<f64> {
    let measure = trial.measure.as_ref()?;
    let inserted = measure
        .operations
        .get("insert")
        .map_or(0, |operation| operation.ok);
    let records = trial.workload.records + inserted;
    let on_disk = measure.server.as_ref()?.disk_bytes?;
    (records > 0).then(|| on_disk as f64 / records as f64)
}
