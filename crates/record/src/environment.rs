//! The machine that a study ran on, as far as it can be found out. What could not be found out is `None`, never 0.

mod cgroup;
mod disk;
mod kernel;
mod memory;
mod moment;
mod preflight;
mod processor;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

pub use memory::AvailableMemory;
pub use moment::{Moment, Process, ProcessorTime};
pub use preflight::{DiskPreflight, measure_disk, measure_disk_by};

use crate::SystemRecord;

/// The version of the format, in `format` of `environment.json`.
pub const ENVIRONMENT_FORMAT: &str = "dbdyno.environment/1";

/// `environment.json`: where the numbers come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// [`ENVIRONMENT_FORMAT`].
    pub format: String,
    /// When it was captured, RFC 3339, UTC.
    pub captured_at: String,
    /// This tool.
    pub tool: ToolFacts,
    /// The processors.
    pub processor: ProcessorFacts,
    /// The memory.
    pub memory: MemoryFacts,
    /// Operating system and kernel.
    pub kernel: KernelFacts,
    /// What else the machine was doing.
    pub load: LoadFacts,
    /// The disk that holds the result folder.
    pub disk: DiskFacts,
    /// A short measurement of that disk; `None` when it could not be made.
    pub preflight: Option<DiskPreflight>,
    /// The same by as many writers as the study's largest cluster has nodes; `None` where no cluster is on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preflight_nodes: Option<DiskPreflight>,
    /// The first measurement again, after the last trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preflight_after: Option<DiskPreflight>,
    /// The second one again, after the last trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preflight_nodes_after: Option<DiskPreflight>,
    /// Every system as it described itself, by its name in the study; filled in as trials end.
    pub systems: BTreeMap<String, SystemRecord>,
}

/// This tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolFacts {
    /// Version of dbdyno.
    pub version: String,
    /// `release` or `debug`; numbers of a debug build are worthless.
    pub build_profile: String,
    /// Operating system and processor it was built for, e.g. `linux-x86_64`.
    pub platform: String,
}

/// The processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorFacts {
    /// Model name.
    pub model: Option<String>,
    /// Processors this process may use (affinity and limits considered).
    pub usable: Option<u64>,
    /// Logical processors of the machine.
    pub logical: Option<u64>,
    /// Physical cores of the machine.
    pub physical_cores: Option<u64>,
    /// Limit of this process's control group, in processors; `None`: no limit, or unknown.
    pub cgroup_limit: Option<f64>,
    /// Frequency governor (Linux), all different ones joined by a comma.
    pub governor: Option<String>,
    /// Whether turbo frequencies are allowed.
    pub boost: Option<bool>,
}

/// The memory, bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryFacts {
    /// Of the machine.
    pub total_bytes: Option<u64>,
    /// Free or freeable at the start.
    pub available_bytes: Option<u64>,
    /// Swap space; a known 0 means that there is none.
    pub swap_total_bytes: Option<u64>,
    /// Limit of this process's control group; `None`: no limit, or unknown.
    pub cgroup_limit_bytes: Option<u64>,
    /// Transparent huge pages: `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
}

/// Operating system and kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelFacts {
    /// Name and version of the operating system.
    pub system: Option<String>,
    /// Version of the kernel.
    pub version: Option<String>,
    /// Source of the kernel's clock (Linux), e.g. `tsc`.
    pub clock_source: Option<String>,
    /// What virtual machine this is, as far as it shows; `none` when nothing hints at one.
    pub virtualisation: Option<String>,
    /// What container this is, as far as it shows; `none` when nothing hints at one.
    pub container: Option<String>,
}

/// What else the machine was doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadFacts {
    /// Load averages over 1, 5 and 15 minutes.
    pub averages: Option<[f64; 3]>,
    /// Share of processor time since boot that the hypervisor gave to others, 0 to 1.
    pub steal_share_since_boot: Option<f64>,
}

/// The disk that holds the result folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskFacts {
    /// Type of its file system, e.g. `ext4`.
    pub filesystem: Option<String>,
    /// Its block device, e.g. `nvme0n1p2`.
    pub device: Option<String>,
    /// Whether the device says that it rotates.
    pub rotational: Option<bool>,
    /// Size of the file system, bytes.
    pub total_bytes: Option<u64>,
    /// Free for this user, bytes.
    pub available_bytes: Option<u64>,
}

