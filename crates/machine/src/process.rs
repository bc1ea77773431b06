//! Processes of this machine: which one is meant, what it started, and what it costs.

mod as_owner;
mod output;
mod sockets;
mod usage;

use serde::{Deserialize, Serialize};

pub use output::processes_printing_into;
pub use sockets::{all_listening_addresses, listening_addresses};
pub use usage::ProcessUsage;
pub(crate) use usage::{cpu_seconds, resident_bytes};

use crate::tables::process::{Process, Stat, all_processes};

/// A process, identified by number and start time, so that a later process with the same number is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessId {
    /// Its number.
    pub id: u32,
    /// When it started, clock ticks since boot.
    pub start_ticks: u64,
}

impl ProcessId {
    /// The process that has the number now; `None` if there is none, and on systems other than Linux.
    #[must_use]
    pub fn of(id: u32) -> Option<Self> {
        Self::from_stat(&stat(id)?)
    }

    /// The process that a person names by its number.
    ///
    /// # Errors
    /// When none has it, or on systems other than Linux: says so.
    pub fn named(number: &str) -> Result<Self, String> {
        let found = number.trim().parse().ok().and_then(Self::of);
        found.ok_or_else(|| {
            if cfg!(target_os = "linux") {
                format!("there is no process `{number}` on this machine")
            } else {
                format!("dbdyno looks at processes on Linux only, so not at process `{number}`")
            }
        })
    }

    /// This process.
    #[must_use]
    pub fn own() -> Option<Self> {
        Self::of(std::process::id())
    }

    fn from_stat(stat: &Stat) -> Option<Self> {
        Some(Self {
            id: u32::try_from(stat.pid).ok()?,
            start_ticks: stat.starttime,
        })
    }

    /// Whether it runs. A process that ended and was not waited for does not.
    #[must_use]
    pub fn is_alive(self) -> bool {
        stat(self.id)
            .is_some_and(|stat| !matches!(stat.state, 'Z' | 'X') && stat.starttime == self.start_ticks)
    }

    /// Its living children, their children, and so on.
    #[must_use]
    pub fn descendants(self) -> Vec<Self> {
        // The kernel's lists of children are by thread, and any thread may have started one.
        let processes: Vec<(u32, Self)> = all()
            .filter_map(|process| {
                let stat = process.stat().ok()?;
                Some((u32::try_from(stat.ppid).ok()?, Self::from_stat(&stat)?))
            })
            .collect();
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(process) = open.pop() {
            let before = found.len();
            let children = processes.iter().filter(|(parent, _)| *parent == process.id);
            found.extend(children.map(|(_, child)| *child));
            open.extend_from_slice(&found[before..]);
        }
        found
    }
}

/// The process with this number.
pub(crate) fn open(id: u32) -> Option<Process> {
    Process::new(i32::try_from(id).ok()?).ok()
}

fn stat(id: u32) -> Option<Stat> {
    open(id)?.stat().ok()
}

/// All processes that can be seen.
pub(crate) fn all() -> impl Iterator<Item = Process> {
    all_processes().into_iter().flatten().flatten()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_is_known_by_its_start() {
        let own = ProcessId::own().unwrap();
        assert!(own.is_alive());
        let other = ProcessId {
            start_ticks: own.start_ticks + 1,
            ..own
        };
        assert!(!other.is_alive());
        assert_eq!(ProcessId::of(u32::MAX), None);
        assert_eq!(ProcessId::named(&format!(" {} ", own.id)), Ok(own));
        assert!(ProcessId::named("redis").unwrap_err().contains("`redis`"));
    }

    #[test]
    fn children_of_every_thread_are_found() {
        let (mut child, process) = std::thread::scope(|scope| {
            let started = scope.spawn(|| {
                let child = Command::new("sleep").arg("600").spawn().unwrap();
                let process = ProcessId::of(child.id()).unwrap();
                let found = ProcessId::own().unwrap().descendants();
                assert!(found.contains(&process), "{process:?} is missing in {found:?}");
                (child, process)
            });
            started.join().unwrap()
        });
        assert!(process.is_alive());
        child.kill().unwrap();
        while process.is_alive() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }
}
