//! The effect of a trial's setting on its meaning: the clock, the disk that everything shares, a data set that fits into memory.

use std::path::Path;

use dbdyno_record::finding::{
    FitsInMemory, IdleServers, MemoryFilled, NodesShareDisk, SharedDisk, SlowClock, VolumeFull,
};
use dbdyno_record::{Environment, Finding, TrialRecord};

/// Clocks that are read without asking the kernel or the hypervisor. Others cost about a microsecond per reading, or are as
/// coarse.
const QUICK_CLOCKS: [&str; 5] = [
    "tsc",
    "kvm-clock",
    "arch_sys_counter",
    "timebase",
    "hyperv_clocksource_tsc_page",
];
/// A data set below this share of the memory is in caches soon after the load, somebody's if not the database's.
pub const CACHED_SHARE: f64 = 0.5;

/// From this share of the memory on in the hands of servers and client there is none left for the kernel's caches, and the next process
/// makes the machine swap.
pub const FILLED_SHARE: f64 = 0.8;

/// The machine and the disk that a trial ran on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setting<'a> {
    /// Source of the kernel's clock.
    pub clock_source: Option<&'a str>,
    /// Memory that there is for everybody, bytes.
    pub memory_bytes: Option<u64>,
    /// How many servers have their data and logs in one place with this client's files; 0 when that is not known.
    pub servers_on_one_disk: usize,
}

impl<'a> Setting<'a> {
    /// The setting of a trial whose servers' data are in `data`, with the results in `results`.
    #[must_use]
    pub fn of(environment: &'a Environment, servers: usize, data: Option<&Path>, results: &Path) -> Self {
        let memory = &environment.memory;
        let shares = data.is_some_and(|data| on_one_device(data, results));
        Self {
            clock_source: environment.kernel.clock_source.as_deref(),
            memory_bytes: memory
                .cgroup_limit_bytes
                .into_iter()
                .chain(memory.total_bytes)
                .min(),
            servers_on_one_disk: if shares { servers } else { 0 },
        }
    }
}

fn on_one_device(first: &Path, second: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.dev());
    matches!((device(first), device(second)), (Ok(first), Ok(second)) if first == second)
}

/// A second that was measured in slices may miss a part of an operation at each of their ends.
const SHORTEST_NS: u64 = 900_000_000;

/// Findings about the setting of a trial that was measured for about a second or more; shorter ones are tests.
#[must_use]
pub fn findings(record: &TrialRecord, setting: &Setting<'_>) -> Vec<Finding> {
    if !is_long(record) {
        return Vec::new();
    }
    let clock = setting.clock_source.filter(|clock| !QUICK_CLOCKS.contains(clock));
    let clock = clock.map(|clock| {
        Finding::warning(SlowClock {
            clock_source: clock.to_owned(),
        })
    });
    let of_memory = |bytes: Option<u64>| bytes.zip(setting.memory_bytes);
    let cached = of_memory(data_bytes(record))
        .filter(|&(data, memory)| (data as f64) < CACHED_SHARE * memory as f64)
        .map(|(data_bytes, memory_bytes)| {
            Finding::note(FitsInMemory {
                data_bytes,
                memory_bytes,
            })
        });
    let filled = of_memory(held_bytes(record))
        .filter(|&(held, memory)| held as f64 > FILLED_SHARE * memory as f64)
        .map(|(held_bytes, memory_bytes)| {
            Finding::warning(MemoryFilled {
                held_bytes,
                memory_bytes,
            })
        });
    let shared = (setting.servers_on_one_disk > 0).then(|| {
        Finding::note(SharedDisk {
            servers: setting.servers_on_one_disk as u64,
        })
    });
    [clock, cached, filled, shared].into_iter().flatten().collect()
}

fn is_long(record: &TrialRecord) -> bool {
    let measure = record.measure.as_ref();
    measure.is_some_and(|measure| measure.duration_ns >= SHORTEST_NS)
}

/// The finding that all nodes of a cluster are on one disk, where the trial was measured for about a second or more.
#[must_use]
pub fn nodes_share_disk(record: &TrialRecord) -> Option<Finding> {
    let resources = record.system.resources.as_ref().filter(|_| is_long(record))?;
    Some(Finding::note(NodesShareDisk {
        servers: resources.servers.len() as u64,
        device: resources.shared_device()?.to_owned(),
    }))
}

/// A volume of the servers without room makes a trial invalid.
pub fn full_volume(volume: String) -> Finding {
    Finding::invalid(VolumeFull { volume })
}

/// The finding about idle servers of other systems that run beside a trial.
#[must_use]
pub fn idle_servers(systems: &[&str]) -> Option<Finding> {
    let systems: Vec<String> = systems.iter().map(|name| (*name).to_owned()).collect();
    (!systems.is_empty()).then(|| Finding::warning(IdleServers { systems }))
}

/// Memory of the servers at the end and of the client at most, bytes; `None` where the servers are somewhere else.
fn held_bytes(record: &TrialRecord) -> Option<u64> {
    let measure = record.measure.as_ref()?;
    let server = measure.server.as_ref()?;
    Some(server.resident_bytes + measure.client.peak_memory_bytes)
}

/// Bytes of the values that were loaded; `None` where they have no fixed length.
fn data_bytes(record: &TrialRecord) -> Option<u64> {
    let properties = &record.workload.properties;
    let number = |name: &str| properties.get(name)?.parse::<u64>().ok();
    let constant = properties
        .get("fieldlengthdistribution")
        .is_none_or(|name| name == "constant");
    let bytes = number("fieldcount")?.checked_mul(number("fieldlength")?)?;
    record
        .workload
        .records
        .checked_mul(bytes)
        .filter(|&bytes| constant && bytes > 0)
}

#[cfg(test)]
#[path = "setting_tests.rs"]
mod tests;
