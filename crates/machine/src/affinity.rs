//! The CPUs that processes may run on: lists of them as the kernel writes them, read and set.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::str::FromStr;

use crate::text;

/// The first number that is no CPU: what the kernel's set of CPUs holds at most.
const MOST_CPUS: usize = 1024;

/// A set of CPUs by their numbers, in the kernel's list format: `0,2-3` (`cpuset(7)`, "List format").
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuList(BTreeSet<usize>);

impl CpuList {
    /// The CPUs with these numbers.
    pub fn new(numbers: impl IntoIterator<Item = usize>) -> Self {
        Self(numbers.into_iter().collect())
    }

    /// The CPUs that a process may run on; `None` where the kernel does not say.
    #[must_use]
    pub fn of_process(id: u32) -> Option<Self> {
        let status = text(format!("/proc/{id}/status"))?;
        allowed_in(&status)
    }

    /// The CPUs that this process may run on; `None` where the kernel does not say.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        Self::of_process(std::process::id())
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The numbers, in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().copied()
    }

    /// Those that are not in another list.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).copied().collect())
    }

    /// Whether all of them are in another list.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    /// Keeps a process, which has one thread yet, to these CPUs.
    ///
    /// # Errors
    /// When the kernel refuses, and on systems other than Linux.
    pub fn bind(&self, process: u32) -> io::Result<()> {
        bind(process, self)
    }

    /// Keeps this process, all of its threads, to these CPUs. Threads that start later inherit it.
    ///
    /// # Errors
    /// When the kernel refuses, and on systems other than Linux.
    pub fn bind_this_process(&self) -> io::Result<()> {
        // A thread may start another one meanwhile, which has the CPUs of before: the second look finds it.
        for _ in 0..2 {
            for thread in std::fs::read_dir("/proc/self/task")?.flatten() {
                let number = thread.file_name().to_string_lossy().parse();
                match number.map(|number| bind(number, self)) {
                    // It has ended since.
                    Ok(Err(error))
                        if error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) => {}
                    Ok(bound) => bound?,
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn bind(thread: u32, cpus: &CpuList) -> io::Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    for number in cpus.numbers() {
        set.set(number);
    }
    let thread = i32::try_from(thread)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    rustix::thread::sched_setaffinity(thread, &set)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn bind(_: u32, _: &CpuList) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The line of `/proc/PID/status` (proc_pid_status(5)).
fn allowed_in(status: &str) -> Option<CpuList> {
    let line = |line: &str| line.strip_prefix("Cpus_allowed_list:")?.trim().parse().ok();
    status.lines().find_map(line)
}

/// Names what is not a list.
impl FromStr for CpuList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a list of CPU numbers");
        let number = |text: &str| text.parse().ok().filter(|&number: &usize| number < MOST_CPUS);
        let mut numbers = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = number(first).zip(number(last)).ok_or_else(wrong)?;
            if first > last {
                return Err(wrong());
            }
            numbers.extend(first..=last);
        }
        Ok(Self(numbers))
    }
}

/// As the kernel writes it.
impl fmt::Display for CpuList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for number in self.numbers() {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => ranges.push((number, number)),
            }
        }
        for (position, (first, last)) in ranges.into_iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            write!(formatter, "{comma}{first}")?;
            if last > first {
                write!(formatter, "-{last}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written_as_the_kernel_does() {
        for (text, written) in [("0", "0"), ("0,1", "0-1"), ("3,0-1", "0-1,3"), ("7-7", "7")] {
            assert_eq!(text.parse::<CpuList>().unwrap().to_string(), written);
        }
        for wrong in ["", "1-0", "x", "1,", "0-", "1024", "-1"] {
            assert!(
                wrong.parse::<CpuList>().unwrap_err().contains("is not a list"),
                "{wrong}"
            );
        }
        let status = "Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\nMems_allowed_list:\t0\n";
        assert_eq!(allowed_in(status), Some(CpuList::new([0, 1])));
        let both = CpuList::new([0, 1]);
        assert_eq!(both.without(&CpuList::new([0])), CpuList::new([1]));
        assert!(CpuList::new([1]).is_within(&both) && !both.is_within(&CpuList::new([1])));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_kept_to_the_cpus_that_it_is_bound_to() {
        let own = CpuList::of_this_process().unwrap();
        let first = CpuList::new(own.numbers().take(1));
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        first.bind(child.id()).unwrap();
        assert_eq!(CpuList::of_process(child.id()), Some(first));
        child.kill().unwrap();
        child.wait().unwrap();
        // A process that binds itself to the CPUs that it has changes nothing for the other tests.
        own.bind_this_process().unwrap();
        assert_eq!(CpuList::of_this_process(), Some(own));
    }
}
