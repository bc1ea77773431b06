//! Systems without `/proc`: no table can be read, and no process can be opened. The types are those of `procfs`, so that the code
//! that reads them is the same everywhere.

use std::collections::HashMap;

pub(crate) use procfs_core::*;

fn absent<T>() -> ProcResult<T> {
    // Not `NotFound`, which also means a kernel built without a part, or a process that has ended.
    Err(ProcError::Other("this system has no /proc".to_owned()))
}

/// A table that is one file.
pub(crate) trait Current: Sized {
    fn current() -> ProcResult<Self> {
        absent()
    }
}

impl Current for CpuInfo {}
impl Current for IoPressure {}
impl Current for MemoryPressure {}
impl Current for Uptime {}

/// A table in which the system's page size or clock matters.
pub(crate) trait CurrentSI: Sized {
    fn current() -> ProcResult<Self> {
        absent()
    }
}

impl CurrentSI for KernelStats {}

pub(crate) fn crypto() -> ProcResult<CryptoTable> {
    absent()
}

pub(crate) fn diskstats() -> ProcResult<Vec<DiskStat>> {
    absent()
}

pub(crate) fn vmstat() -> ProcResult<HashMap<String, i64>> {
    absent()
}

pub(crate) fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

pub(crate) fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second()
}

pub(crate) mod net {
    pub(crate) use procfs_core::net::*;

    use super::{ProcResult, absent};

    pub(crate) fn tcp() -> ProcResult<Vec<TcpNetEntry>> {
        absent()
    }

    pub(crate) fn tcp6() -> ProcResult<Vec<TcpNetEntry>> {
        absent()
    }
}

pub(crate) mod process {
    use std::convert::Infallible;
    use std::iter::Empty;
    use std::path::PathBuf;

    pub(crate) use procfs_core::process::*;

    use super::{ProcResult, ProcessCGroups, absent};

    /// There is none.
    pub(crate) enum Process {}

    impl Process {
        pub(crate) fn new(_: i32) -> ProcResult<Self> {
            absent()
        }

        pub(crate) fn new_with_root(_: PathBuf) -> ProcResult<Self> {
            absent()
        }

        pub(crate) fn myself() -> ProcResult<Self> {
            absent()
        }

        pub(crate) fn pid(&self) -> i32 {
            match *self {}
        }

        pub(crate) fn stat(&self) -> ProcResult<Stat> {
            match *self {}
        }

        pub(crate) fn statm(&self) -> ProcResult<StatM> {
            match *self {}
        }

        pub(crate) fn io(&self) -> ProcResult<Io> {
            match *self {}
        }

        pub(crate) fn limits(&self) -> ProcResult<Limits> {
            match *self {}
        }

        pub(crate) fn cgroups(&self) -> ProcResult<ProcessCGroups> {
            match *self {}
        }

        pub(crate) fn mountinfo(&self) -> ProcResult<MountInfos> {
            match *self {}
        }

        pub(crate) fn task_main_thread(&self) -> ProcResult<Task> {
            match *self {}
        }

        pub(crate) fn tasks(&self) -> ProcResult<Empty<ProcResult<Task>>> {
            match *self {}
        }
    }

    pub(crate) fn all_processes() -> ProcResult<Empty<ProcResult<Process>>> {
        absent()
    }

    /// A thread of a process: there is none, either.
    pub(crate) struct Task {
        pub(crate) tid: i32,
        never: Infallible,
    }

    impl Task {
        pub(crate) fn stat(&self) -> ProcResult<Stat> {
            match self.never {}
        }

        pub(crate) fn children(&self) -> ProcResult<Vec<u32>> {
            match self.never {}
        }
    }
}
