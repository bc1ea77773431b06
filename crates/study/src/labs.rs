//! Systems of the lab: `lab:cassandra@5.0?nodes=3&consistency=one` is started when a trial first needs it, and stopped with
//! the study.
//!
//! The options that the recipe knows shape the servers; durability, consistency and the rest are the driver's. Systems
//! whose servers are the same share them.

use std::collections::BTreeMap;

use dbdyno_driver::{DriverInfo, Target, remote};
use dbdyno_engine::{Event, Observer, Stop};
use dbdyno_lab::{
    Keep, Lab, LabError, LabHome, ProcessId, Progress, Recipe, Trouble, Usage, Wish, usage_of_processes,
};

/// The scheme of the lab's systems.
pub const SCHEME: &str = "lab";

/// A system of the lab, as its address asks for it.
pub struct LabSystem {
    /// How it is started.
    pub recipe: &'static dyn Recipe,
    /// What is started.
    pub wish: Wish,
    /// Options for the driver.
    driver_options: BTreeMap<String, String>,
}

/// Reads the address of a system of the lab; `None` when it is none.
///
/// # Errors
/// When the lab has no such system, version or option value.
pub fn read(target: &Target) -> Option<Result<LabSystem, LabError>> {
    (target.scheme == SCHEME).then(|| {
        let mut wish = Wish::parse(&target.place)?;
        let recipe = dbdyno_registry::find_recipe(&wish.name).map_err(|error| {
            LabError::new(Trouble::Wish, error.to_string())
                .help("`dbdyno lab list` shows what the lab can start")
        })?;
        let known = recipe.info().options;
        let (of_servers, driver_options) = target
            .options
            .clone()
            .into_iter()
            .partition(|(name, _)| known.iter().any(|(known, _)| known == name));
        wish.options = of_servers;
        wish.check(&recipe.info())?;
        Ok(LabSystem {
            recipe,
            wish,
            driver_options,
        })
    })
}

/// The most nodes that one of these systems has on this machine; 0 without any of the lab.
pub(crate) fn most_nodes<'a>(targets: impl Iterator<Item = &'a Target>) -> usize {
    let nodes = |target: &Target| {
        let system = read(target)?.ok()?;
        let nodes = system
            .wish
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
        scheme: system.wish.name.clone(),
        place: "//lab".to_owned(),
        options: system.driver_options.clone(),
        ..target.clone()
    }
}

/// The running systems of a study or of a single run.
#[derive(Default)]
pub struct Labs {
    home: Option<LabHome>,
    running: BTreeMap<String, Lab>,
}

impl Labs {
    /// The system's real address: started now, if it does not run yet. Other systems' addresses are returned as they are.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn resolve(
        &mut self,
        target: &Target,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Target, LabError> {
        let Some(system) = read(target) else {
            return Ok(target.clone());
        };
        let system = system?;
        let name = system.wish.to_string();
        if !self.running.contains_key(&name) {
            if self.home.is_none() {
                self.home = Some(LabHome::of_user()?);
            }
            if let Some(home) = &self.home {
                let lab = dbdyno_lab::up(
                    system.recipe,
                    &system.wish,
                    home,
                    Keep::UntilDropped,
                    &mut Told(observer),
                    &|| stop.is_requested(),
                )?;
                self.running.insert(name.clone(), lab);
            }
        }
        let address = self.running.get(&name).map_or("", Lab::address);
        let real = Target::parse(address).map_err(|error| {
            LabError::new(Trouble::Server, format!("{name} has no sound address: {error}"))
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

    /// The processes of a system's servers; `None` when the lab does not run it and its address does not tell them.
    #[must_use]
    pub fn server_processes(&self, target: &Target) -> Option<Vec<u32>> {
        let processes: Vec<ProcessId> = match read(target) {
            Some(system) => {
                let lab = self.running.get(&system.ok()?.wish.to_string())?;
                lab.servers().iter().map(|server| server.process).collect()
            }
            None => processes(target)?.ok()?,
        };
        Some(processes.into_iter().map(|process| process.id).collect())
    }

    /// How many servers of the lab a system has, and where their data are; `None` when the lab does not run it.
    #[must_use]
    pub fn data_of(&self, target: &Target) -> Option<(usize, &std::path::Path)> {
        let lab = self.running.get(&read(target)?.ok()?.wish.to_string())?;
        Some((lab.servers().len(), lab.directory()))
    }

    /// What the servers of a system have cost so far; `None` when the lab does not run it and its address does not tell
    /// its processes.
    #[must_use]
    pub fn usage(&self, target: &Target) -> Option<Usage> {
        match read(target) {
            Some(system) => self.running.get(&system.ok()?.wish.to_string()).map(Lab::usage),
            None => Some(usage_of_processes(&processes(target)?.ok()?)),
        }
    }
}

/// The processes that an address says its servers are (`server_pids=812,813`); `None` when it does not say.
///
/// # Errors
/// When one of them does not run on this machine.
pub(crate) fn processes(target: &Target) -> Option<Result<Vec<ProcessId>, String>> {
    let list = target.options.get(remote::SERVER_PIDS)?;
    let process = |number: &str| {
        let found = number.trim().parse().ok().and_then(ProcessId::of);
        found.ok_or_else(|| format!("there is no process `{number}` on this machine"))
    };
    Some(list.split(',').map(process).collect())
}

struct Told<'a>(&'a mut dyn Observer);

impl Progress for Told<'_> {
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
        assert_eq!(system.wish.to_string(), "redis@7?nodes=3");
        assert_eq!(system.driver_options["timeout"], "2s");
        assert_eq!(for_checks(&target, &system).durability, target.durability);
        assert_eq!(driver_info(&target).unwrap().name, "redis");
        assert_eq!(most_nodes([&target].into_iter()), 3);
        assert_eq!(most_nodes([].into_iter()), 0);
        assert!(read(&Target::parse("redis://host").unwrap()).is_none());
    }

    #[test]
    fn processes_of_others_are_watched_when_they_are_named() {
        let own = std::process::id();
        let target = Target::parse(&format!("redis://host?server_pids={own}")).unwrap();
        let usage = Labs::default().usage(&target).unwrap();
        assert!(
            usage.resident_bytes > 0 && usage.disk_bytes.is_none(),
            "{usage:?}"
        );
        let gone = Target::parse("redis://host?server_pids=1,x").unwrap();
        assert!(processes(&gone).unwrap().unwrap_err().contains("`x`"));
        assert_eq!(
            Labs::default().usage(&Target::parse("redis://host").unwrap()),
            None
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (address, expected) in [
            ("lab:reddis", "did you mean `redis`"),
            ("lab:redis@3", "no redis 3"),
            ("lab", "no database"),
        ] {
            let error = read(&Target::parse(address).unwrap()).unwrap().err().unwrap();
            assert!(error.message.contains(expected), "{address}: {error}");
        }
    }
}
