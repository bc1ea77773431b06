//! The disk control: how fast the disks of a cluster's nodes are for one writer and for all nodes at a time, before the first trial and
//! after the last one. Madureira's cluster was four machines on one laptop disk, which no figure of the paper shows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use dbdyno_machine::{disk_facts, measure_disk, measure_disk_by};
use dbdyno_record::environment::{DiskPreflight, NodeDisk};

/// Where a server keeps files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerPlace {
    /// Its name in the instance.
    pub server: String,
    /// A directory on the disk, in which this process may write.
    pub directory: PathBuf,
}

/// The disks of all clusters of a study.
#[derive(Default)]
pub(crate) struct NodeDisks(Vec<(NodeDisk, PathBuf)>);

impl NodeDisks {
    /// Measures the disks of a cluster that has just started, while nothing uses it. A disk that is known is measured again only
    /// where this system has more servers on it than the ones before.
    pub(crate) fn started(&mut self, system: &str, places: &[ServerPlace]) {
        let mut by_device: BTreeMap<String, (BTreeSet<String>, PathBuf)> = BTreeMap::new();
        for place in places {
            let disk = disk_facts(&place.directory);
            let Some(device) = disk.device.or(disk.filesystem) else {
                continue;
            };
            let (servers, _) = by_device
                .entry(device)
                .or_insert_with(|| (BTreeSet::new(), place.directory.clone()));
            servers.insert(place.server.clone());
        }
        for (device, (servers, directory)) in by_device {
            let writers = servers.len() as u64;
            let known = self.0.iter_mut().find(|(known, _)| known.device == device);
            match known {
                Some((known, place)) if known.writers >= writers => {
                    known.servers.insert(system.to_owned(), servers);
                    *place = directory;
                }
                Some((known, place)) => {
                    known.servers.insert(system.to_owned(), servers);
                    if let Some((one, all)) = measured(&directory, writers) {
                        (known.writers, known.one, known.all) = (writers, one, all);
                    }
                    *place = directory;
                }
                None => {
                    let Some((one, all)) = measured(&directory, writers) else {
                        continue;
                    };
                    let disk = NodeDisk {
                        device,
                        servers: BTreeMap::from([(system.to_owned(), servers)]),
                        writers,
                        one,
                        all,
                        one_after: None,
                        all_after: None,
                    };
                    self.0.push((disk, directory));
                }
            }
        }
    }

    /// As they were before the first trial, where these say less.
    pub(crate) fn news(&self, known: &[NodeDisk]) -> Option<Vec<NodeDisk>> {
        let servers =
            |disks: &[NodeDisk]| -> Vec<_> { disks.iter().map(|disk| disk.servers.clone()).collect() };
        let disks = self.before();
        (!disks.is_empty() && servers(&disks) != servers(known)).then_some(disks)
    }

    fn before(&self) -> Vec<NodeDisk> {
        self.0.iter().map(|(disk, _)| disk.clone()).collect()
    }

    /// With a second look at each of them. Servers may have ended by now: the directory above theirs is on the same disk then, or
    /// the disk has gone with them.
    pub(crate) fn after(&self) -> Vec<NodeDisk> {
        let again = |(disk, place): &(NodeDisk, PathBuf)| {
            let on_disk = |place: &&std::path::Path| {
                let facts = disk_facts(place);
                place.is_dir() && facts.device.or(facts.filesystem).as_ref() == Some(&disk.device)
            };
            let place = place.ancestors().take(2).find(on_disk);
            let (one_after, all_after) = place.and_then(|place| measured(place, disk.writers)).unzip();
            NodeDisk {
                one_after,
                all_after,
                ..disk.clone()
            }
        };
        self.0.iter().map(again).collect()
    }
}

fn measured(directory: &std::path::Path, writers: u64) -> Option<(DiskPreflight, DiskPreflight)> {
    let one = measure_disk(directory).ok()?;
    let all = measure_disk_by(directory, usize::try_from(writers).ok()?).ok()?;
    Some((one, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_measured_by_as_many_writers_as_one_system_has_on_it() {
        let place = tempfile::tempdir_in("/var/tmp").unwrap();
        let instance = place.path().join("instance");
        std::fs::create_dir(&instance).unwrap();
        let places = |names: &[&str]| -> Vec<ServerPlace> {
            let place = |name: &&str| ServerPlace {
                server: (*name).to_owned(),
                directory: instance.clone(),
            };
            names.iter().map(place).collect()
        };
        let mut disks = NodeDisks::default();
        disks.started("a", &places(&["node1", "node2"]));
        let first = disks.before();
        assert_eq!((first.len(), first[0].writers), (1, 2));
        assert!(first[0].one.syncs > 0 && first[0].all.syncs > 0 && first[0].one_after.is_none());
        disks.started("b", &places(&["node1"]));
        assert_eq!(
            disks.before()[0].all,
            first[0].all,
            "fewer writers say nothing new"
        );
        disks.started("c", &places(&["node1", "node2", "node3"]));
        assert_eq!(disks.before()[0].writers, 3);
        assert_eq!(disks.news(&disks.before()), None);
        assert_eq!(disks.news(&first), Some(disks.before()));
        let systems: Vec<String> = disks.before()[0].servers.keys().cloned().collect();
        assert_eq!(systems, ["a", "b", "c"]);
        std::fs::remove_dir(&instance).unwrap();
        let after = disks.after();
        assert!(
            after[0].all_after.is_some(),
            "the directory above is on the same disk"
        );
    }
}
