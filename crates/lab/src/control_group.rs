//! Control groups of servers: made below the group of this process, filled with limits, read back and removed.
//!
//! Version 2 limits CPU time and memory. Version 1 limits CPU time alone here: its memory controller is a legacy option of the
//! kernel (`CONFIG_MEMCG_V1`), and products' own settings limit memory instead. The kernel documents the files in
//! `admin-guide/cgroup-v1` and `admin-guide/cgroup-v2.rst`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use dbdyno_machine::own_groups;

/// The period over which CPU time is limited, microseconds: the kernel's default.
const PERIOD_US: u64 = 100_000;
/// Names of the lab's groups begin with it.
const PREFIX: &str = "dbdyno.";

/// The versions of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// Where groups can be made on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    /// The parent of groups that limit CPU time.
    cpu: Option<(Version, PathBuf)>,
    /// The parent of groups that limit memory.
    memory: Option<PathBuf>,
}

/// The limits of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GroupLimits {
    /// CPU time by time: 1.5 is one and a half CPUs.
    pub(crate) cpus: Option<f64>,
    /// Memory, bytes.
    pub(crate) memory_bytes: Option<u64>,
}

/// The groups of one server: one, unless the controllers lie apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group(Vec<(Version, PathBuf)>);

impl Groups {
    /// Those of this machine, looked for once, by making a group and removing it.
    pub(crate) fn of_machine() -> &'static Self {
        static FOUND: OnceLock<Groups> = OnceLock::new();
        FOUND.get_or_init(|| Self::below(&parents(&own_groups("")), &own_groups("cpu")))
    }

    /// Those that can be made below these folders of version 2 and 1.
    fn below(version_2: &[PathBuf], version_1: &[PathBuf]) -> Self {
        let with = |file: &str| version_2.iter().find(|parent| can_make(parent, file)).cloned();
        let second = with("cpu.max").map(|parent| (Version::Two, parent));
        let first = || {
            let parent = version_1
                .iter()
                .find(|parent| can_make(parent, "cpu.cfs_quota_us"))?;
            Some((Version::One, parent.clone()))
        };
        Self {
            cpu: second.or_else(first),
            memory: with("memory.max"),
        }
    }

    /// Whether CPU time can be limited.
    pub(crate) fn limit_cpu(&self) -> bool {
        self.cpu.is_some()
    }

    /// Whether memory can be limited.
    pub(crate) fn limit_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Makes the groups of a server of an instance and sets their limits.
    pub(crate) fn make(&self, instance: &str, server: &str, limits: GroupLimits) -> io::Result<Group> {
        let name = format!("{PREFIX}{instance}.{server}");
        let mut made = Group::default();
        if let Some((cpus, (version, parent))) = limits.cpus.zip(self.cpu.as_ref()) {
            let folder = made.folder(*version, parent, &name)?;
            let quota_us = ((cpus * PERIOD_US as f64).round() as u64).max(1000);
            match version {
                Version::Two => fs::write(folder.join("cpu.max"), format!("{quota_us} {PERIOD_US}"))?,
                Version::One => {
                    fs::write(folder.join("cpu.cfs_period_us"), PERIOD_US.to_string())?;
                    fs::write(folder.join("cpu.cfs_quota_us"), quota_us.to_string())?;
                }
            }
        }
        if let Some((bytes, parent)) = limits.memory_bytes.zip(self.memory.as_ref()) {
            let folder = made.folder(Version::Two, parent, &name)?;
            fs::write(folder.join("memory.max"), bytes.to_string())?;
            // Without swap space there is no such file.
            fs::write(folder.join("memory.swap.max"), "0").ok();
        }
        Ok(made)
    }
}

/// Removes the groups of an instance, whose processes have ended.
pub(crate) fn remove(instance: &str) {
    remove_below(&[parents(&own_groups("")), own_groups("cpu")].concat(), instance);
}

fn remove_below(parents: &[PathBuf], instance: &str) {
    let prefix = format!("{PREFIX}{instance}.");
    let entries = parents
        .iter()
        .filter_map(|parent| fs::read_dir(parent).ok())
        .flatten();
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            remove_folder(&entry.path());
        }
    }
}

impl Group {
    fn folder(&mut self, version: Version, parent: &Path, name: &str) -> io::Result<PathBuf> {
        let folder = parent.join(name);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if !self.0.iter().any(|(_, known)| *known == folder) {
            self.0.push((version, folder.clone()));
        }
        Ok(folder)
    }

    /// Moves a process into the groups. Children that it has already stay where they are.
    pub(crate) fn take_in(&self, process: u32) -> io::Result<()> {
        self.0
            .iter()
            .try_for_each(|(_, folder)| fs::write(folder.join("cgroup.procs"), process.to_string()))
    }

    /// The limits as the kernel states them, of a process that is in the groups; none where it is not.
    pub(crate) fn read_back(&self, process: u32) -> GroupLimits {
        let mut limits = GroupLimits::default();
        for (version, folder) in &self.0 {
            let text = |file: &str| fs::read_to_string(folder.join(file)).ok();
            let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| *number > 0.0);
            let members = text("cgroup.procs").unwrap_or_default();
            if !members.lines().any(|member| member.trim().parse() == Ok(process)) {
                continue;
            }
            let quota = match version {
                Version::Two => text("cpu.max").and_then(|text| {
                    let (quota, period) = text.split_once(' ')?;
                    Some(number(quota)? / number(period)?)
                }),
                Version::One => text("cpu.cfs_quota_us")
                    .zip(text("cpu.cfs_period_us"))
                    .and_then(|(quota, period)| Some(number(&quota)? / number(&period)?)),
            };
            limits.cpus = limits.cpus.or(quota);
            let memory = text("memory.max").and_then(|text| text.trim().parse().ok());
            limits.memory_bytes = limits.memory_bytes.or(memory);
        }
        limits
    }
}

