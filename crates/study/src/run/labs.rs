//! Systems of the lab ([`crate::address`]): each is started when a trial first needs it, and stopped with its plot
//! ([`crate::plan`]) or with the study. Every system has servers of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use dbdyno_driver::Target;
use dbdyno_engine::{LoadGenerators, Observer, Stop};
use dbdyno_lab::{LabError, LabErrorKind, Usage, usage_of_processes};
use dbdyno_machine::BlockDevice;
use dbdyno_record::finding::ClientsStuck;
use dbdyno_record::{AtRest, Finding, ProtectionRecord, ServerResources, ServerStart, TrialRecord};

use crate::address::{is_server, processes, read};
use crate::run::node_disks::NodeDisks;
use crate::run::servers::{FromRecipes, Launch, Servers};

/// One start of a system's servers.
struct Running {
    servers: Box<dyn Servers>,
    /// Their devices. Looking for them takes longer than a switch between slices may.
    devices: BTreeSet<BlockDevice>,
    start: ServerStart,
    /// The protection of its servers, once it was looked at.
    protection: Option<ProtectionRecord>,
}

/// The running systems of a study or of a single run, by the system's name: each system has servers of its own, also where
/// another one asks for the same.
pub struct Labs {
    launch: Box<dyn Launch>,
    running: BTreeMap<String, Running>,
    /// The last start of this study.
    starts: u32,
    /// Systems whose servers did not start; they are not tried again before [`Labs::stop_all`].
    broken: BTreeMap<String, LabError>,
    /// Servers, of the lab or not, that have been warmed up since they were first used or last started, with what is to be said of
    /// a warm-up that was too short.
    warm: BTreeMap<String, Option<Finding>>,
    /// The disks of its clusters.
    disks: NodeDisks,
    /// Who sends them load; `None`: this process.
    generators: Option<Arc<dyn LoadGenerators>>,
}

impl Default for Labs {
    fn default() -> Self {
        Self::with(Box::new(FromRecipes::default()))
    }
}

impl Labs {
    /// Nothing runs yet.
    pub(crate) fn with(launch: Box<dyn Launch>) -> Self {
        Self {
            launch,
            running: BTreeMap::new(),
            starts: 0,
            broken: BTreeMap::new(),
            warm: BTreeMap::new(),
            disks: NodeDisks::default(),
            generators: None,
        }
    }

    /// Load generators that send the load in place of this process.
    #[must_use]
    pub fn with_generators(self, generators: Option<Arc<dyn LoadGenerators>>) -> Self {
        Self { generators, ..self }
    }

    /// Who sends the load; `None`: this process.
    pub(crate) fn generators(&self) -> Option<Arc<dyn LoadGenerators>> {
        self.generators.clone()
    }

    /// Starts are numbered from here on, after those of the records that are there.
    pub(crate) fn number_after(&mut self, records: &[TrialRecord]) {
        let starts = records
            .iter()
            .filter_map(|record| record.conditions.start.as_ref());
        let last = starts.map(|start| start.id).max().unwrap_or(0);
        self.starts = self.starts.max(last);
    }

    /// Ends all servers; what is used next is started anew.
    pub(crate) fn stop_all(&mut self) {
        for name in self.running.keys() {
            self.warm.remove(name);
        }
        self.running.clear();
        self.broken.clear();
    }

    /// Why a trial on a system's servers cannot count: one of them has ended, or they no longer answer. `None` where they do, or where
    /// the lab does not run them.
    pub(crate) fn lost(&self, record: &TrialRecord) -> Option<String> {
        let own = self.running.get(&record.system.name)?;
        let ended = own.servers.ended();
        if !ended.is_empty() {
            return Some(format!(
                "{} of the lab ended by itself during the trial",
                ended.join(", ")
            ));
        }
        let is_stuck = record.findings.iter().any(Finding::is::<ClientsStuck>);
        let is_silent = is_stuck || record.fell_silent();
        is_silent.then(|| "servers of the lab stopped answering during the trial".to_owned())
    }

    /// Ends the servers of a system; when it is used next, they are started anew.
    pub(crate) fn discard(&mut self, name: &str) {
        if self.running.remove(name).is_some() {
            self.warm.remove(name);
        }
    }

    /// The system's real address: started now, if it does not run yet. Other systems' addresses are returned as they are.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn resolve(
        &mut self,
        name: &str,
        target: &Target,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Target, LabError> {
        let Some(system) = read(target) else {
            return Ok(target.clone());
        };
        let system = system?;
        if let Some(error) = self.broken.get(name) {
            return Err(error.clone());
        }
        if !self.running.contains_key(name) {
            let started_at = jiff::Timestamp::now().to_string();
            let servers = self.launch.launch(&system, observer, stop).inspect_err(|error| {
                if error.kind != LabErrorKind::Interrupted {
                    self.broken.insert(name.to_owned(), error.clone());
                }
            })?;
            self.disks.started(name, &servers.places());
            self.starts += 1;
            let id = self.starts;
            let start = ServerStart {
                id,
                started_at,
                warmup_ns: None,
            };
            self.running.insert(
                name.to_owned(),
                Running {
                    devices: servers.devices(),
                    servers,
                    start,
                    protection: None,
                },
            );
        }
        let address = self.running.get(name).map_or("", |own| own.servers.address());
        let real = Target::parse(address).map_err(|error| {
            LabError::new(
                LabErrorKind::Server,
                format!("{name} has an invalid address: {error}"),
            )
        })?;
        let mut options = real.options;
        options.extend(system.driver_options);
        Ok(Target {
            durability: target.durability,
            consistency: target.consistency,
            options,
            ..real
        })
    }

