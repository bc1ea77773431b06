//! What the servers cost by operation and by byte, where the lab ran them.

use dbdyno_record::{MeasureRecord, OperationRecord, ServerCost, TrialRecord};

use crate::number;

/// One line for people: `server: 41 µs of processor an operation, 1.2 GiB, ...`; `None` when the servers were not watched.
pub fn line(trial: &TrialRecord) -> Option<String> {
    let measure = trial.measure.as_ref()?;
    let server = measure.server.as_ref()?;
    let mut parts = vec![
        match cpu_ns_per_operation(measure, server.cpu_seconds) {
            Some(nanoseconds) => format!("{} of processor an operation", number::duration_ns(nanoseconds)),
            None => format!("{:.1} s of processor", server.cpu_seconds),
        },
        format!("{} of memory", number::bytes(server.resident_bytes as f64)),
    ];
    if let Some(bytes) = server.disk_bytes {
        parts.push(format!("{} on disk", number::bytes(bytes as f64)));
    }
    if let Some(factor) = space_amplification(trial, server) {
        parts.push(format!("space amplification {factor:.2}"));
    }
    if let Some(factor) = write_amplification(trial, measure, server) {
        parts.push(format!("write amplification {factor:.2}"));
    }
    Some(format!("server: {}", parts.join(", ")))
}

/// Processor time by successful operation, nanoseconds; `None` without one.
pub fn cpu_ns_per_operation(measure: &MeasureRecord, cpu_seconds: f64) -> Option<f64> {
    let ok: u64 = measure.operations.values().map(|operation| operation.ok).sum();
    (ok > 0).then(|| cpu_seconds * 1e9 / ok as f64)
}

/// Bytes on disk over the bytes of the values of all records; `None` when their length is a matter of chance.
pub fn space_amplification(trial: &TrialRecord, server: &ServerCost) -> Option<f64> {
    let inserted = trial.measure.as_ref().map_or(0, |measure| ok(measure, "insert"));
    let bytes = record_bytes(trial)? * (trial.workload.records + inserted) as f64;
    let on_disk = server.disk_bytes?;
    (bytes > 0.0).then(|| on_disk as f64 / bytes)
}

/// Bytes handed to storage over the bytes of the values that operations wrote; `None` when nothing was written, or when
/// the values' length is a matter of chance. A short phase says little: servers write later.
pub fn write_amplification(trial: &TrialRecord, measure: &MeasureRecord, server: &ServerCost) -> Option<f64> {
    let property = |name: &str| trial.workload.properties.get(name).map(String::as_str);
    let of_record = record_bytes(trial)?;
    let of_update = if property("writeallfields") == Some("true") {
        of_record
    } else {
        property("fieldlength")?.parse().ok()?
    };
    let updates = ok(measure, "update") + ok(measure, "read-modify-write");
    let bytes = of_record * ok(measure, "insert") as f64 + of_update * updates as f64;
    let written = server.written_bytes?;
    (bytes > 0.0).then(|| written as f64 / bytes)
}

fn ok(measure: &MeasureRecord, kind: &str) -> u64 {
    measure
        .operations
        .get(kind)
        .map_or(0, |operation: &OperationRecord| operation.ok)
}

fn record_bytes(trial: &TrialRecord) -> Option<f64> {
    let property = |name: &str| trial.workload.properties.get(name).map(String::as_str);
    if property("fieldlengthdistribution").is_some_and(|distribution| distribution != "constant") {
        return None;
    }
    let (count, length): (f64, f64) = (
        property("fieldcount")?.parse().ok()?,
        property("fieldlength")?.parse().ok()?,
    );
    Some(count * length)
}
