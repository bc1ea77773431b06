//! The cost of operations in CPU time, disk space and bytes written, where the lab ran the servers.

use crate::{MeasureRecord, OperationRecord, TrialRecord};

impl MeasureRecord {
    /// CPU time by successful operation, nanoseconds; `None` without one.
    #[must_use]
    pub fn cpu_ns_per_operation(&self, cpu_seconds: f64) -> Option<f64> {
        let ok: u64 = self.operations.values().map(|operation| operation.ok).sum();
        (ok > 0).then(|| cpu_seconds * 1e9 / ok as f64)
    }

    fn ok(&self, kind: &str) -> u64 {
        self.operations
            .get(kind)
            .map_or(0, |operation: &OperationRecord| operation.ok)
    }
}

impl TrialRecord {
    /// Bytes on disk over the bytes of the values of all records; `None` when their length is a matter of chance.
    #[must_use]
    pub fn space_amplification(&self) -> Option<f64> {
        let measure = self.measure.as_ref()?;
        let bytes = self.record_bytes()? * (self.workload.records + measure.ok("insert")) as f64;
        let on_disk = measure.server.as_ref()?.disk_bytes?;
        (bytes > 0.0).then(|| on_disk as f64 / bytes)
    }

    /// Bytes handed to storage over the bytes of the values that operations wrote; `None` when nothing was written, or when
    /// the values' length is a matter of chance. A short phase says little: servers write later.
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        let measure = self.measure.as_ref()?;
        let of_record = self.record_bytes()?;
        let of_update = if self.property("writeallfields") == Some("true") {
            of_record
        } else {
            self.property("fieldlength")?.parse().ok()?
        };
        let updates = measure.ok("update") + measure.ok("read-modify-write");
        let bytes = of_record * measure.ok("insert") as f64 + of_update * updates as f64;
        let written = measure.server.as_ref()?.written_bytes?;
        (bytes > 0.0).then(|| written as f64 / bytes)
    }

    fn record_bytes(&self) -> Option<f64> {
        if self
            .property("fieldlengthdistribution")
            .is_some_and(|distribution| distribution != "constant")
        {
            return None;
        }
        let count: f64 = self.property("fieldcount")?.parse().ok()?;
        let length: f64 = self.property("fieldlength")?.parse().ok()?;
        Some(count * length)
    }

    fn property(&self, name: &str) -> Option<&str> {
        self.workload.properties.get(name).map(String::as_str)
    }
}
