//! What can be counted, and how it adds up.

use dbdyno_record::live_buckets::LatencyBuckets;
use dbdyno_record::{IntervalRow, OperationRecord};

/// A system and a workload: what all trials of one label set have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub system: String,
    pub workload: String,
}

/// Whose operations are counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OperationKey {
    pub cell: Cell,
    pub phase: String,
    pub operation: String,
}

/// Operations by how they ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Operations {
    pub ok: u64,
    pub not_found: u64,
    pub too_early: u64,
    pub errors: u64,
    /// Of successful ones.
    pub latency: LatencyBuckets,
}

/// Resources that client and servers used.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    pub client_cpu_s: f64,
    pub server_cpu_s: Option<f64>,
    pub server_read_bytes: Option<u64>,
    pub server_written_bytes: Option<u64>,
}

/// Values that add up.
pub(crate) trait Sum: Clone + Default {
    fn add(&mut self, other: &Self);
}

impl Sum for Operations {
    fn add(&mut self, other: &Self) {
        self.ok = self.ok.saturating_add(other.ok);
        self.not_found = self.not_found.saturating_add(other.not_found);
        self.too_early = self.too_early.saturating_add(other.too_early);
        self.errors = self.errors.saturating_add(other.errors);
        self.latency.merge(&other.latency);
    }
}

impl Sum for Usage {
    fn add(&mut self, other: &Self) {
        self.client_cpu_s += other.client_cpu_s;
        if let Some(seconds) = other.server_cpu_s {
            *self.server_cpu_s.get_or_insert_default() += seconds;
        }
        for (sum, bytes) in [
            (&mut self.server_read_bytes, other.server_read_bytes),
            (&mut self.server_written_bytes, other.server_written_bytes),
        ] {
            if let Some(bytes) = bytes {
                *sum = Some(sum.unwrap_or(0).saturating_add(bytes));
            }
        }
    }
}

/// A sum of seconds, of which a later line of the same second replaces the earlier one.
#[derive(Clone, Debug, Default)]
pub(super) struct Seconds<T> {
    closed: T,
    open: Option<(f64, T)>,
}

impl<T: Sum> Seconds<T> {
    pub(super) fn put(&mut self, offset_s: f64, value: T) {
        if let Some((before_s, before)) = self.open.replace((offset_s, value))
            && before_s != offset_s
        {
            self.closed.add(&before);
        }
    }

    pub(super) fn total(&self) -> T {
        let mut total = self.closed.clone();
        if let Some((_, open)) = &self.open {
            total.add(open);
        }
        total
    }
}

impl Usage {
    /// The larger of each.
    pub(super) fn at_least(&self, other: &Self) -> Self {
        let known_s = [self.server_cpu_s, other.server_cpu_s].into_iter().flatten();
        Self {
            client_cpu_s: self.client_cpu_s.max(other.client_cpu_s),
            server_cpu_s: known_s.reduce(f64::max),
            server_read_bytes: self.server_read_bytes.max(other.server_read_bytes),
            server_written_bytes: self.server_written_bytes.max(other.server_written_bytes),
        }
    }

    pub(super) fn of(row: &IntervalRow) -> Self {
        Self {
            client_cpu_s: row.client_cpu_seconds,
            server_cpu_s: row.server_cpu_seconds,
            server_read_bytes: row.server_read_bytes,
            server_written_bytes: row.server_written_bytes,
        }
    }
}

impl Operations {
    pub(super) fn of(record: &OperationRecord) -> Self {
        let mut latency = LatencyBuckets::default();
        latency.add(record.response.as_ref().unwrap_or(&record.service));
        Self {
            ok: record.ok,
            not_found: record.not_found,
            too_early: record.too_early,
            errors: record.error_count(),
            latency,
        }
    }
}
