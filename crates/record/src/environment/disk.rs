//! The disk under a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::{DiskFacts, text};

pub(super) fn facts(folder: &Path) -> DiskFacts {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mount = fs::read_to_string("/proc/self/mountinfo")
        .ok()
        .and_then(|mounts| mount_of(&mounts, &absolute));
    let block = mount
        .as_ref()
        .and_then(|mount| fs::canonicalize(format!("/sys/dev/block/{}", mount.number)).ok());
    let (total_bytes, available_bytes) = space(folder);
    DiskFacts {
        device: block
            .as_ref()
            .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())),
        rotational: block.as_deref().and_then(rotational),
        filesystem: mount.map(|mount| mount.filesystem),
        total_bytes,
        available_bytes,
    }
}

#[cfg(unix)]
fn space(folder: &Path) -> (Option<u64>, Option<u64>) {
    let Ok(space) = rustix::fs::statvfs(folder) else {
        return (None, None);
    };
    let bytes = |blocks: u64| blocks.checked_mul(space.f_frsize);
    (
        bytes(space.f_blocks).filter(|&total| total > 0),
        bytes(space.f_bavail),
    )
}

#[cfg(not(unix))]
fn space(_folder: &Path) -> (Option<u64>, Option<u64>) {
    (None, None)
}

/// A partition has no queue of its own: its disk does.
fn rotational(block: &Path) -> Option<bool> {
    let flag =
        text(block.join("queue/rotational")).or_else(|| text(block.parent()?.join("queue/rotational")))?;
    match flag.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Mount {
    /// `major:minor` of the device.
    number: String,
    filesystem: String,
}

/// The last mount whose point is the longest that holds the path (proc_pid_mountinfo(5)): later mounts cover earlier ones.
fn mount_of(mounts: &str, path: &Path) -> Option<Mount> {
    let mut best: Option<(usize, Mount)> = None;
    for line in mounts.lines() {
        let Some((point, mount)) = mount_line(line) else {
            continue;
        };
        let depth = point.components().count();
        if path.starts_with(&point) && best.as_ref().is_none_or(|(deepest, _)| depth >= *deepest) {
            best = Some((depth, mount));
        }
    }
    best.map(|(_, mount)| mount)
}

fn mount_line(line: &str) -> Option<(PathBuf, Mount)> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ').skip(2);
    let (number, _root, point) = (fields.next()?, fields.next()?, fields.next()?);
    // Blanks in names are written in octal.
    let point = point.replace("\\040", " ");
    let filesystem = after.split(' ').next()?.to_owned();
    Some((
        point.into(),
        Mount {
            number: number.to_owned(),
            filesystem,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
30 27 8:17 / /data rw,noatime shared:2 master:1 - xfs /dev/sdb1 rw,attr2
31 27 8:33 / /my\\040disk rw - btrfs /dev/sdc1 rw
32 30 0:40 / /data rw - tmpfs tmpfs rw
";

    fn filesystem(path: &str) -> String {
        mount_of(MOUNTS, Path::new(path)).unwrap().filesystem
    }

    #[test]
    fn the_deepest_and_last_mount_counts() {
        assert_eq!(filesystem("/home/me/results"), "ext4");
        assert_eq!(filesystem("/database"), "ext4", "/data is no folder above it");
        assert_eq!(filesystem("/data/results"), "tmpfs", "mounted over the first one");
        assert_eq!(filesystem("/my disk/x"), "btrfs");
        assert_eq!(mount_of(MOUNTS, Path::new("/x")).unwrap().number, "254:0");
        assert_eq!(mount_of("garbage\n", Path::new("/")), None);
    }
}
