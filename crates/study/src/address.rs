//! What a system's address asks for: `lab:cassandra@5.0?nodes=3&consistency=one` names servers that the lab starts, any other address
//! what is there.
//!
//! The options that the recipe knows shape the servers; durability, consistency and the rest are the driver's.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_driver::{DriverInfo, Target, remote, secrets};
use dbdyno_lab::{
    LabError, LabErrorKind, Recipe, RecipeInfo, SECURITY_OPTION, Security, ServerRequest, Topology,
    check_resources,
};
use dbdyno_machine::ProcessId;

/// The scheme of the lab's systems.
pub use dbdyno_trial::LAB_SCHEME as SCHEME;

/// A system of the lab, as its address asks for it.
pub struct LabSystem {
    /// How it is started.
    pub recipe: &'static dyn Recipe,
    /// The servers that are started.
    pub request: ServerRequest,
    /// Options for the driver.
    pub(crate) driver_options: BTreeMap<String, String>,
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
        let known = recipe.info();
        let (of_servers, driver_options) = target
            .options
            .clone()
            .into_iter()
            .partition(|(name, _)| known.all_options().any(|known| known.name == name));
        request.options = of_servers;
        request.check(&recipe.info())?;
        if request.option(SECURITY_OPTION.name).is_some() {
            Security::of(&request)?;
        }
        // An impossible topology has no memory that it takes, and ends here, before anything starts.
        dbdyno_lab::memory_bytes(recipe, &request)?;
        check_resources(recipe, &request)?;
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

/// The servers and copies that the lab starts for a system; `None` where it starts nothing.
///
/// # Errors
/// When the lab has no such system, version or option value.
#[must_use]
pub fn topology(target: &Target) -> Option<Result<Topology, LabError>> {
    let of = |system: LabSystem| system.recipe.topology(&system.request);
    read(target).map(|system| system.and_then(of))
}

/// The memory that the lab's servers of a system may take together, bytes; 0 where the lab starts none.
pub(crate) fn memory_bytes(target: &Target) -> u64 {
    let of = |system: LabSystem| dbdyno_lab::memory_bytes(system.recipe, &system.request).ok();
    read(target).and_then(Result::ok).and_then(of).unwrap_or(0)
}

/// The most nodes that one of these systems has on this machine; 0 without any of the lab.
pub(crate) fn most_nodes<'a>(targets: impl Iterator<Item = &'a Target>) -> usize {
    let nodes = |target: &Target| {
        let system = read(target)?.ok()?;
        let servers = system.recipe.servers(&system.request).ok()?;
        usize::try_from(servers).ok()
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
        let with_replicas = Target::parse("lab:redis?replicas=3").unwrap();
        assert_eq!(most_nodes([&target, &with_replicas].into_iter()), 4);
        assert_eq!(most_nodes([].into_iter()), 0);
        let shards = Target::parse("lab:mongodb?partition=client&shards=4").unwrap();
        assert_eq!(most_nodes([&shards].into_iter()), 4);
        assert!(read(&Target::parse("redis://host").unwrap()).is_none());
    }

    #[test]
    fn copies_follow_from_the_options_of_each_product() {
        let of = |address: &str| {
            let found = topology(&Target::parse(address).unwrap()).unwrap().unwrap();
            (found.nodes, found.copies)
        };
        assert_eq!(of("lab:cassandra"), (1, 1));
        assert_eq!(
            of("lab:cassandra?nodes=4"),
            (4, 3),
            "three copies are its default"
        );
        assert_eq!(of("lab:cassandra?nodes=4&replication=1"), (4, 1));
        assert_eq!(
            of("lab:mongodb?nodes=3"),
            (3, 3),
            "members of a replica set keep everything"
        );
        assert_eq!(of("lab:postgres?nodes=2"), (2, 2));
        assert_eq!(of("lab:redis?nodes=3"), (3, 1), "masters divide the keys");
        assert!(topology(&Target::parse("redis://host").unwrap()).is_none());
    }

    #[test]
    fn options_of_java_are_those_of_the_labs_servers() {
        let redis = Target::parse("redis://host").unwrap();
        assert_eq!(java_options(&redis), None, "the lab does not start it");
    }

    #[test]
    fn processes_that_are_named_run() {
        let own = std::process::id();
        let twice = Target::parse(&format!("redis://host?server_pids={own},{own}")).unwrap();
        assert_eq!(processes(&twice).unwrap().unwrap().len(), 1);
        let gone = Target::parse("redis://host?server_pids=1,x").unwrap();
        assert!(processes(&gone).unwrap().unwrap_err().contains("`x`"));
    }

    #[test]
    fn topologies_that_cannot_be_end_here_with_the_option_that_mends_them() {
        for (address, message, help) in [
            ("lab:redis?replicas=5", "replicas=5", "from 0 to 4"),
            (
                "lab:redis?nodes=3&replicas=1",
                "needs one master",
                "leave out nodes",
            ),
            ("lab:redis?nodes=2", "at least three masters", "replicas=1"),
            ("lab:postgres?nodes=2&synchronous=2", "synchronous=2", "nodes=3"),
            ("lab:postgres?synchronous=1", "there are 0", "nodes=2"),
            ("lab:cassandra?nodes=2&replication=3", "replication=3", "nodes=3"),
            ("lab:cassandra?replication=2", "there is 1", "nodes=2"),
        ] {
            let error = read(&Target::parse(address).unwrap()).unwrap().err().unwrap();
            assert!(error.message.contains(message), "{address}: {error}");
            assert!(error.help.contains(help), "{address}: {}", error.help);
        }
        for possible in [
            "lab:cassandra?nodes=4&replication=1",
            "lab:postgres?nodes=4&synchronous=3",
        ] {
            assert!(
                read(&Target::parse(possible).unwrap()).unwrap().is_ok(),
                "{possible}"
            );
        }
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