/// The folders of version 2 below which groups may be made: the group of this process, and the one above it, where the own one
/// limits nothing that servers beside it would escape. A group with processes passes no controller on to groups below it, except
/// the root.
fn parents(own: &[PathBuf]) -> Vec<PathBuf> {
    let unlimited = |own: &&PathBuf| {
        ["cpu.max", "memory.max"].iter().all(|file| {
            let limit = fs::read_to_string(own.join(file)).unwrap_or_default();
            limit.is_empty() || limit.starts_with("max")
        })
    };
    let above = own.iter().filter(unlimited).filter_map(|own| own.parent());
    let above = above.filter(|parent| parent.join("cgroup.procs").is_file());
    own.iter().cloned().chain(above.map(Path::to_owned)).collect()
}

/// Whether a group below this folder has a file.
fn can_make(parent: &Path, file: &str) -> bool {
    let probe = parent.join(format!("{PREFIX}probe.{}", std::process::id()));
    if fs::create_dir(&probe).is_err() {
        return false;
    }
    if !probe.join(file).exists() {
        // Root has to pass the controllers on first. The kernel refuses all of a list of which it lacks one, as where version 1 has the
        // other.
        for controller in ["+cpu", "+memory"] {
            fs::write(parent.join("cgroup.subtree_control"), controller).ok();
        }
    }
    let there = probe.join(file).exists();
    remove_folder(&probe);
    there
}

/// A group can be removed once the kernel has buried its last process.
fn remove_folder(folder: &Path) {
    const TRIES: u32 = 50;
    for _ in 0..TRIES {
        match fs::remove_dir(folder) {
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::BUSY.raw_os_error()) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that stands for the kernel's.
    fn parent() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn read(folder: &Path, file: &str) -> String {
        fs::read_to_string(folder.join(file)).unwrap()
    }

    #[test]
    fn limits_are_written_as_each_version_reads_them() {
        let (second, first) = (parent(), parent());
        let limits = GroupLimits {
            cpus: Some(0.5),
            memory_bytes: Some(1 << 30),
        };
        let two = Groups {
            cpu: Some((Version::Two, second.path().to_owned())),
            memory: Some(second.path().to_owned()),
        };
        let group = two.make("redis-x", "node1", limits).unwrap();
        let folder = second.path().join("dbdyno.redis-x.node1");
        assert_eq!(group.0, [(Version::Two, folder.clone())], "one group holds both");
        assert_eq!(read(&folder, "cpu.max"), "50000 100000");
        assert_eq!(read(&folder, "memory.max"), "1073741824");
        group.take_in(7).unwrap();
        assert_eq!(group.read_back(7), limits);
        assert_eq!(
            group.read_back(8),
            GroupLimits::default(),
            "no member of the group"
        );

        let one = Groups {
            cpu: Some((Version::One, first.path().to_owned())),
            memory: None,
        };
        let group = one.make("redis-x", "node1", limits).unwrap();
        let folder = first.path().join("dbdyno.redis-x.node1");
        assert_eq!(read(&folder, "cpu.cfs_quota_us"), "50000");
        group.take_in(7).unwrap();
        let cpu_alone = GroupLimits {
            memory_bytes: None,
            ..limits
        };
        assert_eq!(group.read_back(7), cpu_alone);
        assert!(one.limit_cpu() && !one.limit_memory());
    }

    #[test]
    fn only_groups_of_the_instance_are_removed() {
        let place = parent();
        for name in ["dbdyno.redis-x.node1", "dbdyno.redis-xy.node1", "other"] {
            fs::create_dir(place.path().join(name)).unwrap();
        }
        remove_below(&[place.path().to_owned()], "redis-x");
        let left = |name: &str| place.path().join(name).exists();
        assert!(!left("dbdyno.redis-x.node1") && left("dbdyno.redis-xy.node1") && left("other"));
    }

    #[test]
    fn folders_without_controllers_limit_nothing() {
        let place = parent();
        let folders = [place.path().to_owned()];
        assert_eq!(Groups::below(&folders, &folders), Groups::default());
        assert_eq!(
            fs::read_dir(place.path()).unwrap().count(),
            1,
            "the probe is removed"
        );
    }

    #[test]
    fn servers_do_not_escape_from_a_limit_of_the_own_group() {
        let place = parent();
        let own = place.path().join("own");
        fs::create_dir(&own).unwrap();
        fs::write(place.path().join("cgroup.procs"), "").unwrap();
        let folders = [own.clone()];
        fs::write(own.join("cpu.max"), "max 100000\n").unwrap();
        assert_eq!(parents(&folders), [own.clone(), place.path().to_owned()]);
        fs::write(own.join("cpu.max"), "50000 100000\n").unwrap();
        assert_eq!(parents(&folders), [own]);
    }
}
