//! Whether something outside a trial took part in it: two snapshots of the machine's counters, compared with limits.
//!
//! Nothing here knows what the trial measured. A trial is repeated for what the machine did by itself, never for how fast it
//! was or for what the measured system did to the machine: either would choose results.

use std::collections::BTreeSet;

use dbdyno_machine::{HostSnapshot, ProcessCounters};
use dbdyno_record::finding::{
    GeneratorSteal, GeneratorThrottled, HostMemoryPressure, HostOtherIo, HostOtherProcesses, HostSteal,
    HostSwapped, HostThrottled,
};
use dbdyno_record::{Finding, GeneratorRecord, HostRecord};

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
/// The most that others may read from and write to storage: the noise of logs and desktops is far below.
pub const MOST_OTHERS_IO_BYTES_PER_SECOND: f64 = 10e6;

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

/// The activity of the machine between two snapshots.
#[must_use]
pub fn between(before: &HostSnapshot, after: &HostSnapshot, own: &Own) -> HostRecord {
    let mut host = before.until(after);
    let (Some(earlier), Some(later)) = (before.cpus, after.cpus) else {
        return host;
    };
    let capacity = later.total - earlier.total;
    if capacity <= 0.0 {
        return host;
    }
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
        .filter(|_| host.seconds > 0.0)
        .map(|bytes| bytes as f64 / host.seconds);
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

/// The codes of those findings that are no doing of the measured system: what the machine does by itself, and what alone repeats a trial.
/// The other findings may be the measured system's own doing: a fast trial uses up a processor limit and a large one the memory, so
/// repeating it would keep the slow ones.
#[must_use]
pub fn exogenous(findings: &[Finding]) -> Vec<String> {
    let by_itself = findings.iter().filter(|finding| {
        finding.is::<HostSteal>()
            || finding.is::<HostOtherProcesses>()
            || finding.is::<HostOtherIo>()
            || finding.is::<GeneratorSteal>()
    });
    by_itself.map(|finding| finding.code().to_owned()).collect()
}

/// The disturbances by the machine, one finding each; none when it was too short to say.
#[must_use]
pub fn findings(host: &HostRecord) -> Vec<Finding> {
    if host.seconds < SHORTEST_SECONDS {
        return Vec::new();
    }
    let above = |value: Option<f64>, most: f64| value.filter(|&value| value > most);
    let steal = above(host.steal_share, MOST_STOLEN).map(|share| {
        Finding::warning(HostSteal {
            share,
            limit_share: MOST_STOLEN,
        })
    });
    let processes = above(host.others_cpu_share, MOST_OTHERS).map(|share| {
        Finding::warning(HostOtherProcesses {
            share,
            limit_share: MOST_OTHERS,
            busiest: host.busiest_other.clone(),
        })
    });
    let io = above(host.others_io_bytes_per_second, MOST_OTHERS_IO_BYTES_PER_SECOND).map(|rate| {
        Finding::warning(HostOtherIo {
            bytes_per_second: rate,
            limit_bytes_per_second: MOST_OTHERS_IO_BYTES_PER_SECOND,
        })
    });
    let throttled =
        above(host.throttled_share, MOST_THROTTLED).map(|share| Finding::warning(HostThrottled { share }));
    let swapped = host
        .swapped_pages
        .filter(|&pages| pages > MOST_SWAPPED_PAGES)
        .map(|pages| Finding::warning(HostSwapped { pages }));
    let stalled = above(host.memory_stalled_share, MOST_MEMORY_STALLED)
        .map(|share| Finding::warning(HostMemoryPressure { share }));
    [steal, processes, io, throttled, swapped, stalled]
        .into_iter()
        .flatten()
        .collect()
}

/// What disturbed load generators on machines of their own. What other processes do there may be the measured system's own doing, so it
/// is not judged.
#[must_use]
pub fn of_generators(generators: &[GeneratorRecord]) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for generator in generators {
        let Some(machine) = &generator.machine else {
            continue;
        };
        if machine.seconds < SHORTEST_SECONDS {
            continue;
        }
        let stolen = machine.steal_share.filter(|share| *share > MOST_STOLEN);
        if let Some(share) = stolen.filter(|_| seen.insert(&generator.host)) {
            findings.push(Finding::warning(GeneratorSteal {
                generator: generator.name.clone(),
                share,
                limit_share: MOST_STOLEN,
            }));
        }
        if let Some(share) = machine.throttled_share.filter(|share| *share > MOST_THROTTLED) {
            findings.push(Finding::warning(GeneratorThrottled {
                generator: generator.name.clone(),
                share,
            }));
        }
    }
    findings
}

#[cfg(test)]
#[path = "disturbance_tests.rs"]
mod tests;
