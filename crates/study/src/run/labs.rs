//! Systems of the lab: `lab:cassandra@5.0?nodes=3&consistency=one` is started when a trial first needs it, and stopped with
//! its plot ([`crate::plan`]) or with the study.
//!
//! The options that the recipe knows shape the servers; durability, consistency and the rest are the driver's. Every system
//! has servers of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dbdyno_driver::{DriverInfo, Target, remote, secrets};
use dbdyno_engine::{Event, Observer, Stop};
use dbdyno_lab::{
    Keep, Lab, LabError, LabErrorKind, LabHome, Progress, Recipe, RecipeInfo, SECURITY_OPTION, Security,
    ServerRequest, Usage, devices_of, usage_of_processes,
};
use dbdyno_machine::{BlockDevice, ProcessId};
use dbdyno_record::finding::ClientsStuck;
use dbdyno_record::{AtRest, Finding, ProtectionRecord, ServerStart, TrialRecord};

/// The scheme of the lab's systems.
pub const SCHEME: &str = "lab";

/// A system of the lab, as its address asks for it.
pub struct LabSystem {
    /// How it is started.
    pub recipe: &'static dyn Recipe,
    /// What is started.
    pub request: ServerRequest,
    /// Options for the driver.
    driver_options: BTreeMap<String, String>,
}

/// Reads the address of a system of the lab; `None` when it is none.
///
/// # Errors
/// When the lab has no such system, version or option value.
pub fn read(target: &Target) -> Option<Result<LabSystem, LabError>> {
    (target.scheme == SCHEME).then(|| {
        let mut request = ServerRequest::parse(&target.place)?;
        let recipe = dbdyno_registry::find_recipe(&request.name).map_err(|error| {
            LabError::new(LabErrorKind::Request, error.to_string())
                .help("`dbdyno lab list` shows what the lab can start")
        })?;
        let known = recipe.info().options;
        let (of_servers, driver_options) = target
            .options
            .clone()
            .into_iter()
            .partition(|(name, _)| known.iter().any(|(known, _)| known == name));
        request.options = of_servers;
        request.check(&recipe.info())?;
        if request.option(SECURITY_OPTION.0).is_some() {
            Security::of(&request)?;
        }
        Ok(LabSystem {
            recipe,
            request,
            driver_options,
        })
    })
}

/// The constant facts of what the lab starts for a system; `None` when it starts nothing.
pub(crate) fn recipe_info(target: &Target) -> Option<RecipeInfo> {
    Some(read(target)?.ok()?.recipe.info())
}

/// What the lab's servers of a system may take of the memory together, bytes; 0 where the lab starts none.
pub(crate) fn memory_bytes(target: &Target) -> u64 {
    let of = |system: LabSystem| system.recipe.memory_bytes(&system.request).ok();
    read(target).and_then(Result::ok).and_then(of).unwrap_or(0)
}

/// The most nodes that one of these systems has on this machine; 0 without any of the lab.
pub(crate) fn most_nodes<'a>(targets: impl Iterator<Item = &'a Target>) -> usize {
    let nodes = |target: &Target| {
        let system = read(target)?.ok()?;
        let nodes = system
            .request
            .options
            .get("nodes")
            .map_or(Ok(1), |nodes| nodes.parse());
        nodes.ok()
    };
    targets.filter_map(nodes).max().unwrap_or(0)
}

/// Whether a system is a process of its own, which may be cold when it is first asked; the place of a server is `//host`, embedded
/// stores have a path.
#[must_use]
pub fn is_server(target: &Target) -> bool {
    target.scheme == SCHEME || target.place.starts_with("//")
}

/// The driver of a system: that of its scheme, or of the product that the lab starts.
#[must_use]
pub fn driver_info(target: &Target) -> Option<&'static DriverInfo> {
    let name = if target.scheme == SCHEME {
        target.place.split('@').next().unwrap_or_default()
    } else {
        &target.scheme
    };
    dbdyno_registry::find(name).ok()
}

