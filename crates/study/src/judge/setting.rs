//! What a trial's setting does to its meaning: the clock, the disk that everything shares, a data set that fits into memory.

use std::path::Path;

use dbdyno_record::{Environment, Finding, Severity, TrialRecord};

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

/// What the trial ran on.
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

/// What there is to say about a trial that was measured for about a second or more; shorter ones are tests.
#[must_use]
pub fn findings(record: &TrialRecord, setting: &Setting<'_>) -> Vec<Finding> {
    let long = record
        .measure
        .as_ref()
        .is_some_and(|measure| measure.duration_ns >= SHORTEST_NS);
    if !long {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut add = |code: &str, severity, message: String, remedy: &str| {
        found.push(Finding {
            code: code.to_owned(),
            severity,
            message,
            remedy: remedy.to_owned(),
        });
    };
    if let Some(clock) = setting.clock_source.filter(|clock| !QUICK_CLOCKS.contains(clock)) {
        add(
            "slow-clock",
            Severity::Warning,
            format!(
                "the kernel's clock source is {clock}, which is slow or coarse and slows databases that read the clock"
            ),
            "set the clock source to tsc, if the machine supports it",
        );
    }
    if let (Some(data), Some(memory)) = (data_bytes(record), setting.memory_bytes)
        && (data as f64) < CACHED_SHARE * memory as f64
    {
        add(
            "fits-in-memory",
            Severity::Note,
            format!(
                "the values take {:.2} GB and the machine has {:.1} GB of memory: caches answer the reads, not the disk",
                data as f64 / 1e9,
                memory as f64 / 1e9
            ),
            "load more records than fit into memory, if your data will not fit",
        );
    }
    if let (Some(held), Some(memory)) = (held_bytes(record), setting.memory_bytes)
        && held as f64 > FILLED_SHARE * memory as f64
    {
        add(
            "memory-filled",
            Severity::Warning,
            format!(
                "servers and client held {:.1} GB of {:.1} GB of memory: hardly any is left for caches, and a little more makes the machine \
                 swap",
                held as f64 / 1e9,
                memory as f64 / 1e9
            ),
            "use smaller heaps and caches, fewer nodes on this machine, or more memory",
        );
    }
    if setting.servers_on_one_disk > 0 {
        add(
            "shared-disk",
            Severity::Note,
            format!(
                "data and logs of {} and this client's files share one disk and slow each other",
                match setting.servers_on_one_disk {
                    1 => "the server".to_owned(),
                    servers => format!("all {servers} servers"),
                }
            ),
            "on real machines each node has its own disks; compare only systems with the same number of nodes",
        );
    }
    found
}

/// What a volume of the servers without room does to a trial.
pub fn full_volume(message: String) -> Finding {
    Finding {
        code: "volume-full".to_owned(),
        severity: Severity::Invalid,
        message,
        remedy: "load fewer records, or make room where the lab keeps its data (DBDYNO_LAB_HOME): a volume takes half of what is free"
            .to_owned(),
    }
}

/// What servers of other systems do to a trial that they run beside.
#[must_use]
pub fn idle_servers(names: &[&str]) -> Option<Finding> {
    let (first, rest) = names.split_first()?;
    let names = rest
        .iter()
        .fold((*first).to_owned(), |all, name| format!("{all}, {name}"));
    Some(Finding {
        code: "idle-servers".to_owned(),
        severity: Severity::Warning,
        message: format!(
            "servers of other systems were running: {names}; they used memory and may have used CPU"
        ),
        remedy:
            "in comparisons, use restart = \"block\" (the default), which runs each system alone; search the capacity of each system in a \
             study of its own"
                .to_owned(),
    })
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
