//! What is written to block devices, and the disk space that directories take.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::tables::{DiskStat, diskstats};

/// A block device that the kernel keeps counters of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockDevice {
    major: u32,
    minor: u32,
}

impl BlockDevice {
    /// The device that holds a directory; `None` for file systems without a device of their own.
    #[must_use]
    #[cfg(target_os = "linux")]
    pub fn of(directory: &Path) -> Option<Self> {
        let number = std::fs::metadata(directory).ok()?.dev();
        let device = Self {
            major: rustix::fs::major(number),
            minor: rustix::fs::minor(number),
        };
        device.counters().map(|_| device)
    }

    /// The device that holds a directory; `None`, because dbdyno reads counters of devices on Linux only.
    #[must_use]
    #[cfg(not(target_os = "linux"))]
    pub fn of(_: &Path) -> Option<Self> {
        None
    }

    /// Bytes written to the device since boot, by everybody.
    #[must_use]
    pub fn written_bytes(self) -> Option<u64> {
        // The kernel counts sectors of 512 bytes, whatever the device's own are.
        Some(self.counters()?.sectors_written * 512)
    }

    fn counters(self) -> Option<DiskStat> {
        let is_this = |counters: &DiskStat| {
            u32::try_from(counters.major) == Ok(self.major) && u32::try_from(counters.minor) == Ok(self.minor)
        };
        diskstats().ok()?.into_iter().find(is_this)
    }
}

/// Disk space allocated to the files of a directory, bytes. Servers preallocate, so this is not the sum of the lengths.
#[must_use]
pub fn allocated_bytes(directory: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => allocated_bytes(&entry.path()),
            // In units of 512 bytes, whatever the file system's block is.
            Ok(metadata) => metadata.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn synced_writes_reach_the_device() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let device = BlockDevice::of(directory.path());
        let written = || device.and_then(BlockDevice::written_bytes);
        let before = written();
        let mut file = std::fs::File::create(directory.path().join("data")).unwrap();
        file.write_all(&vec![1; 8 << 20]).unwrap();
        file.sync_all().unwrap();
        assert!(allocated_bytes(directory.path()) >= 8 << 20);
        if let (Some(before), Some(after)) = (before, written()) {
            assert!(after - before >= 8 << 20);
        }
    }

    #[test]
    fn file_systems_without_a_device_have_no_counters() {
        assert_eq!(BlockDevice::of(Path::new("/proc")), None);
        assert_eq!(BlockDevice::of(Path::new("/no/such/directory")), None);
        assert_eq!(allocated_bytes(Path::new("/no/such/directory")), 0);
    }
}
