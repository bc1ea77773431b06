//! The disk below the nodes of a cluster: what one writer gets of it, and what as many writers get as nodes share it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::DiskPreflight;

/// A disk that holds data or logs of servers of the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeDisk {
    /// Its block device, or the type of a file system without one.
    pub device: String,
    /// The servers on it, by the name of their system.
    pub servers: BTreeMap<String, BTreeSet<String>>,
    /// Writers at a time in `all`: the most servers that one system has there.
    pub writers: u64,
    /// Measured with one writer before the first trial.
    pub one: DiskPreflight,
    /// Measured with all writers at a time.
    pub all: DiskPreflight,
    /// The first measurement again, after the last trial; absent where the place was gone by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_after: Option<DiskPreflight>,
    /// The second one again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_after: Option<DiskPreflight>,
}

impl NodeDisk {
    /// The change of the disk over the study, in words, as [`DiskPreflight::change`] says it.
    #[must_use]
    pub fn change(&self) -> Option<String> {
        let pairs = [(&self.one, &self.one_after), (&self.all, &self.all_after)];
        let change = pairs
            .into_iter()
            .find_map(|(before, after)| before.change(after.as_ref()?))?;
        Some(format!("on {}, {change}", self.device))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_has_become_slower_is_named() {
        let disk = |sync_median_ns| DiskPreflight {
            syncs: 100,
            sync_median_ns,
            sync_max_ns: 9_000_000,
            write_bytes_per_second: 1e8,
        };
        let mut of_nodes = NodeDisk {
            device: "vda".to_owned(),
            servers: BTreeMap::new(),
            writers: 3,
            one: disk(200_000),
            all: disk(300_000),
            one_after: None,
            all_after: None,
        };
        assert_eq!(of_nodes.change(), None);
        of_nodes.one_after = Some(disk(210_000));
        of_nodes.all_after = Some(disk(900_000));
        let change = of_nodes.change().unwrap();
        assert!(
            change.starts_with("on vda, a synced write took 0.30 ms before and 0.90 ms"),
            "{change}"
        );
    }
}
