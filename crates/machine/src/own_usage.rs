//! What this process and its threads cost the machine.

use dbdyno_record::ClientCost;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use rustix::time::{ClockId, clock_gettime};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

use crate::process::resident_bytes;
use crate::tables::process::Process;

/// Resources that this process has used up to some time.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnUsage {
    /// That time, on the engine's clock: a sample that came late is divided by the time it really covers.
    at_ns: u64,
    cpu_seconds: f64,
    peak_memory_bytes: u64,
    involuntary_switches: u64,
}

/// The unit of the largest resident set in bytes (getrusage(2)): kibibytes, but bytes on macOS.
const MAX_RSS_UNIT: u64 = if cfg!(target_vendor = "apple") { 1 } else { 1024 };

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6
}

impl OwnUsage {
    /// Up to now, which is `at_ns` on the engine's clock; zeros if the kernel does not report them.
    #[must_use]
    pub fn until(at_ns: u64) -> Self {
        getrusage(UsageWho::RUSAGE_SELF).map_or_else(
            |_| Self {
                at_ns,
                ..Self::default()
            },
            |usage| Self {
                at_ns,
                cpu_seconds: seconds(usage.user_time()) + seconds(usage.system_time()),
                peak_memory_bytes: usage.max_rss().max(0) as u64 * MAX_RSS_UNIT,
                involuntary_switches: usage.involuntary_context_switches().max(0) as u64,
            },
        )
    }

    /// CPU time that this process has used, seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        self.cpu_seconds
    }

    /// Counts what was used between two moments, and the time between them, as if it had been used before.
    pub fn leave_out(&mut self, from: &Self, to: &Self) {
        self.at_ns += to.at_ns.saturating_sub(from.at_ns);
        self.cpu_seconds += (to.cpu_seconds - from.cpu_seconds).max(0.0);
        self.involuntary_switches += to.involuntary_switches.saturating_sub(from.involuntary_switches);
    }

    /// The use since `earlier`, on a machine with so many CPUs.
    #[must_use]
    pub fn since(&self, earlier: &Self, cpus: u32) -> ClientCost {
        let cpu_seconds = (self.cpu_seconds - earlier.cpu_seconds).max(0.0);
        let elapsed_seconds = self.at_ns.saturating_sub(earlier.at_ns) as f64 / 1e9;
        let capacity = elapsed_seconds * f64::from(cpus);
        ClientCost {
            cpu_seconds,
            cpu_share: if capacity > 0.0 {
                (cpu_seconds / capacity).min(1.0)
            } else {
                0.0
            },
            peak_memory_bytes: self.peak_memory_bytes,
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(earlier.involuntary_switches),
            busiest_thread: None,
        }
    }
}

/// CPU time of the calling thread since it began, and the time on the clients' clock.
#[derive(Clone, Copy, Debug)]
pub struct ThreadUsage {
    at_ns: u64,
    cpu_ns: u64,
}

impl ThreadUsage {
    /// Up to now, which is `at_ns` on the clients' clock. A system call: for the ends of a stage, never for an operation.
    #[must_use]
    pub fn until(at_ns: u64) -> Self {
        let cpu = clock_gettime(ClockId::ThreadCPUTime);
        Self {
            at_ns,
            cpu_ns: cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64,
        }
    }

    /// The share of the time since `earlier` that the thread spent on a CPU.
    #[must_use]
    pub fn share_since(&self, earlier: &Self) -> f64 {
        let elapsed_ns = self.at_ns.saturating_sub(earlier.at_ns).max(1);
        let cpu_ns = self.cpu_ns.saturating_sub(earlier.cpu_ns);
        (cpu_ns as f64 / elapsed_ns as f64).min(1.0)
    }
}

/// CPUs that this process may use.
#[must_use]
pub fn usable_cpus() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX))
}