/// The address with which the driver of a system of the lab is asked whether it knows the options. Its host is nowhere.
pub(crate) fn for_checks(target: &Target, system: &LabSystem) -> Target {
    Target {
        scheme: system.request.name.clone(),
        place: "//lab".to_owned(),
        options: system.driver_options.clone(),
        ..target.clone()
    }
}

/// The options of Java that the lab gives its servers because a variable says so, as a setting of the system: no address names them.
pub(crate) fn java_options(target: &Target) -> Option<(String, String)> {
    let options = std::env::var(dbdyno_lab::JAVA_OPTIONS).ok()?;
    let shown = secrets::shown(dbdyno_lab::JAVA_OPTIONS, &options);
    (target.scheme == SCHEME).then(|| (dbdyno_lab::JAVA_OPTIONS.to_owned(), shown))
}

/// How the servers of a system are started; tests start none.
pub(crate) trait Launch {
    /// Starts them, and returns when they answer.
    fn launch(
        &mut self,
        system: &LabSystem,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Box<dyn Servers>, LabError>;
}

/// Running servers of one system. They end when this is dropped.
pub(crate) trait Servers {
    /// The address that a driver knows.
    fn address(&self) -> &str;
    /// The same with the login of an administrator, where there is one.
    fn administrator(&self) -> Option<&str>;
    /// Their processes.
    fn processes(&self) -> Vec<u32>;
    /// The names of those that have ended by themselves.
    fn ended(&self) -> Vec<String>;
    /// What they have cost so far.
    fn usage(&self) -> Usage;
    /// The same without the size of their data, which takes longer to find.
    fn usage_without_disk(&self) -> Usage;
    /// Where their data are.
    fn directory(&self) -> &Path;
    /// The devices under these.
    fn devices(&self) -> BTreeSet<BlockDevice>;
    /// How their files are encrypted, or in which volume they lie without; `None`: in a plain directory.
    fn at_rest(&self) -> Option<&AtRest>;
    /// What is full, in words, where their volume has no room left.
    fn full_volume(&self) -> Option<String>;
}

/// Starts what the recipes bring.
#[derive(Default)]
struct FromRecipes {
    home: Option<LabHome>,
}

impl Launch for FromRecipes {
    fn launch(
        &mut self,
        system: &LabSystem,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Box<dyn Servers>, LabError> {
        let home = match self.home.take() {
            Some(home) => home,
            None => LabHome::of_user()?,
        };
        let home = self.home.insert(home);
        let lab = dbdyno_lab::up(
            system.recipe,
            &system.request,
            home,
            Keep::UntilDropped,
            &mut LabEvents(observer),
            &|| stop.is_requested(),
        )?;
        Ok(Box::new(lab))
    }
}

impl Servers for Lab {
    fn address(&self) -> &str {
        self.address()
    }

    fn administrator(&self) -> Option<&str> {
        self.instance().administrator.as_deref()
    }

    fn processes(&self) -> Vec<u32> {
        self.servers().iter().map(|server| server.process.id).collect()
    }

    fn ended(&self) -> Vec<String> {
        let ended = self.servers().iter().filter(|server| !server.process.is_alive());
        ended.map(|server| server.name.clone()).collect()
    }

    fn usage(&self) -> Usage {
        self.usage()
    }

    fn usage_without_disk(&self) -> Usage {
        self.usage_without_disk()
    }

    fn directory(&self) -> &Path {
        self.directory()
    }

    fn devices(&self) -> BTreeSet<BlockDevice> {
        devices_of(self.servers())
    }

    fn at_rest(&self) -> Option<&AtRest> {
        self.at_rest()
    }

    fn full_volume(&self) -> Option<String> {
        self.full_volume()
    }
}

/// One start of a system's servers.
struct Running {
    servers: Box<dyn Servers>,
    /// Their devices. Looking for them takes longer than a switch between slices may.
    devices: BTreeSet<BlockDevice>,
    start: ServerStart,
    /// What protects them, once it was looked at.
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
        }
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

