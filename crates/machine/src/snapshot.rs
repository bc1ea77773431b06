//! The machine's counters at one time. The differences of two snapshots show what happened in between. Taking one costs about
//! a millisecond per hundred processes, on a thread that carries no client.

use std::collections::{BTreeMap, HashMap};

use dbdyno_record::HostRecord;

use crate::tables::process::{Io, Process, Stat};
use crate::tables::{
    self, Current as _, CurrentSI as _, IoPressure, KernelStats, MemoryPressure, PressureRecord, Uptime,
    vmstat,
};
use crate::{cgroup, process, seconds};

/// Counters since boot. A counter that this machine does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostSnapshot {
    /// Seconds since boot.
    pub at_seconds: Option<f64>,
    /// Time of all CPUs together.
    pub cpus: Option<CpuTime>,
    /// Time for which the control group's CPU limit held work back, seconds.
    pub throttled_seconds: Option<f64>,
    /// Time in which some task waited for memory, seconds.
    pub memory_stalled_seconds: Option<f64>,
    /// Time in which some task waited for storage, seconds.
    pub io_stalled_seconds: Option<f64>,
    /// Pages swapped in and out.
    pub swapped_pages: Option<u64>,
    /// Every process that can be seen, by its number.
    pub processes: BTreeMap<u32, ProcessCounters>,
}

/// How all CPUs together spent their time, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuTime {
    /// All of it.
    pub total: f64,
    /// In processes. Interrupts are excluded: they may serve the measured system.
    pub used: f64,
    /// Taken by the hypervisor for other guests.
    pub stolen: f64,
}

/// The counters of one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessCounters {
    /// Its command.
    pub name: String,
    /// The process that started it; 0 for none, 2 for threads of a Linux kernel.
    pub parent: u32,
    /// CPU time of its own, seconds.
    pub cpu_seconds: f64,
    /// Bytes read from and written to storage; `None` if this user may not see them.
    pub io_bytes: Option<u64>,
}

impl HostSnapshot {
    /// Reads all counters.
    #[must_use]
    pub fn take() -> Self {
        Self {
            processes: processes(),
            ..Self::without_processes()
        }
    }

    /// Reads the counters of the machine as a whole.
    #[must_use]
    pub fn without_processes() -> Self {
        let stalled = |some: PressureRecord| some.total as f64 / 1e6;
        Self {
            at_seconds: Uptime::current().ok().map(|uptime| uptime.uptime),
            cpus: cpu_time(),
            throttled_seconds: cgroup::throttled_seconds(),
            memory_stalled_seconds: MemoryPressure::current()
                .ok()
                .map(|pressure| stalled(pressure.some)),
            io_stalled_seconds: IoPressure::current().ok().map(|pressure| stalled(pressure.some)),
            swapped_pages: vmstat().ok().and_then(|counters| swapped(&counters)),
            processes: BTreeMap::new(),
        }
    }

    /// What the machine as a whole did until a later snapshot.
    #[must_use]
    pub fn until(&self, later: &Self) -> HostRecord {
        let difference = |earlier: Option<f64>, later: Option<f64>| Some((later? - earlier?).max(0.0));
        let seconds = difference(self.at_seconds, later.at_seconds).unwrap_or(0.0);
        let share = |of: Option<f64>| of.filter(|_| seconds > 0.0).map(|part| (part / seconds).min(1.0));
        let stolen = || {
            let (earlier, later) = (self.cpus?, later.cpus?);
            let capacity = later.total - earlier.total;
            (capacity > 0.0).then(|| ((later.stolen - earlier.stolen) / capacity).clamp(0.0, 1.0))
        };
        HostRecord {
            seconds,
            steal_share: stolen(),
            throttled_share: share(difference(self.throttled_seconds, later.throttled_seconds)),
            memory_stalled_share: share(difference(
                self.memory_stalled_seconds,
                later.memory_stalled_seconds,
            )),
            io_stalled_share: share(difference(self.io_stalled_seconds, later.io_stalled_seconds)),
            swapped_pages: self
                .swapped_pages
                .zip(later.swapped_pages)
                .map(|(before, after)| after.saturating_sub(before)),
            ..HostRecord::default()
        }
    }
}

