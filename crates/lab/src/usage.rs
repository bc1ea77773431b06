//! What servers cost the machine, read from /proc.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::as_owner::as_owner;
use crate::process::ProcessId;
use crate::state::Server;

/// Resources of one or more servers, up to a moment.
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
    /// Size of their data on disk now, bytes (blocks, not lengths: servers preallocate); `None` where it is not known
    /// where they lie.
    pub disk_bytes: Option<u64>,
}

/// The sum over processes of which nothing more is known; those that are gone count as nothing.
#[must_use]
pub fn usage_of_processes(processes: &[ProcessId]) -> Usage {
    let mut sum = Usage::default();
    for process in processes.iter().filter(|process| process.is_alive()) {
        sum.add(&Path::new("/proc").join(process.id.to_string()));
    }
    sum
}

impl Usage {
    /// Adds a process and its living children; what it has written, as the kernel counts it.
    fn add(&mut self, process: &Path) -> u64 {
        self.cpu_seconds += cpu_seconds(process).unwrap_or(0.0);
        self.resident_bytes += resident_bytes(process).unwrap_or(0);
        let (read, written) = storage_bytes(process).unwrap_or((0, 0));
        self.read_bytes += read;
        written
    }
}

/// The sum over these servers; those that are gone count as nothing.
#[must_use]
pub fn usage_of(servers: &[Server]) -> Usage {
    let mut sum = Usage::default();
    let (mut written_bytes, mut disk_bytes) = (0, 0);
    let mut devices = BTreeSet::new();
    for server in servers {
        let written = sum.add(&Path::new("/proc").join(server.process.id.to_string()));
        match device_of(&server.directory) {
            Some(device) => drop(devices.insert(device)),
            None => written_bytes += written,
        }
        disk_bytes += blocks_bytes(&server.directory);
    }
    written_bytes += devices
        .iter()
        .filter_map(|device| device_written_bytes(device))
        .sum::<u64>();
    sum.written_bytes = Some(written_bytes);
    sum.disk_bytes = Some(disk_bytes);
    sum
}

/// The counters of the block device that a directory lies on; `None` for file systems without one of their own.
fn device_of(directory: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let device = std::fs::metadata(directory).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let counters = PathBuf::from(format!("/sys/dev/block/{major}:{minor}/stat"));
    counters.is_file().then_some(counters)
}

/// What a block device has written: sectors of 512 bytes, field 7 of the kernel's `block/stat` documentation.
fn device_written_bytes(counters: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(counters).ok()?;
    let sectors: u64 = text.split_whitespace().nth(6)?.parse().ok()?;
    Some(sectors * 512)
}

/// Fields of /proc/PID/stat after the command's name, which may hold blanks and brackets.
pub(crate) fn stat_fields(process: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(process.join("stat")).ok()?;
    let rest = text.rsplit_once(')')?.1;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// The sum of these fields of a `stat` file, counted from 0 after the name; they are clock ticks. Seconds.
pub(crate) fn stat_seconds(of: &Path, fields: Range<usize>) -> Option<f64> {
    let all = stat_fields(of)?;
    let ticks = all
        .get(fields)?
        .iter()
        .filter_map(|field| field.parse::<u64>().ok());
    Some(ticks.sum::<u64>() as f64 / rustix::param::clock_ticks_per_second() as f64)
}

pub(crate) fn cpu_seconds(process: &Path) -> Option<f64> {
    // utime and stime, fields 14 and 15 of proc(5), and those of ended children, which servers such as PostgreSQL have.
    let own = stat_seconds(process, 11..15)?;
    Some(
        own + children(process)
            .iter()
            .filter_map(|child| cpu_seconds(child))
            .sum::<f64>(),
    )
}

fn resident_bytes(process: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(process.join("statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    let own = pages * rustix::param::page_size() as u64;
    Some(
        own + children(process)
            .iter()
            .filter_map(|child| resident_bytes(child))
            .sum::<u64>(),
    )
}

fn storage_bytes(process: &Path) -> Option<(u64, u64)> {
    let text = as_owner(process, |process| std::fs::read_to_string(process.join("io"))).ok()?;
    let field = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.parse::<u64>().ok())
    };
    let (mut read, mut written) = (field("read_bytes")?, field("write_bytes")?);
    for child in children(process) {
        let (of_read, of_written) = storage_bytes(&child).unwrap_or((0, 0));
        read += of_read;
        written += of_written;
    }
    Some((read, written))
}

/// Living children: PostgreSQL serves every connection from one.
fn children(process: &Path) -> Vec<PathBuf> {
    let Some(id) = process.file_name() else {
        return Vec::new();
    };
    let list = process.join("task").join(id).join("children");
    std::fs::read_to_string(list)
        .unwrap_or_default()
        .split_whitespace()
        .map(|child| Path::new("/proc").join(child))
        .collect()
}

/// Space that a directory's files take, bytes.
fn blocks_bytes(directory: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(entries) = std::fs::read_dir(directory) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => blocks_bytes(&entry.path()),
            // In units of 512 bytes, whatever the file system's block is.
            Ok(metadata) => metadata.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::process::Signal;

    #[test]
    fn what_is_written_to_a_device_is_counted_once() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let server = Server {
            name: "node1".to_owned(),
            process: ProcessId::own().unwrap(),
            directory: directory.path().to_owned(),
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
