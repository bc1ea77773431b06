//! Memory that this process can still take.

use super::{cgroup, text};

/// What this process can still take, bytes. `None` where the system does not tell, or sets no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AvailableMemory {
    /// Free or freeable on the machine and within the limit of the control group, whichever is less.
    pub memory: Option<u64>,
    /// Address space under the limit of the process (`ulimit -v`). Counts stacks in full, used or not.
    pub address_space: Option<u64>,
}

impl AvailableMemory {
    /// Looks now.
    #[must_use]
    pub fn look() -> Self {
        let of_machine = text("/proc/meminfo").and_then(|facts| kilobytes(&facts, "MemAvailable:"));
        let of_group = cgroup::memory_left_bytes();
        Self {
            memory: [of_machine, of_group].into_iter().flatten().min(),
            address_space: text("/proc/self/limits").and_then(|limits| {
                // Address space that is reserved and unused can still serve, so only resident memory is taken off.
                let resident = text("/proc/self/status").and_then(|status| kilobytes(&status, "VmRSS:"));
                Some(address_space_limit(&limits)?.saturating_sub(resident.unwrap_or(0)))
            }),
        }
    }
}

/// `Name:   123 kB` among other lines.
fn kilobytes(facts: &str, name: &str) -> Option<u64> {
    let value = facts.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// The soft limit of `/proc/self/limits`; `unlimited` is none.
fn address_space_limit(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_linux_writes() {
        let facts = "MemTotal:       24000000 kB\nMemAvailable:    1024 kB\n";
        assert_eq!(kilobytes(facts, "MemAvailable:"), Some(1 << 20));
        assert_eq!(kilobytes(facts, "SwapFree:"), None);
        let line = |soft: &str| format!("Max address space         {soft}      unlimited            bytes\n");
        assert_eq!(address_space_limit(&line("4096000")), Some(4_096_000));
        assert_eq!(address_space_limit(&line("unlimited")), None);
    }

    #[test]
    fn this_machine_has_memory() {
        assert!(AvailableMemory::look().memory.unwrap() > 1 << 20);
    }
}