/// How all CPUs have spent their time since boot; `None` on kernels that do not count stolen time.
pub(crate) fn cpu_time() -> Option<CpuTime> {
    KernelStats::current()
        .ok()
        .and_then(|stats| of_cpus(&stats.total))
}

/// Time of guests is part of user time.
fn of_cpus(time: &tables::CpuTime) -> Option<CpuTime> {
    let (used, stolen) = (time.user + time.nice + time.system, time.steal?);
    let interrupts = time.irq? + time.softirq?;
    Some(CpuTime {
        total: seconds(used + time.idle + time.iowait? + interrupts + stolen),
        used: seconds(used),
        stolen: seconds(stolen),
    })
}

fn swapped(counters: &HashMap<String, i64>) -> Option<u64> {
    u64::try_from(counters.get("pswpin")? + counters.get("pswpout")?).ok()
}

fn processes() -> BTreeMap<u32, ProcessCounters> {
    let counters = |process: Process| {
        let counters = of_process(&process.stat().ok()?, process.io().ok())?;
        Some((u32::try_from(process.pid()).ok()?, counters))
    };
    process::all().filter_map(counters).collect()
}

fn of_process(stat: &Stat, io: Option<Io>) -> Option<ProcessCounters> {
    Some(ProcessCounters {
        name: stat.comm.clone(),
        parent: u32::try_from(stat.ppid).ok()?,
        cpu_seconds: seconds(stat.utime + stat.stime),
        io_bytes: io.map(|io| io.read_bytes + io.write_bytes),
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::tables::{FromRead as _, FromReadSI as _, current_system_info};

    const PROCESS: &str =
        "7 (a (b) c) S 2 7 7 0 -1 0 0 0 0 0 150 50 9 9 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0";

    #[test]
    fn counters_of_the_kernel_become_seconds_and_pages() {
        let text = "cpu  400 100 100 3000 200 50 50 100 5 0\nctxt 1\nbtime 1\nprocesses 1\n";
        let stats = KernelStats::from_read(text.as_bytes(), current_system_info()).unwrap();
        let time = of_cpus(&stats.total).unwrap();
        let ticks = |ticks: u64| seconds(ticks);
        assert_eq!(
            (time.total, time.used, time.stolen),
            (ticks(4000), ticks(600), ticks(100))
        );
        let old = "cpu  400 100 100 3000\nctxt 1\nbtime 1\nprocesses 1\n";
        let old = KernelStats::from_read(old.as_bytes(), current_system_info()).unwrap();
        assert_eq!(of_cpus(&old.total), None);
        let counters = |names: &[(&str, i64)]| {
            let counters = names.iter().map(|(name, count)| ((*name).to_owned(), *count));
            swapped(&counters.collect())
        };
        assert_eq!(counters(&[("pswpin", 3), ("pswpout", 4)]), Some(7));
        assert_eq!(counters(&[("pgfault", 3)]), None);
        let found = of_process(&Stat::from_read(PROCESS.as_bytes()).unwrap(), None).unwrap();
        assert_eq!((found.name.as_str(), found.parent), ("a (b) c", 2));
        assert_eq!((found.cpu_seconds, found.io_bytes), (ticks(200), None));
    }

    #[test]
    fn this_process_is_seen() {
        let (before, after) = (HostSnapshot::take(), HostSnapshot::take());
        assert!(after.processes.contains_key(&std::process::id()));
        assert!(after.at_seconds.unwrap() >= before.at_seconds.unwrap());
        assert!(after.cpus.unwrap().total > 0.0);
    }
}
