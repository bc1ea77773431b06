//! Memory that this process can still take.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::cgroup;
use crate::process::resident_bytes;
use crate::tables::process::{LimitValue, Process};

/// What this process can still take, bytes. `None` if the kernel does not report it, or sets no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AvailableMemory {
    /// Free or freeable on the machine.
    pub machine: Option<u64>,
    /// Left within the limit of the control group.
    pub control_group: Option<u64>,
    /// Address space under the limit of the process (`ulimit -v`). Counts stacks in full, used or not.
    pub address_space: Option<u64>,
}

impl AvailableMemory {
    /// Reads all limits.
    #[must_use]
    pub fn now() -> Self {
        Self {
            machine: machine(),
            control_group: cgroup::memory_left_bytes(),
            address_space: address_space(),
        }
    }

    /// What is free on the machine and within the limit of the control group, whichever is less.
    #[must_use]
    pub fn memory(&self) -> Option<u64> {
        [self.machine, self.control_group].into_iter().flatten().min()
    }
}

fn machine() -> Option<u64> {
    let refresh = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(refresh).ok()?;
    Some(system.available_memory()).filter(|&bytes| bytes > 0)
}

/// Address space that is reserved and unused can still serve, so only resident memory is subtracted.
fn address_space() -> Option<u64> {
    let own = Process::myself().ok()?;
    match own.limits().ok()?.max_address_space.soft_limit {
        LimitValue::Value(limit) => {
            Some(limit.saturating_sub(own.statm().as_ref().map_or(0, resident_bytes)))
        }
        LimitValue::Unlimited => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_memory() {
        assert!(AvailableMemory::now().memory().unwrap() > 1 << 20);
    }

    #[test]
    fn the_tighter_limit_counts() {
        let available = |machine, control_group| AvailableMemory {
            machine,
            control_group,
            address_space: None,
        };
        assert_eq!(available(Some(5), Some(3)).memory(), Some(3));
        assert_eq!(available(Some(5), None).memory(), Some(5));
        assert_eq!(available(None, None).memory(), None);
    }
}
