//! Limits of the control group that this process is in, versions 1 and 2. The kernel documents their files in
//! `admin-guide/cgroup-v1` and `admin-guide/cgroup-v2.rst`.

use std::path::{Path, PathBuf};

use crate::tables::ProcessCGroup;
use crate::tables::process::Process;
use crate::text;

const ROOT: &str = "/sys/fs/cgroup";

/// CPUs that the group may use at a time, the tightest limit on the way to the root.
pub(crate) fn cpu_limit() -> Option<f64> {
    let memberships = memberships()?;
    let version_2 = places(&memberships, "")
        .into_iter()
        .filter_map(|place| quota_v2(&text(place.join("cpu.max"))?));
    let version_1 = places(&memberships, "cpu").into_iter().filter_map(|place| {
        quota_v1(
            &text(place.join("cpu.cfs_quota_us"))?,
            &text(place.join("cpu.cfs_period_us"))?,
        )
    });
    version_2.chain(version_1).min_by(f64::total_cmp)
}

/// Memory that the group may use, the tightest limit on the way to the root.
pub(crate) fn memory_limit_bytes() -> Option<u64> {
    let memberships = memberships()?;
    let version_2 = places(&memberships, "")
        .into_iter()
        .filter_map(|place| text(place.join("memory.max")));
    let version_1 = places(&memberships, "memory")
        .into_iter()
        .filter_map(|place| text(place.join("memory.limit_in_bytes")));
    version_2.chain(version_1).filter_map(|limit| bytes(&limit)).min()
}

/// Memory that the group can still take, the tightest limit on the way to the root. Pages of files that nobody used lately
/// are given up first, so they count as free.
pub(crate) fn memory_left_bytes() -> Option<u64> {
    let memberships = memberships()?;
    let left = |place: &PathBuf, limit: &str, used: &str, unused: &str| {
        let limit = bytes(&text(place.join(limit))?)?;
        let used: u64 = text(place.join(used))?.parse().ok()?;
        let statistics = text(place.join("memory.stat")).unwrap_or_default();
        Some(left_bytes(limit, used, &statistics, unused))
    };
    let version_2 = places(&memberships, "")
        .into_iter()
        .filter_map(|place| left(&place, "memory.max", "memory.current", "inactive_file "));
    let version_1 = places(&memberships, "memory").into_iter().filter_map(|place| {
        left(
            &place,
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            "total_inactive_file ",
        )
    });
    version_2.chain(version_1).min()
}

fn left_bytes(limit: u64, used: u64, statistics: &str, unused: &str) -> u64 {
    let unused = statistics
        .lines()
        .find_map(|line| line.strip_prefix(unused)?.trim().parse().ok());
    limit.saturating_sub(used.saturating_sub(unused.unwrap_or(0)))
}

/// Time for which the CPU limits on the way to the root held the group's work back, seconds; the largest.
pub(crate) fn throttled_seconds() -> Option<f64> {
    let memberships = memberships()?;
    let folders = [places(&memberships, ""), places(&memberships, "cpu")].concat();
    folders
        .into_iter()
        .filter_map(|folder| throttled(&text(folder.join("cpu.stat"))?))
        .max_by(f64::total_cmp)
}

/// Version 2 counts microseconds, version 1 nanoseconds. Without a limit there is no such line, or it stays at 0.
fn throttled(statistics: &str) -> Option<f64> {
    let counter = |name: &str| {
        statistics
            .lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok())
    };
    let version_2 = counter("throttled_usec ").map(|microseconds| microseconds / 1e6);
    version_2.or_else(|| counter("throttled_time ").map(|nanoseconds| nanoseconds / 1e9))
}

/// The folders of the control group that this process is in, of one controller of version 1, or of version 2 (`""`).
#[must_use]
pub fn own_groups(controller: &str) -> Vec<PathBuf> {
    let Some(memberships) = memberships() else {
        return Vec::new();
    };
    let all = places(&memberships, controller);
    // Each root lists the group first, then all above it up to the root itself.
    let mut own: Vec<PathBuf> = Vec::new();
    for place in all {
        let is_above = own.iter().any(|own| own.starts_with(&place));
        if !is_above && place.join("cgroup.procs").is_file() {
            own.push(place);
        }
    }
    own
}

