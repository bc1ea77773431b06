//! What this process costs the machine.

use dbdyno_record::ClientCost;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// Resource use of the process up to a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) cpu_seconds: f64,
    peak_memory_bytes: u64,
    involuntary_switches: u64,
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6
}

impl Usage {
    /// Up to now; zeros where the operating system does not tell.
    pub(crate) fn now() -> Self {
        getrusage(UsageWho::RUSAGE_SELF).map_or_else(
            |_| Self::default(),
            |usage| Self {
                cpu_seconds: seconds(usage.user_time()) + seconds(usage.system_time()),
                // Linux counts in kibibytes, macOS in bytes.
                peak_memory_bytes: usage.max_rss().max(0) as u64
                    * if cfg!(target_os = "macos") { 1 } else { 1024 },
                involuntary_switches: usage.involuntary_context_switches().max(0) as u64,
            },
        )
    }

    /// What happened since `earlier`, `elapsed_seconds` ago.
    pub(crate) fn since(&self, earlier: &Self, elapsed_seconds: f64) -> ClientCost {
        let cpu_seconds = (self.cpu_seconds - earlier.cpu_seconds).max(0.0);
        let capacity = elapsed_seconds * f64::from(processors());
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
        }
    }
}

/// Processors this process may use.
pub(crate) fn processors() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX))
}

/// Resident memory now, bytes; 0 where the operating system does not tell.
pub(crate) fn resident_memory_bytes() -> u64 {
    let statistics = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statistics
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_processor_time() {
        let before = Usage::now();
        let mut sum = 0_u64;
        while Usage::now().cpu_seconds - before.cpu_seconds < 0.01 {
            sum = (0..10_000).fold(sum, |sum, value| std::hint::black_box(sum ^ value));
        }
        let cost = Usage::now().since(&before, 1.0);
        assert!(cost.cpu_seconds >= 0.01);
        assert!(cost.cpu_share > 0.0 && cost.cpu_share <= 1.0);
        assert!(cost.peak_memory_bytes > 100_000);
        assert!(resident_memory_bytes() > 100_000);
    }
}
