//! The machine's counters at a moment. Two of them tell what happened in between. Reading them takes about a millisecond
//! per hundred processes, on a thread that carries no client.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{cgroup, text};

/// Counters since boot. What this machine does not tell is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Seconds since boot.
    pub at_seconds: Option<f64>,
    /// Time of all processors, seconds each.
    pub processors: Option<ProcessorTime>,
    /// Time for which the control group's processor limit held work back, seconds.
    pub throttled_seconds: Option<f64>,
    /// Time in which some task waited for memory, seconds.
    pub memory_stalled_seconds: Option<f64>,
    /// Time in which some task waited for storage, seconds.
    pub io_stalled_seconds: Option<f64>,
    /// Pages swapped in and out.
    pub swapped_pages: Option<u64>,
    /// Every process that can be seen, by its number.
    pub processes: BTreeMap<u32, Process>,
}

/// What all processors together did, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessorTime {
    /// All of it.
    pub total: f64,
    /// In processes. Interrupts are not among it: they serve whoever is measured.
    pub used: f64,
    /// Given to others by the hypervisor.
    pub stolen: f64,
}

/// One process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// Its command.
    pub name: String,
    /// The process that started it; 0 for none, 2 for threads of a Linux kernel.
    pub parent: u32,
    /// Processor time of its own, seconds.
    pub cpu_seconds: f64,
    /// Bytes read from and written to storage; `None` when others may not know.
    pub io_bytes: Option<u64>,
}

impl Moment {
    /// Looks now.
    #[must_use]
    pub fn look() -> Self {
        Self {
            at_seconds: text("/proc/uptime").and_then(|uptime| uptime.split(' ').next()?.parse().ok()),
            processors: text("/proc/stat").and_then(|stat| processors(&stat, ticks_per_second())),
            throttled_seconds: cgroup::throttled_seconds(),
            memory_stalled_seconds: text("/proc/pressure/memory").and_then(|pressure| stalled(&pressure)),
            io_stalled_seconds: text("/proc/pressure/io").and_then(|pressure| stalled(&pressure)),
            swapped_pages: text("/proc/vmstat").and_then(|counters| swapped(&counters)),
            processes: processes(Path::new("/proc")),
        }
    }
}

#[cfg(target_os = "linux")]
fn ticks_per_second() -> f64 {
    rustix::param::clock_ticks_per_second() as f64
}

/// Elsewhere there is no /proc to divide by it.
#[cfg(not(target_os = "linux"))]
fn ticks_per_second() -> f64 {
    100.0
}

/// The first line of proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal; guest time is in user time.
fn processors(stat: &str, ticks_per_second: f64) -> Option<ProcessorTime> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<f64> = line
        .split_whitespace()
        .take(8)
        .map(|ticks| ticks.parse().ok())
        .collect::<Option<_>>()?;
    Some(ProcessorTime {
        total: ticks.iter().sum::<f64>() / ticks_per_second,
        used: ticks.get(..3)?.iter().sum::<f64>() / ticks_per_second,
        stolen: ticks.get(7)? / ticks_per_second,
    })
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=4968096`, microseconds (the kernel's accounting/psi documentation).
fn stalled(pressure: &str) -> Option<f64> {
    let some = pressure.lines().find_map(|line| line.strip_prefix("some "))?;
    let total: f64 = some.rsplit_once("total=")?.1.parse().ok()?;
    Some(total / 1e6)
}

fn swapped(counters: &str) -> Option<u64> {
    let counter = |name: &str| {
        counters
            .lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
    };
    Some(counter("pswpin ")? + counter("pswpout ")?)
}

fn processes(folder: &Path) -> BTreeMap<u32, Process> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let process = |entry: fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let mut process = process(&text(entry.path().join("stat"))?, ticks_per_second())?;
        process.io_bytes = text(entry.path().join("io")).and_then(|counters| io_bytes(&counters));
        Some((id, process))
    };
    entries.filter_map(process).collect()
}

/// `12 (a name) S 1 ...`: the name may hold brackets and blanks; user and system time are fields 14 and 15 of proc(5).
fn process(stat: &str, ticks_per_second: f64) -> Option<Process> {
    let (before, after) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(Process {
        name: before.split_once('(')?.1.to_owned(),
        parent: fields.get(1)?.parse().ok()?,
        cpu_seconds: ticks / ticks_per_second,
        io_bytes: None,
    })
}

fn io_bytes(counters: &str) -> Option<u64> {
    let counter = |name: &str| {
        counters
            .lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
    };
    Some(counter("read_bytes:")? + counter("write_bytes:")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_words_are_understood() {
        let time = processors("cpu  400 100 100 3000 200 50 50 100 5 0\ncpu0 1 1\n", 100.0).unwrap();
        assert_eq!((time.total, time.used, time.stolen), (40.0, 6.0, 1.0));
        assert_eq!(processors("cpu  1 2 3\n", 100.0), None);
        assert_eq!(
            stalled("some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\nfull total=1\n"),
            Some(2.5)
        );
        assert_eq!(stalled(""), None);
        assert_eq!(swapped("pswpin 3\npswpout 4\n"), Some(7));
        assert_eq!(swapped("pgfault 3\n"), None);
        let found = process("7 (a (b) c) S 2 7 7 0 -1 0 0 0 0 0 150 50 9 9 20 0 1 0 5", 100.0).unwrap();
        assert_eq!(
            (found.name.as_str(), found.parent, found.cpu_seconds),
            ("a (b) c", 2, 2.0)
        );
        assert_eq!(
            io_bytes("rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\n"),
            Some(12_288)
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_seen() {
        let (before, after) = (Moment::look(), Moment::look());
        assert!(after.processes.contains_key(&std::process::id()));
        assert!(after.at_seconds.unwrap() >= before.at_seconds.unwrap());
        assert!(after.processors.unwrap().total > 0.0);
    }
}
