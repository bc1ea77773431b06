//! What client and servers use, as figures and tables show it: titles, columns, units.

use crate::model::Usage;
use crate::number;

/// Sizes are drawn in MiB: the steps of an axis are round then.
const MIB: f64 = 1_048_576.0;

/// Something that client or servers use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// CPUs of the servers.
    ServerCpus,
    /// CPUs of the client.
    ClientCpus,
    /// Memory of the servers.
    ServerMemory,
    /// Memory of the client.
    ClientMemory,
    /// Reads of the servers from storage.
    ServerReads,
    /// Writes of the servers to storage.
    ServerWrites,
}

impl Resource {
    /// All, in the order of figures.
    pub const ALL: [Self; 6] = [
        Self::ServerCpus,
        Self::ClientCpus,
        Self::ServerMemory,
        Self::ClientMemory,
        Self::ServerReads,
        Self::ServerWrites,
    ];

    /// How much of it was used; `None` where it was not measured.
    pub const fn of(self, usage: &Usage) -> Option<f64> {
        match self {
            Self::ServerCpus => usage.server_cpus,
            Self::ClientCpus => usage.client_cpus,
            Self::ServerMemory => usage.server_memory_bytes,
            Self::ClientMemory => usage.client_memory_bytes,
            Self::ServerReads => usage.server_read_bytes_per_second,
            Self::ServerWrites => usage.server_written_bytes_per_second,
        }
    }

    /// Title of its figure.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ServerCpus => "CPUs used by the servers",
            Self::ClientCpus => "CPUs used by the client",
            Self::ServerMemory => "Memory of the servers",
            Self::ClientMemory => "Memory of the client",
            Self::ServerReads => "Read from disk by the servers",
            Self::ServerWrites => "Written to the servers' disk",
        }
    }

    /// Name of its figure in the cell.
    pub const fn slug(self) -> &'static str {
        match self {
            Self::ServerCpus => "server-cpu-over-time",
            Self::ClientCpus => "client-cpu-over-time",
            Self::ServerMemory => "server-memory-over-time",
            Self::ClientMemory => "client-memory-over-time",
            Self::ServerReads => "server-reads-over-time",
            Self::ServerWrites => "server-writes-over-time",
        }
    }

    /// Name of the column of drawn values, with their unit.
    pub const fn column(self) -> &'static str {
        match self {
            Self::ServerCpus => "server_cpus",
            Self::ClientCpus => "client_cpus",
            Self::ServerMemory => "server_memory_mib",
            Self::ClientMemory => "client_memory_mib",
            Self::ServerReads => "server_read_mib_per_second",
            Self::ServerWrites => "server_written_mib_per_second",
        }
    }

    /// A value in the unit of the drawing: CPUs or MiB.
    pub fn drawn(self, value: f64) -> f64 {
        match self {
            Self::ServerCpus | Self::ClientCpus => value,
            Self::ServerMemory | Self::ClientMemory | Self::ServerReads | Self::ServerWrites => value / MIB,
        }
    }

    /// A value of the drawing with its unit.
    pub fn format_drawn(self, value: f64) -> String {
        match self {
            Self::ServerCpus | Self::ClientCpus => number::ratio_digits(value),
            Self::ServerMemory | Self::ClientMemory => mebibytes(value),
            Self::ServerReads | Self::ServerWrites => format!("{}/s", mebibytes(value)),
        }
    }

    /// A value with the unit that suits it.
    pub fn format(self, value: f64) -> String {
        match self {
            Self::ServerCpus | Self::ClientCpus => number::ratio_digits(value),
            Self::ServerMemory | Self::ClientMemory => number::bytes(value),
            Self::ServerReads | Self::ServerWrites => format!("{}/s", number::bytes(value)),
        }
    }

    /// The value of several neighbouring stretches: memory is the largest, everything else the mean.
    pub fn joined(self, values: &[f64]) -> Option<f64> {
        match self {
            Self::ServerMemory | Self::ClientMemory => values.iter().copied().reduce(f64::max),
            _ if values.is_empty() => None,
            _ => Some(values.iter().sum::<f64>() / values.len() as f64),
        }
    }
}

/// Values of one axis have one unit, except those that would round to nothing.
fn mebibytes(value: f64) -> String {
    if value < 0.1 {
        number::bytes(value * MIB)
    } else if value < 9.995 {
        format!("{value:.2} MiB")
    } else {
        format!("{value:.0} MiB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_units() {
        assert_eq!(Resource::ServerMemory.format(300e6), "286 MiB");
        assert_eq!(Resource::ServerWrites.format(2e6), "1.91 MiB/s");
        assert_eq!(Resource::ServerCpus.format(1.5), "1.50");
        let drawn = |resource: Resource, value| resource.format_drawn(resource.drawn(value));
        assert_eq!(drawn(Resource::ServerMemory, 300e6), "286 MiB");
        assert_eq!(drawn(Resource::ServerMemory, 3e9), "2861 MiB");
        assert_eq!(drawn(Resource::ServerWrites, 4096.0), "4.00 KiB/s");
        assert_eq!(drawn(Resource::ServerWrites, 2e6), "1.91 MiB/s");
        assert_eq!(Resource::ServerMemory.joined(&[1.0, 3.0, 2.0]), Some(3.0));
        assert_eq!(Resource::ServerCpus.joined(&[1.0, 3.0]), Some(2.0));
        assert_eq!(Resource::ServerCpus.joined(&[]), None);
    }
}