/// Memory that this process uses now, bytes; 0 if the kernel does not report it.
#[must_use]
pub fn own_resident_bytes() -> u64 {
    Process::myself()
        .and_then(|own| own.statm())
        .as_ref()
        .map_or_else(|_| resident_bytes_elsewhere().unwrap_or(0), resident_bytes)
}

/// Memory that this process uses now where there is no `/proc`; this way takes longer.
fn resident_bytes_elsewhere() -> Option<u64> {
    let own = sysinfo::get_current_pid().ok()?;
    let mut system = System::new().ok()?;
    let kind = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, kind);
    Some(system.process(own)?.memory())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_processor_time() {
        let before = OwnUsage::until(0);
        let mut sum = 0_u64;
        while OwnUsage::until(0).cpu_seconds - before.cpu_seconds < 0.01 {
            sum = (0..10_000).fold(sum, |sum, value| std::hint::black_box(sum ^ value));
        }
        let cost = OwnUsage::until(1_000_000_000).since(&before, usable_cpus());
        assert!(cost.cpu_seconds >= 0.01);
        assert!(cost.cpu_share > 0.0 && cost.cpu_share <= 1.0);
        assert!(cost.peak_memory_bytes > 100_000);
        assert!(own_resident_bytes() > 100_000);
        assert!(resident_bytes_elsewhere().unwrap() > 100_000);
    }

    #[test]
    fn what_is_left_out_is_not_in_the_difference() {
        let at = |at_ns, cpu_seconds, involuntary_switches| OwnUsage {
            at_ns,
            cpu_seconds,
            peak_memory_bytes: 1,
            involuntary_switches,
        };
        let mut begin = at(0, 1.0, 10);
        begin.leave_out(&at(500_000_000, 2.0, 12), &at(1_000_000_000, 2.5, 15));
        let cost = at(1_500_000_000, 3.0, 20).since(&begin, 1);
        assert!((cost.cpu_seconds - 1.5).abs() < 1e-9, "{cost:?}");
        assert!((cost.cpu_share - 1.0).abs() < 1e-9, "a second is left: {cost:?}");
        assert_eq!(cost.involuntary_switches, 7);
    }

    #[test]
    fn a_thread_pays_for_its_own_work_only() {
        let before = ThreadUsage::until(0);
        let mut sum = 0_u64;
        let burnt_ns = 10_000_000;
        while ThreadUsage::until(0).cpu_ns - before.cpu_ns < burnt_ns {
            sum = (0..10_000).fold(sum, |sum, value| std::hint::black_box(sum ^ value));
        }
        let after = ThreadUsage::until(4 * burnt_ns);
        assert!(after.share_since(&before) >= 0.25, "of four times as long");
        let spun = std::thread::spawn(move || {
            let fresh = ThreadUsage::until(0);
            fresh.cpu_ns < before.cpu_ns + burnt_ns
        });
        assert!(spun.join().unwrap(), "another thread has its own time");
    }

    #[test]
    fn the_share_is_of_the_time_between_the_samples() {
        let sample = |at_ns, cpu_seconds| OwnUsage {
            at_ns,
            cpu_seconds,
            ..OwnUsage::default()
        };
        let share = |from: OwnUsage, to: OwnUsage| to.since(&from, 2).cpu_share;
        let busy = share(sample(1_000_000_000, 1.0), sample(4_000_000_000, 7.0));
        assert!((busy - 1.0).abs() < 1e-12, "{busy}");
        // The second sample came ten seconds late, and the clients worked in that time too.
        let late = share(sample(1_000_000_000, 1.0), sample(14_000_000_000, 27.0));
        assert!((late - 1.0).abs() < 1e-12, "{late}");
        let half = share(sample(0, 0.0), sample(3_000_000_000, 3.0));
        assert!((half - 0.5).abs() < 1e-12, "{half}");
        assert!(
            share(sample(5, 0.0), sample(5, 1.0)).abs() < 1e-12,
            "no time, no share"
        );
    }
}