impl Environment {
    /// Looks around, and writes to the disk of `folder` (which must exist) for about a tenth of a second.
    #[must_use]
    pub fn capture(folder: &Path) -> Self {
        let refresh = RefreshKind::nothing().with_memory(MemoryRefreshKind::everything());
        let system = System::new_with_specifics(refresh).ok();
        let profile = if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        };
        Self {
            format: ENVIRONMENT_FORMAT.to_owned(),
            captured_at: jiff::Timestamp::now().to_string(),
            tool: ToolFacts {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                build_profile: profile.to_owned(),
                platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
            },
            processor: processor::facts(),
            memory: memory(system.as_ref()),
            kernel: kernel::facts(),
            load: LoadFacts {
                averages: System::load_average()
                    .ok()
                    .map(|load| [load.one, load.five, load.fifteen]),
                steal_share_since_boot: kernel::steal_share(),
            },
            disk: disk::facts(folder),
            preflight: measure_disk(folder).ok(),
            preflight_nodes: None,
            preflight_after: None,
            preflight_nodes_after: None,
            systems: BTreeMap::new(),
        }
    }

    /// What is not the same in another environment, one sentence each: numbers of both do not belong in one table. What
    /// changes from minute to minute (load, free space, the short measurement) is not looked at.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut look = |what: &str, here: String, there: String| {
            if here != there {
                found.push(format!("{what}: {here} against {there}"));
            }
        };
        look(
            "version of dbdyno",
            self.tool.version.clone(),
            other.tool.version.clone(),
        );
        look(
            "build",
            self.tool.build_profile.clone(),
            other.tool.build_profile.clone(),
        );
        look(
            "processor",
            known(&self.processor.model),
            known(&other.processor.model),
        );
        look(
            "usable processors",
            known(&self.processor.usable),
            known(&other.processor.usable),
        );
        look(
            "processor limit",
            known(&self.processor.cgroup_limit),
            known(&other.processor.cgroup_limit),
        );
        look(
            "governor",
            known(&self.processor.governor),
            known(&other.processor.governor),
        );
        look(
            "memory (bytes)",
            known(&self.memory.total_bytes),
            known(&other.memory.total_bytes),
        );
        look(
            "memory limit (bytes)",
            known(&self.memory.cgroup_limit_bytes),
            known(&other.memory.cgroup_limit_bytes),
        );
        look(
            "transparent huge pages",
            known(&self.memory.transparent_huge_pages),
            known(&other.memory.transparent_huge_pages),
        );
        look(
            "kernel",
            known(&self.kernel.version),
            known(&other.kernel.version),
        );
        look(
            "clock source",
            known(&self.kernel.clock_source),
            known(&other.kernel.clock_source),
        );
        look(
            "file system",
            known(&self.disk.filesystem),
            known(&other.disk.filesystem),
        );
        look(
            "block device",
            known(&self.disk.device),
            known(&other.disk.device),
        );
        found
    }
}

fn known<T: std::fmt::Display>(value: &Option<T>) -> String {
    value
        .as_ref()
        .map_or_else(|| "unknown".to_owned(), ToString::to_string)
}

fn memory(system: Option<&System>) -> MemoryFacts {
    let positive = |bytes: u64| (bytes > 0).then_some(bytes);
    MemoryFacts {
        total_bytes: system.and_then(|system| positive(system.total_memory())),
        available_bytes: system.and_then(|system| positive(system.available_memory())),
        // No swap is a fact when the memory itself could be read.
        swap_total_bytes: system
            .filter(|system| system.total_memory() > 0)
            .map(System::total_swap),
        cgroup_limit_bytes: cgroup::memory_limit_bytes(),
        transparent_huge_pages: text("/sys/kernel/mm/transparent_hugepage/enabled")
            .and_then(|choices| chosen(&choices)),
    }
}

/// The bracketed one of `always [madvise] never`.
fn chosen(choices: &str) -> Option<String> {
    let (_, rest) = choices.split_once('[')?;
    rest.split_once(']').map(|(choice, _)| choice.to_owned())
}

/// A small file of the kernel, trimmed; `None` when it is not there or empty.
fn text(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_plausible_and_survives_json() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment::capture(folder.path());
        let json = serde_json::to_string(&environment).unwrap();
        assert_eq!(serde_json::from_str::<Environment>(&json).unwrap(), environment);
        assert!(environment.memory.total_bytes.is_none_or(|bytes| bytes > 1 << 20));
        assert!(environment.processor.usable.is_some_and(|count| count >= 1));
        assert!(environment.differences(&environment).is_empty());
        #[cfg(target_os = "linux")]
        {
            assert!(environment.kernel.version.is_some());
            assert!(environment.disk.filesystem.is_some());
            assert!(environment.disk.total_bytes.is_some_and(|bytes| bytes > 0));
            let preflight = environment.preflight.unwrap();
            assert!(preflight.syncs >= 1 && preflight.sync_median_ns <= preflight.sync_max_ns);
        }
    }

    #[test]
    fn a_changed_machine_is_told_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let before = Environment::capture(folder.path());
        let mut after = before.clone();
        after.kernel.version = None;
        after.load = LoadFacts::default();
        after.tool.version = "9.9.9".to_owned();
        let differences = before.differences(&after);
        assert_eq!(differences.len(), 2, "{differences:?}");
        assert!(differences[0].ends_with("against 9.9.9") && differences[1].ends_with("against unknown"));
    }

    #[test]
    fn the_choice_is_in_brackets() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("madvise"), None);
    }
}