    /// The start that a system's servers run since; `None` when the lab does not run them.
    #[must_use]
    pub fn start_of(&self, name: &str) -> Option<&ServerStart> {
        self.running.get(name).map(|own| &own.start)
    }

    /// What protects the servers of a system at their real address, observed once for each start; `None` where the lab does not run
    /// them, or nothing can look at them.
    pub(crate) fn protection(&mut self, name: &str, target: &Target) -> Option<ProtectionRecord> {
        let own = self.running.get_mut(name)?;
        if own.protection.is_none() {
            let auditor = dbdyno_registry::find_auditor(&target.scheme).ok()?;
            let administrator = own.servers.administrator();
            let administrator = administrator.and_then(|address| Target::parse(address).ok());
            own.protection = dbdyno_audit::in_force(auditor, target, administrator.as_ref()).ok();
        }
        own.protection.clone()
    }

    /// How the files of a system's servers are encrypted; `None` where the lab did nothing about it, or does not run them.
    #[must_use]
    pub fn at_rest(&self, name: &str) -> Option<&AtRest> {
        self.running.get(name)?.servers.at_rest()
    }

    /// The disks of the clusters that were started.
    pub(crate) fn disks(&self) -> &NodeDisks {
        &self.disks
    }

    /// CPUs, memory and disks of a system's servers; `None` for one server without limits, and where the lab does not run them.
    #[must_use]
    pub fn resources(&self, name: &str) -> Option<&ServerResources> {
        self.running.get(name)?.servers.resources()
    }

    /// The volume of a system's servers, in words, where it has no room left.
    #[must_use]
    pub fn full_volume(&self, name: &str) -> Option<String> {
        self.running.get(name)?.servers.full_volume()
    }

    /// Whether a system's servers have been warmed up since their start.
    #[must_use]
    pub(crate) fn is_warm(&self, name: &str) -> bool {
        self.warm.contains_key(name)
    }

    /// The finding about the warm-up that a system's servers had before their first trial.
    #[must_use]
    pub(crate) fn never_warm(&self, name: &str) -> Option<&Finding> {
        self.warm.get(name)?.as_ref()
    }

    /// A trial has used the servers of a system.
    pub(crate) fn used(&mut self, name: &str, target: &Target) {
        if is_server(target) {
            self.warm.entry(name.to_owned()).or_default();
        }
    }

    /// The servers of a system have been warmed up for so long; `never_warm` says that it was too short.
    pub(crate) fn warmed(&mut self, name: &str, warmup_ns: Option<u64>, never_warm: Option<Finding>) {
        self.warm.insert(name.to_owned(), never_warm);
        if let Some(own) = self.running.get_mut(name) {
            own.start.warmup_ns = warmup_ns;
        }
    }

    /// The names of all other systems whose servers run meanwhile.
    #[must_use]
    pub fn idle_beside(&self, name: &str) -> Vec<&str> {
        let others = self.running.keys().filter(|other| *other != name);
        others.map(String::as_str).collect()
    }

    /// The processes of all other systems' servers.
    #[must_use]
    pub fn processes_of_others(&self, name: &str) -> Vec<u32> {
        let others = self.running.iter().filter(|(other, _)| *other != name);
        others.flat_map(|(_, own)| own.servers.processes()).collect()
    }

    /// The processes of a system's servers; `None` when the lab does not run it and its address does not tell them.
    #[must_use]
    pub fn server_processes(&self, name: &str, target: &Target) -> Option<Vec<u32>> {
        if read(target).is_some() {
            return self.running.get(name).map(|own| own.servers.processes());
        }
        let processes = processes(target)?.ok()?;
        Some(processes.into_iter().map(|process| process.id).collect())
    }

    /// How many servers of the lab a system has, and where their data are; `None` when the lab does not run it.
    #[must_use]
    pub fn data_of(&self, name: &str) -> Option<(usize, &Path)> {
        let servers = &self.running.get(name)?.servers;
        Some((servers.processes().len(), servers.directory()))
    }

    /// What the servers of a system have cost so far; `None` when the lab does not run it and its address does not tell
    /// its processes.
    #[must_use]
    pub fn usage(&self, name: &str, target: &Target) -> Option<Usage> {
        match read(target) {
            Some(_) => Some(self.own_writes(name, self.running.get(name)?.servers.usage())),
            None => Some(usage_of_processes(&processes(target)?.ok()?)),
        }
    }

    /// The usage without the size of the data: cheap enough for every second.
    #[must_use]
    pub fn usage_without_disk(&self, name: &str, target: &Target) -> Option<Usage> {
        match read(target) {
            Some(_) => Some(self.own_writes(name, self.running.get(name)?.servers.usage_without_disk())),
            None => Some(usage_of_processes(&processes(target)?.ok()?)),
        }
    }

    /// The resources of a system, without the bytes written where the servers of others write to the same device: it counts for all of them.
    fn own_writes(&self, name: &str, usage: Usage) -> Usage {
        let own = self.running.get(name).map(|own| &own.devices);
        let mut others = self
            .running
            .iter()
            .filter(|(other, _)| *other != name)
            .map(|(_, other)| &other.devices);
        let is_shared = own.is_some_and(|own| others.any(|other| !own.is_disjoint(other)));
        Usage {
            written_bytes: usage.written_bytes.filter(|_| !is_shared),
            ..usage
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_others_are_watched_when_they_are_named() {
        let own = std::process::id();
        let target = Target::parse(&format!("redis://host?server_pids={own}")).unwrap();
        let usage = Labs::default().usage("redis", &target).unwrap();
        assert!(
            usage.resident_bytes > 0 && usage.disk_bytes.is_none(),
            "{usage:?}"
        );
        assert_eq!(
            Labs::default().usage("redis", &Target::parse("redis://host").unwrap()),
            None
        );
    }
}
