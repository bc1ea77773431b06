//! The machine that a study ran on, as far as it is known. What is not known is `None`, never 0. `dbdyno-machine` fills it in.

mod node_disk;
mod preflight;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use node_disk::NodeDisk;
pub use preflight::DiskPreflight;

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
    /// The load of the machine by others.
    pub load: LoadFacts,
    /// The disk that holds the result folder.
    pub disk: DiskFacts,
    /// A short measurement of that disk; `None` when it could not be made.
    pub preflight: Option<DiskPreflight>,
    /// A short measurement of that disk by as many writers as the study's largest cluster has nodes; `None` where no cluster is on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preflight_nodes: Option<DiskPreflight>,
    /// The first measurement again, after the last trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preflight_after: Option<DiskPreflight>,
    /// The second one again, after the last trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preflight_nodes_after: Option<DiskPreflight>,
    /// The disks below the data and the logs of clusters that the lab started, each measured before the first trial on it and after
    /// the last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_disks: Vec<NodeDisk>,
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
    /// The kind of virtual machine, as far as it shows; `none` when nothing hints at one.
    pub virtualisation: Option<String>,
    /// The kind of container, as far as it shows; `none` when nothing hints at one.
    pub container: Option<String>,
}

/// The load of the machine by others.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_machine_is_described_in_words() {
        let before = Environment {
            format: ENVIRONMENT_FORMAT.to_owned(),
            captured_at: "2026-01-01T00:00:00Z".to_owned(),
            tool: ToolFacts {
                version: "0.1.0".to_owned(),
                build_profile: "release".to_owned(),
                platform: "linux-x86_64".to_owned(),
            },
            processor: ProcessorFacts::default(),
            memory: MemoryFacts::default(),
            kernel: KernelFacts {
                version: Some("6.12".to_owned()),
                ..KernelFacts::default()
            },
            load: LoadFacts {
                averages: Some([1.0, 2.0, 3.0]),
                steal_share_since_boot: None,
            },
            disk: DiskFacts::default(),
            preflight: None,
            preflight_nodes: None,
            preflight_after: None,
            preflight_nodes_after: None,
            node_disks: Vec::new(),
            systems: BTreeMap::new(),
        };
        assert_eq!(before.differences(&before), Vec::<String>::new());
        let mut after = before.clone();
        after.kernel.version = None;
        after.load = LoadFacts::default();
        after.tool.version = "9.9.9".to_owned();
        assert_eq!(
            before.differences(&after),
            [
                "version of dbdyno: 0.1.0 against 9.9.9",
                "kernel: 6.12 against unknown"
            ]
        );
    }
}
