//! What servers cost the machine.

use std::collections::BTreeSet;
use std::path::Path;

use dbdyno_machine::{BlockDevice, ProcessId, ProcessUsage, allocated_bytes};

use crate::state::Server;

/// Resources that one or more servers have used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Processor time since their start, seconds.
    pub cpu_seconds: f64,
    /// Memory in use now, bytes.
    pub resident_bytes: u64,
    /// Read from storage since their start, bytes.
    pub read_bytes: u64,
    /// Written to the storage their data lie on, bytes, since some moment that stays the same. The device's own count
    /// where there is one: it holds what others write at the same time, too. The kernel's count by process holds a
    /// whole folio, up to 2 MiB, for one page changed in it.
    /// `None` where it is not known on which storage they lie.
    pub written_bytes: Option<u64>,
    /// Bytes that the kernel counts by process: more than the storage sees, but of these servers only.
    pub process_written_bytes: u64,
    /// Size of their data on disk now, bytes (blocks, not lengths: servers preallocate); `None` where it is not known
    /// where they lie.
    pub disk_bytes: Option<u64>,
}

impl Usage {
    fn add(&mut self, process: &ProcessUsage) {
        self.cpu_seconds += process.cpu_seconds;
        self.resident_bytes += process.resident_bytes;
        self.read_bytes += process.read_bytes;
        self.process_written_bytes += process.written_bytes;
    }
}

/// The sum over processes of which nothing more is known; those that are gone count as nothing.
#[must_use]
pub fn usage_of_processes(processes: &[ProcessId]) -> Usage {
    let mut sum = Usage::default();
    for process in processes {
        sum.add(&process.usage());
    }
    sum
}

/// The sum over these servers; those that are gone count as nothing.
#[must_use]
pub fn usage_of(servers: &[Server]) -> Usage {
    Usage {
        disk_bytes: Some(servers.iter().flat_map(directories).map(allocated_bytes).sum()),
        ..usage_without_disk(servers)
    }
}

/// Resources of these servers without the size of their data, which takes a walk through their directories: for a look each second.
#[must_use]
pub fn usage_without_disk(servers: &[Server]) -> Usage {
    let mut sum = Usage::default();
    let mut written_bytes = 0;
    let mut devices = BTreeSet::new();
    for server in servers {
        let usage = server.process.usage();
        sum.add(&usage);
        match BlockDevice::of(&server.directory) {
            Some(device) => drop(devices.insert(device)),
            None => written_bytes += usage.written_bytes,
        }
        devices.extend(server.log_directory.as_deref().and_then(BlockDevice::of));
    }
    written_bytes += devices
        .iter()
        .filter_map(|device| device.written_bytes())
        .sum::<u64>();
    sum.written_bytes = Some(written_bytes);
    sum
}

/// The block devices that hold the data of these servers, where they have one of their own.
#[must_use]
pub fn devices_of(servers: &[Server]) -> BTreeSet<BlockDevice> {
    servers
        .iter()
        .flat_map(directories)
        .filter_map(BlockDevice::of)
        .collect()
}

/// Where a server keeps its files: its directory, and that of its log where it lies apart.
fn directories(server: &Server) -> impl Iterator<Item = &Path> {
    std::iter::once(server.directory.as_path()).chain(server.log_directory.as_deref())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::PathBuf;

    use super::*;
    use crate::process::Signal;

    #[test]
    fn what_is_written_to_a_device_is_counted_once() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let server = Server {
            name: "node1".to_owned(),
            process: ProcessId::own().unwrap(),
            directory: directory.path().to_owned(),
            log_directory: None,
            log: PathBuf::new(),
            stop: Signal::Terminate,
        };
        let servers = [server.clone(), server];
        let before = usage_of(&servers);
        let mut file = std::fs::File::create(directory.path().join("data")).unwrap();
        file.write_all(&vec![1; 8 << 20]).unwrap();
        file.sync_all().unwrap();
        let after = usage_of(&servers);
        assert!(after.written_bytes.unwrap() - before.written_bytes.unwrap() >= 8 << 20);
        assert!(
            after.disk_bytes.unwrap() >= 16 << 20,
            "each server has its directory"
        );
        assert!(after.resident_bytes > 0 && after.cpu_seconds >= before.cpu_seconds);
    }
}
