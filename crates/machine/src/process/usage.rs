//! What processes cost the machine.

use std::path::Path;

use super::as_owner::{as_owner, io_error};
use super::{ProcessId, open};
use crate::seconds;
use crate::tables::page_size;
use crate::tables::process::{Io, Process, StatM};

/// Resources that a process and its living children have used. PostgreSQL, for one, serves every connection from a child.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessUsage {
    /// CPU time since the start, seconds, with that of children that ended.
    pub cpu_seconds: f64,
    /// Memory in use now, bytes.
    pub resident_bytes: u64,
    /// Read from storage since the start, bytes.
    pub read_bytes: u64,
    /// Written to storage since the start, bytes. The kernel counts a whole folio, up to 2 MiB, for one page changed in it.
    pub written_bytes: u64,
}

impl ProcessId {
    /// What it and its living children have used so far; nothing if it is gone.
    #[must_use]
    pub fn usage(self) -> ProcessUsage {
        let mut sum = ProcessUsage::default();
        if Self::of(self.id) != Some(self) {
            return sum;
        }
        for process in open(self.id).into_iter().chain(children(self.id)) {
            sum.cpu_seconds += own_cpu_seconds(&process).unwrap_or(0.0);
            sum.resident_bytes += process.statm().as_ref().map_or(0, resident_bytes);
            let io = storage_counters(&process);
            sum.read_bytes += io.map_or(0, |io| io.read_bytes);
            sum.written_bytes += io.map_or(0, |io| io.write_bytes);
        }
        sum
    }
}

/// Memory that a process uses, bytes.
pub(crate) fn resident_bytes(pages: &StatM) -> u64 {
    pages.resident * page_size()
}

/// CPU time of a process and its living children since the start, seconds; `None` if it is gone.
pub(crate) fn cpu_seconds(id: u32) -> Option<f64> {
    let own = own_cpu_seconds(&open(id)?)?;
    Some(own + children(id).iter().filter_map(own_cpu_seconds).sum::<f64>())
}

/// With the time of children that ended.
fn own_cpu_seconds(process: &Process) -> Option<f64> {
    let stat = process.stat().ok()?;
    let ended = u64::try_from(stat.cutime).unwrap_or(0) + u64::try_from(stat.cstime).unwrap_or(0);
    Some(seconds(stat.utime + stat.stime + ended))
}

fn storage_counters(process: &Process) -> Option<Io> {
    let directory = Path::new("/proc").join(process.pid().to_string());
    let counters = |directory: &Path| {
        Process::new_with_root(directory.to_owned())
            .and_then(|process| process.io())
            .map_err(io_error)
    };
    as_owner(&directory, counters).ok()
}

/// Living children of the first thread, their children, and so on.
fn children(id: u32) -> Vec<Process> {
    let mut found = Vec::new();
    let mut open_ids = vec![id];
    while let Some(id) = open_ids.pop() {
        let main = open(id).and_then(|process| process.task_main_thread().ok());
        for child in main.and_then(|main| main.children().ok()).unwrap_or_default() {
            found.extend(open(child));
            open_ids.push(child);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_uses_memory_and_cpu_time() {
        let own = ProcessId::own().unwrap();
        let before = own.usage();
        let mut sum = 0_u64;
        while own.usage().cpu_seconds <= before.cpu_seconds {
            sum = (0..100_000).fold(sum, |sum, value| std::hint::black_box(sum ^ value));
        }
        assert!(own.usage().resident_bytes > 100_000);
        let another = ProcessId {
            start_ticks: own.start_ticks + 1,
            ..own
        };
        assert_eq!(another.usage(), ProcessUsage::default());
        assert_eq!(cpu_seconds(u32::MAX), None);
    }

    #[test]
    fn children_count_with_their_parent() {
        let mut command = Command::new("sh");
        command.args(["-c", "sh -c 'while :; do :; done' & wait"]);
        let mut child = command.spawn().unwrap();
        let process = ProcessId::of(child.id()).unwrap();
        while process.usage().cpu_seconds < 0.05 {
            std::thread::yield_now();
        }
        for process in process.descendants() {
            let number = rustix::process::Pid::from_raw(process.id as i32).unwrap();
            rustix::process::kill_process(number, rustix::process::Signal::KILL).unwrap();
        }
        child.wait().unwrap();
        assert_eq!(process.usage(), ProcessUsage::default());
    }
}
