//! What can be known about a system's address before anything is opened or connected.

use std::collections::BTreeSet;

use dbdyno_driver::{Target, TargetError, options, remote};
use dbdyno_vocabulary::suggest;

use crate::address;
use crate::file::mistaken::{self, HELP};
use crate::file::refusal::Refusal;

/// Parses an address and checks it with [`check`].
///
/// # Errors
/// With what mends it.
pub fn parse(address: &str) -> Result<Target, Refusal> {
    let target =
        Target::parse(address).map_err(|error: TargetError| Refusal::new(error.to_string(), HELP))?;
    check(&target)?;
    Ok(target)
}

/// Whether some driver answers to the scheme, knows the options and has the levels of durability and consistency asked
/// for.
///
/// # Errors
/// With what mends it.
pub fn check(target: &Target) -> Result<(), Refusal> {
    let Some(system) = address::read(target) else {
        return check_with(target, &[]);
    };
    let system = system.map_err(|error| Refusal::new(error.message, error.help))?;
    let of_lab: Vec<&str> = system
        .recipe
        .info()
        .all_options()
        .map(|option| option.name)
        .collect();
    check_with(&address::for_checks(target, &system), &of_lab)
}

/// As [`check`], for a driver whose servers understand further options.
fn check_with(target: &Target, of_lab: &[&str]) -> Result<(), Refusal> {
    let info = dbdyno_registry::find(&target.scheme).map_err(|error| {
        mistaken::host_alone(target)
            .unwrap_or_else(|| Refusal::new(error.to_string(), mistaken::help_for(&target.scheme)))
    })?;
    if let Some(refusal) = mistaken::server_alone(info, target) {
        return Err(refusal);
    }
    let of_servers: &[(&str, &str)] = if info.remote { &remote::OPTIONS } else { &[] };
    for option in target.options.keys() {
        let known = || info.options.iter().chain(of_servers).map(|(name, _)| *name);
        if !known().any(|name| options::covers(name, option)) {
            let of_lab = || of_lab.iter().copied();
            let near = suggest::after_message(option, of_lab().chain(known()));
            let of_replicas = (!info.capabilities.consistencies.is_empty()).then_some("consistency");
            let names: BTreeSet<&str> = of_lab()
                .chain(known())
                .chain(["durability"])
                .chain(of_replicas)
                .collect();
            let names: Vec<&str> = names.into_iter().collect();
            return Err(Refusal::new(
                format!("{} has no option `{option}`{near}", info.name),
                format!("the options of {} are {}", info.name, names.join(", ")),
            ));
        }
    }
    if let Some(Err(message)) = address::processes(target) {
        return Err(Refusal::new(
            format!("server_pids of {}: {message}", info.name),
            "list the process IDs of its servers, separated by commas, if they run on this machine; otherwise omit it",
        ));
    }
    let levels = info.capabilities.durabilities;
    if let Some(level) = target.durability
        && !levels.contains(&level)
    {
        let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
        return Err(Refusal::new(
            format!("{} cannot be `{level}`", info.name),
            format!("the durability levels of {} are {}", info.name, names.join(", ")),
        ));
    }
    let levels = info.capabilities.consistencies;
    if let Some(level) = target.consistency
        && !levels.contains(&level)
    {
        let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
        return Err(Refusal::new(
            format!("{} cannot be asked for consistency `{level}`", info.name),
            if names.is_empty() {
                format!("{} keeps one copy of its records; omit `consistency`", info.name)
            } else {
                format!("the consistency levels of {} are {}", info.name, names.join(", "))
            },
        ));
    }
    Ok(())
}
