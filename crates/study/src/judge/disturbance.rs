//! Whether something outside a trial took part in it: two snapshots of the machine's counters, compared with limits.
//!
//! Nothing here knows what the trial measured. A trial is repeated for what the machine did by itself, never for how fast it
//! was or for what the measured system did to the machine: either would choose results.

use std::collections::BTreeSet;

use dbdyno_machine::{HostSnapshot, ProcessCounters};
use dbdyno_record::{Finding, HostRecord, Severity, codes};
use dbdyno_vocabulary::number;

/// Counters tick in hundredths of a second: shorter phases are not judged.
pub const SHORTEST_SECONDS: f64 = 1.0;
/// More stolen time than this disturbs: it is taken from some operations wholly and shows in their tail first.
pub const MOST_STOLEN: f64 = 0.02;
/// The processor time of all that others may use.
pub const MOST_OTHERS: f64 = 0.10;
/// The share of the time that a processor limit may hold work back.
pub const MOST_THROTTLED: f64 = 0.01;
/// The share of the time in which tasks may wait for memory.
pub const MOST_MEMORY_STALLED: f64 = 0.01;
/// Pages that may be swapped: 1 MiB of 4 KiB pages.
pub const MOST_SWAPPED_PAGES: u64 = 256;
/// What others may read from and write to storage: the noise of logs and desktops is far below.
pub const MOST_OTHERS_IO_BYTES_PER_SECOND: f64 = 10e6;

/// What the machine does by itself, and what alone repeats a trial. The other findings may be the measured system's own doing: a
/// fast trial uses up a processor limit and a large one the memory, so repeating it would keep the slow ones.
const EXOGENOUS: [&str; 3] = [
    codes::HOST_STEAL,
    codes::HOST_OTHER_PROCESSES,
    codes::HOST_OTHER_IO,
];

/// Linux starts its threads from this one.
const KERNEL_THREADS: u32 = 2;

/// Whose work is the trial's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own {
    /// This process; with it, all that it started.
    pub process: u32,
    /// The servers of the system; with them, all that they started.
    pub servers: Vec<u32>,
    /// Servers of other systems of the study, which may run meanwhile: theirs is the work of others, though this process started them.
    pub others: Vec<u32>,
    /// The system has servers that nobody named: what they use cannot be told from what others use.
    pub unknown_servers: bool,
}

/// What the machine did between two snapshots.
#[must_use]
pub fn between(before: &HostSnapshot, after: &HostSnapshot, own: &Own) -> HostRecord {
    let difference = |earlier: Option<f64>, later: Option<f64>| Some((later? - earlier?).max(0.0));
    let seconds = difference(before.at_seconds, after.at_seconds).unwrap_or(0.0);
    let share = |of: Option<f64>| of.filter(|_| seconds > 0.0).map(|part| (part / seconds).min(1.0));
    let mut host = HostRecord {
        seconds,
        throttled_share: share(difference(before.throttled_seconds, after.throttled_seconds)),
        memory_stalled_share: share(difference(
            before.memory_stalled_seconds,
            after.memory_stalled_seconds,
        )),
        io_stalled_share: share(difference(before.io_stalled_seconds, after.io_stalled_seconds)),
        swapped_pages: before
            .swapped_pages
            .zip(after.swapped_pages)
            .map(|(before, after)| after.saturating_sub(before)),
        ..HostRecord::default()
    };
    let (Some(earlier), Some(later)) = (before.cpus, after.cpus) else {
        return host;
    };
    let capacity = later.total - earlier.total;
    if capacity <= 0.0 {
        return host;
    }
    host.steal_share = Some(((later.stolen - earlier.stolen) / capacity).clamp(0.0, 1.0));
    if own.unknown_servers || !after.processes.contains_key(&own.process) {
        return host;
    }
    let ours = family(after, own);
    let used = |id: &u32, process: &ProcessCounters| {
        let earlier = before
            .processes
            .get(id)
            .map_or(0.0, |process| process.cpu_seconds);
        (process.cpu_seconds - earlier).max(0.0)
    };
    let known: f64 = after
        .processes
        .iter()
        .filter(|(id, _)| ours.contains(id))
        .map(|(id, process)| used(id, process))
        .sum();
    // All that was used less what is known, so that processes which came and went in between are counted too.
    let others = (later.used - earlier.used - known) / capacity;
    host.others_cpu_share = Some(others.clamp(0.0, 1.0));
    let strangers = || after.processes.iter().filter(|(id, _)| !ours.contains(id));
    host.busiest_other = strangers()
        .map(|(id, process)| (used(id, process), &process.name))
        .filter(|&(seconds, _)| seconds > 0.0)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, name)| name.clone());
    // Known only where this user may look at every process, this one among them.
    let bytes: Option<u64> = strangers()
        .filter_map(|(id, process)| Some((process, before.processes.get(id)?)))
        .map(|(after, before)| Some(after.io_bytes?.saturating_sub(before.io_bytes?)))
        .sum();
    host.others_io_bytes_per_second = bytes
        .filter(|_| seconds > 0.0)
        .map(|bytes| bytes as f64 / seconds);
    host
}

