//! What the servers cost by operation and by byte, where the lab ran them.

use dbdyno_record::TrialRecord;

use crate::number;

/// One line for people: `Server CPU: 41 µs per operation; memory 1.2 GiB, ...`; `None` when the servers were not watched.
pub fn line(trial: &TrialRecord) -> Option<String> {
    let measure = trial.measure.as_ref()?;
    let server = measure.server.as_ref()?;
    let cpu = match measure.cpu_ns_per_operation(server.cpu_seconds) {
        Some(nanoseconds) => format!("{} per operation", number::duration_ns(nanoseconds)),
        None => format!("{:.1} s", server.cpu_seconds),
    };
    let mut parts = vec![format!("memory {}", number::bytes(server.resident_bytes as f64))];
    if let Some(bytes) = server.disk_bytes {
        parts.push(format!("{} on disk", number::bytes(bytes as f64)));
    }
    if let Some(factor) = trial.space_amplification() {
        parts.push(format!("space amplification {factor:.2}"));
    }
    if let Some(factor) = trial.write_amplification() {
        parts.push(format!("write amplification {factor:.2}"));
    }
    Some(format!("Server CPU: {cpu}; {}", parts.join(", ")))
}
