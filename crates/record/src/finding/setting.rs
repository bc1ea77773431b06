//! Findings about what a trial ran on: the clock, the disk that everything shares, a data set that fits into memory.

use std::borrow::Cow;

use dbdyno_vocabulary::Statement;
use serde::{Deserialize, Serialize};

use super::Facts;

/// Gigabytes as people read them.
fn gigabytes(statement: Statement, bytes: u64, decimals: usize) -> Statement {
    let gigabytes = bytes as f64 / 1e9;
    statement.figure(gigabytes, format!("{gigabytes:.decimals$} GB"))
}

/// The kernel's clock is slow to read, or coarse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowClock {
    /// Its source.
    pub clock_source: String,
}

impl Facts for SlowClock {
    const CODE: &'static str = "slow-clock";

    fn statement(&self) -> Statement {
        Statement::new("the kernel's clock source is ")
            .name(self.clock_source.as_str())
            .words(", which is slow or coarse and slows databases that read the clock")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "set the clock source to tsc, if the machine supports it".into()
    }
}

/// The data set fits into memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitsInMemory {
    /// The size of the values, bytes.
    pub data_bytes: u64,
    /// The size of the memory, bytes.
    pub memory_bytes: u64,
}

impl Facts for FitsInMemory {
    const CODE: &'static str = "fits-in-memory";

    fn statement(&self) -> Statement {
        let data = gigabytes(Statement::new("the values take "), self.data_bytes, 2);
        gigabytes(data.words(" and the machine has "), self.memory_bytes, 1)
            .words(" of memory: caches answer the reads, not the disk")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "load more records than fit into memory, if your data will not fit".into()
    }
}

/// Servers and client held nearly all memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryFilled {
    /// The memory that they held, bytes.
    pub held_bytes: u64,
    /// The size of the memory, bytes.
    pub memory_bytes: u64,
}

impl Facts for MemoryFilled {
    const CODE: &'static str = "memory-filled";

    fn statement(&self) -> Statement {
        let held = gigabytes(Statement::new("servers and client held "), self.held_bytes, 1);
        gigabytes(held.words(" of "), self.memory_bytes, 1)
            .words(" of memory: hardly any is left for caches, and a little more makes the machine swap")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "use smaller heaps and caches, fewer nodes on this machine, or more memory".into()
    }
}

/// Data and logs of the servers and the client's files are on one disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedDisk {
    /// How many servers.
    pub servers: u64,
}

impl Facts for SharedDisk {
    const CODE: &'static str = "shared-disk";

    fn statement(&self) -> Statement {
        let whose = match self.servers {
            1 => "the server".to_owned(),
            servers => format!("all {servers} servers"),
        };
        Statement::new("data and logs of ")
            .name(whose)
            .words(" and this client's files share one disk and slow each other")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "on real machines each node has its own disks; compare only systems with the same number of nodes"
            .into()
    }
}

/// The data of all nodes of a cluster are on one disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodesShareDisk {
    /// Its server processes, those that keep no data included.
    pub servers: u64,
    /// The disk, e.g. `vda`.
    pub device: String,
}

impl Facts for NodesShareDisk {
    const CODE: &'static str = "nodes-share-disk";

    fn statement(&self) -> Statement {
        Statement::new("scaling over nodes is not shown, because all nodes (")
            .count(self.servers)
            .words(" server processes) share the disk ")
            .name(self.device.as_str())
    }

    fn remedy(&self) -> Cow<'static, str> {
        "give each node a disk of its own to measure scaling; `environment.json` shows what one writer and all of them get of this disk".into()
    }
}

/// A volume of the servers had no room left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeFull {
    /// Which, and how full.
    pub volume: String,
}

impl Facts for VolumeFull {
    const CODE: &'static str = "volume-full";

    fn statement(&self) -> Statement {
        Statement::default().name(self.volume.as_str())
    }

    fn remedy(&self) -> Cow<'static, str> {
        "load fewer records, or make room where the lab keeps its data (DBDYNO_LAB_HOME): a volume takes half of what is free".into()
    }
}

/// Servers of other systems ran beside the trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdleServers {
    /// Their systems.
    pub systems: Vec<String>,
}

impl Facts for IdleServers {
    const CODE: &'static str = "idle-servers";

    fn statement(&self) -> Statement {
        Statement::new("servers of other systems were running: ")
            .name(self.systems.join(", "))
            .words("; they used memory and may have used CPU")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "in comparisons, use restart = \"block\" (the default), which runs each system alone; search the capacity of each system in a study \
         of its own"
            .into()
    }
}