/// The control groups of this process.
fn memberships() -> Option<Vec<ProcessCGroup>> {
    Some(Process::myself().ok()?.cgroups().ok()?.0)
}

/// Where the limits of a controller may be: the group's own folder and all above it. `""` is version 2. Inside a
/// container the membership may name a folder that only the host sees; then the root is what there is.
fn places(memberships: &[ProcessCGroup], controller: &str) -> Vec<PathBuf> {
    let controls = |group: &&ProcessCGroup| match controller {
        "" => group.controllers.is_empty(),
        name => group.controllers.iter().any(|controller| controller == name),
    };
    let Some(group) = memberships.iter().find(controls) else {
        return Vec::new();
    };
    let roots: &[&str] = match controller {
        "" => &["", "unified"],
        "cpu" => &["cpu", "cpu,cpuacct"],
        name => &[name],
    };
    let above = |root: &&str| {
        let root = Path::new(ROOT).join(root);
        let inside: Vec<PathBuf> = Path::new(group.pathname.trim_start_matches('/'))
            .ancestors()
            .map(|below| root.join(below))
            .collect();
        inside
    };
    roots.iter().flat_map(above).collect()
}

/// `200000 100000`: two processors; `max 100000`: no limit.
fn quota_v2(text: &str) -> Option<f64> {
    let (quota, period) = text.split_once(' ')?;
    quota_v1(quota, period)
}

fn quota_v1(quota: &str, period: &str) -> Option<f64> {
    let (quota, period) = (quota.parse::<f64>().ok()?, period.trim().parse::<f64>().ok()?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// `max`, and in version 1 a number near 2^63, mean no limit.
fn bytes(limit: &str) -> Option<u64> {
    limit.parse().ok().filter(|&bytes: &u64| bytes < 1 << 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{FromRead as _, ProcessCGroups};

    #[test]
    fn no_limit_is_not_a_limit_of_zero() {
        assert_eq!(quota_v2("150000 100000"), Some(1.5));
        assert_eq!(quota_v2("max 100000"), None);
        assert_eq!(quota_v1("-1", "100000"), None);
        assert_eq!(bytes("1073741824"), Some(1 << 30));
        assert_eq!(bytes("max"), None);
        assert_eq!(bytes("9223372036854771712"), None);
    }

    #[test]
    fn pages_of_files_that_nobody_uses_are_free() {
        let statistics = "anon 900\ninactive_file 300\nactive_file 50\n";
        assert_eq!(left_bytes(2000, 1250, statistics, "inactive_file "), 1050);
        assert_eq!(left_bytes(2000, 1250, "", "inactive_file "), 750);
        assert_eq!(left_bytes(2000, 5000, "", "inactive_file "), 0);
    }

    #[test]
    fn both_versions_report_how_long_they_throttled() {
        assert_eq!(throttled("nr_throttled 3\nthrottled_usec 1500000\n"), Some(1.5));
        assert_eq!(throttled("nr_periods 0\nthrottled_time 250000000\n"), Some(0.25));
        assert_eq!(throttled("usage_usec 5\n"), None);
    }

    #[test]
    fn looks_in_the_group_and_above() {
        let read = |text: &str| ProcessCGroups::from_read(text.as_bytes()).unwrap().0;
        let memberships = read("4:memory:/a/b\n2:cpu,cpuacct:/\n0::/user.slice/x\n");
        let unified = places(&memberships, "");
        assert_eq!(unified[0], Path::new("/sys/fs/cgroup/user.slice/x"));
        assert!(unified.contains(&PathBuf::from("/sys/fs/cgroup/user.slice")));
        assert!(places(&memberships, "memory").contains(&PathBuf::from("/sys/fs/cgroup/memory/a/b")));
        assert!(
            places(&memberships, "cpu")
                .iter()
                .any(|place| place.starts_with("/sys/fs/cgroup/cpu,cpuacct"))
        );
        assert!(places(&read("0::/\n"), "memory").is_empty());
    }
}