/// The trial's own processes, with their descendants, and the kernel's threads, which work for whoever is measured.
fn family(snapshot: &HostSnapshot, own: &Own) -> BTreeSet<u32> {
    let heads: BTreeSet<u32> = own
        .servers
        .iter()
        .copied()
        .chain([own.process, KERNEL_THREADS])
        .collect();
    let belongs = |&id: &u32| {
        let mut id = id;
        // A chain of parents is no longer than there are processes, unless the counters were read while it changed.
        for _ in 0..snapshot.processes.len() {
            if own.others.contains(&id) {
                return false;
            }
            if heads.contains(&id) {
                return true;
            }
            match snapshot.processes.get(&id) {
                Some(process) => id = process.parent,
                None => return false,
            }
        }
        false
    };
    snapshot.processes.keys().copied().filter(belongs).collect()
}

/// The codes of those findings that are no doing of the measured system.
#[must_use]
pub fn exogenous(findings: &[Finding]) -> Vec<String> {
    let codes = findings.iter().map(|finding| finding.code.clone());
    codes.filter(|code| EXOGENOUS.contains(&code.as_str())).collect()
}

/// What the machine did, one finding each; nothing when it was too short to say.
#[must_use]
pub fn findings(host: &HostRecord) -> Vec<Finding> {
    if host.seconds < SHORTEST_SECONDS {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut add = |code: &str, message: String, remedy: &str| {
        found.push(Finding {
            code: code.to_owned(),
            severity: Severity::Warning,
            message,
            remedy: remedy.to_owned(),
        });
    };
    let above = |value: Option<f64>, most: f64| value.filter(|&value| value > most);
    if let Some(share) = above(host.steal_share, MOST_STOLEN) {
        add(
            codes::HOST_STEAL,
            format!(
                "the hypervisor gave {} of CPU time to other guests (limit: {})",
                number::share(share),
                number::share(MOST_STOLEN)
            ),
            "measure on a dedicated machine, or on a virtual machine with dedicated CPUs",
        );
    }
    if let Some(share) = above(host.others_cpu_share, MOST_OTHERS) {
        let name = host
            .busiest_other
            .as_ref()
            .map_or_else(String::new, |name| format!(", most of it `{name}`"));
        add(
            codes::HOST_OTHER_PROCESSES,
            format!(
                "other processes used {} of CPU time{name} (limit: {})",
                number::share(share),
                number::share(MOST_OTHERS)
            ),
            "stop other processes, or measure when the machine is idle",
        );
    }
    if let Some(rate) = above(host.others_io_bytes_per_second, MOST_OTHERS_IO_BYTES_PER_SECOND) {
        add(
            codes::HOST_OTHER_IO,
            format!(
                "other processes read and wrote {:.0} MB/s of storage (limit: {:.0})",
                rate / 1e6,
                MOST_OTHERS_IO_BYTES_PER_SECOND / 1e6
            ),
            "stop other processes, or give the databases their own disk",
        );
    }
    if let Some(share) = above(host.throttled_share, MOST_THROTTLED) {
        add(
            codes::HOST_THROTTLED,
            format!(
                "the control group's CPU limit throttled work for {} of the time",
                number::share(share)
            ),
            "give the container or job more CPUs, or use fewer clients",
        );
    }
    if let Some(pages) = host.swapped_pages.filter(|&pages| pages > MOST_SWAPPED_PAGES) {
        add(
            codes::HOST_SWAPPED,
            format!("{pages} pages were swapped in or out"),
            "memory is over-committed: use smaller heaps and caches, fewer nodes, or `swapoff`",
        );
    }
    if let Some(share) = above(host.memory_stalled_share, MOST_MEMORY_STALLED) {
        add(
            codes::HOST_MEMORY_PRESSURE,
            format!("tasks waited for memory for {} of the time", number::share(share)),
            "memory is over-committed: use smaller heaps and caches, or fewer nodes",
        );
    }
    found
}

#[cfg(test)]
#[path = "disturbance_tests.rs"]
mod tests;
