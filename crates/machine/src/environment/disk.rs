//! The disk under a folder.

use std::fs;
use std::path::Path;

use dbdyno_record::environment::DiskFacts;

use crate::tables::process::{MountInfo, MountInfos, Process};
use crate::text;

/// The disk that holds a folder.
#[must_use]
pub fn facts(folder: &Path) -> DiskFacts {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mounts = Process::myself().and_then(|own| own.mountinfo()).ok();
    let mount = mounts.and_then(|mounts| mount_of(mounts, &absolute));
    let block = mount
        .as_ref()
        .and_then(|mount| fs::canonicalize(format!("/sys/dev/block/{}", mount.majmin)).ok());
    let (total_bytes, available_bytes) = space(folder);
    DiskFacts {
        device: block
            .as_ref()
            .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())),
        rotational: block.as_deref().and_then(rotational),
        filesystem: mount.map(|mount| mount.fs_type),
        total_bytes,
        available_bytes,
    }
}

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

/// The mount whose point is the longest that holds the path. Of several mounts on one point the last covers the others.
fn mount_of(mounts: MountInfos, path: &Path) -> Option<MountInfo> {
    let depth = |mount: &MountInfo| {
        // The kernel writes blanks in names in octal.
        let point = mount.mount_point.to_string_lossy().replace("\\040", " ");
        let point = Path::new(&point);
        path.starts_with(point).then(|| point.components().count())
    };
    let holding = mounts
        .into_iter()
        .filter_map(|mount| Some((depth(&mount)?, mount)));
    holding.max_by_key(|(depth, _)| *depth).map(|(_, mount)| mount)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::FromRead as _;

    const MOUNTS: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
30 27 8:17 / /data rw,noatime shared:2 master:1 - xfs /dev/sdb1 rw,attr2
31 27 8:33 / /my\\040disk rw - btrfs /dev/sdc1 rw
32 30 0:40 / /data rw - tmpfs tmpfs rw
";

    fn mount(path: &str) -> Option<MountInfo> {
        mount_of(MountInfos::from_read(MOUNTS.as_bytes()).unwrap(), Path::new(path))
    }

    fn filesystem(path: &str) -> String {
        mount(path).unwrap().fs_type
    }

    #[test]
    fn the_deepest_and_last_mount_counts() {
        assert_eq!(filesystem("/home/me/results"), "ext4");
        assert_eq!(filesystem("/database"), "ext4", "/data is no folder above it");
        assert_eq!(filesystem("/data/results"), "tmpfs", "mounted over the first one");
        assert_eq!(filesystem("/my disk/x"), "btrfs");
        assert_eq!(mount("/x").unwrap().majmin, "254:0");
        assert!(mount("relative").is_none());
    }
}
