//! WHERE it ran: probes of this machine, its processes and its disks.
//!
//! Everything that dbdyno reads from the kernel about the machine is read here, mostly by `procfs` and `sysinfo`. The crate
//! fills the plain types of `dbdyno-record`; that crate itself probes nothing. A value that the kernel does not report is `None`,
//! never 0. On systems other than Linux that is most of them: they have no `/proc` (`tables.rs`).

mod affinity;
mod block_device;
mod busy_reference;
mod cgroup;
mod cipher;
mod compilers;
mod disk_speed;
mod environment;
mod memory;
mod mounts;
mod own_threads;
mod own_usage;
mod process;
mod reference_work;
mod room;
mod snapshot;
mod tables;

pub use affinity::CpuList;
pub use block_device::{BlockDevice, allocated_bytes};
pub use busy_reference::BusyWork;
pub use cgroup::own_groups;
pub use cipher::{KernelCipher, kernel_cipher, processor_has_aes};
pub use compilers::CompilerTime;
pub use disk_speed::{measure_disk, measure_disk_by};
pub use environment::{capture, clock_source, disk_facts};
pub use memory::AvailableMemory;
pub use mounts::mounts_below;
pub use own_threads::own_threads;
pub use own_usage::{OwnUsage, ThreadUsage, own_resident_bytes, usable_cpus};
pub use process::{
    ProcessId, ProcessUsage, all_listening_addresses, listening_addresses, processes_printing_into,
};
pub use reference_work::time_reference_work;
pub use room::{Room, room};
pub use snapshot::{CpuTime, HostSnapshot, ProcessCounters};

use std::path::Path;

/// The trimmed text of a small kernel file; `None` if it does not exist or is empty.
fn text(path: impl AsRef<Path>) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// What a clock of the kernel shows, nanoseconds.
fn clock_ns(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Clock ticks, the unit of many kernel counters, in seconds.
fn seconds(ticks: u64) -> f64 {
    ticks as f64 / tables::ticks_per_second() as f64
}