    /// What is full, in words, where the volume of a system's servers has no room left.
    #[must_use]
    pub fn full_volume(&self, name: &str) -> Option<String> {
        self.running.get(name)?.servers.full_volume()
    }

    /// Whether a system's servers have been warmed up since their start.
    #[must_use]
    pub(crate) fn is_warm(&self, name: &str) -> bool {
        self.warm.contains_key(name)
    }

    /// What is to be said of the warm-up that a system's servers had before their first trial.
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

    /// The same without the size of their data: cheap enough for every second.
    #[must_use]
    pub fn usage_without_disk(&self, name: &str, target: &Target) -> Option<Usage> {
        match read(target) {
            Some(_) => Some(self.own_writes(name, self.running.get(name)?.servers.usage_without_disk())),
            None => Some(usage_of_processes(&processes(target)?.ok()?)),
        }
    }

    /// What a system uses, without the bytes written where the servers of others write to the same device: it counts for all of them.
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

/// The processes that an address says its servers are (`server_pids=812,813`); `None` when it does not say.
///
/// # Errors
/// When one of them does not run on this machine.
pub(crate) fn processes(target: &Target) -> Option<Result<Vec<ProcessId>, String>> {
    let list = target.options.get(remote::SERVER_PIDS)?;
    // A process that is named twice counts once.
    let numbers: BTreeSet<&str> = list.split(',').map(str::trim).collect();
    Some(numbers.into_iter().map(ProcessId::named).collect())
}

struct LabEvents<'a>(&'a mut dyn Observer);

impl Progress for LabEvents<'_> {
    fn say(&mut self, what: &str) {
        self.0.event(&Event::Preparing(what.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_go_to_the_servers_or_to_the_driver() {
        let target = Target::parse("lab:redis@7?nodes=3&timeout=2s&durability=none").unwrap();
        let system = read(&target).unwrap().unwrap();
        assert_eq!(system.request.to_string(), "redis@7?nodes=3");
        assert_eq!(system.driver_options["timeout"], "2s");
        assert_eq!(for_checks(&target, &system).durability, target.durability);
        assert_eq!(driver_info(&target).unwrap().name, "redis");
        assert_eq!(most_nodes([&target].into_iter()), 3);
        assert_eq!(most_nodes([].into_iter()), 0);
        assert!(read(&Target::parse("redis://host").unwrap()).is_none());
    }

    #[test]
    fn options_of_java_are_those_of_the_labs_servers() {
        let redis = Target::parse("redis://host").unwrap();
        assert_eq!(java_options(&redis), None, "the lab does not start it");
    }

    #[test]
    fn processes_of_others_are_watched_when_they_are_named() {
        let own = std::process::id();
        let target = Target::parse(&format!("redis://host?server_pids={own}")).unwrap();
        let usage = Labs::default().usage("redis", &target).unwrap();
        assert!(
            usage.resident_bytes > 0 && usage.disk_bytes.is_none(),
            "{usage:?}"
        );
        let twice = Target::parse(&format!("redis://host?server_pids={own},{own}")).unwrap();
        assert_eq!(processes(&twice).unwrap().unwrap().len(), 1);
        let gone = Target::parse("redis://host?server_pids=1,x").unwrap();
        assert!(processes(&gone).unwrap().unwrap_err().contains("`x`"));
        assert_eq!(
            Labs::default().usage("redis", &Target::parse("redis://host").unwrap()),
            None
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (address, expected) in [
            ("lab:reddis", "did you mean `redis`"),
            ("lab:redis@3", "not offer redis 3"),
            ("lab", "no database"),
        ] {
            let error = read(&Target::parse(address).unwrap()).unwrap().err().unwrap();
            assert!(error.message.contains(expected), "{address}: {error}");
        }
    }
}
