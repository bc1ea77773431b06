//! What can be known about a system's address before anything is opened or connected.

use dbdyno_driver::{Target, TargetError};

use crate::refusal::Refusal;
use crate::suggest::did_you_mean;

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

/// Whether some driver answers to the scheme, knows the options and has the durability asked for.
///
/// # Errors
/// With what mends it.
pub fn check(target: &Target) -> Result<(), Refusal> {
    let info =
        dbdyno_registry::find(&target.scheme).map_err(|error| Refusal::new(error.to_string(), HELP))?;
    for option in target.options.keys() {
        let known = || info.options.iter().map(|(name, _)| *name);
        if !known().any(|name| name == option) {
            let near = did_you_mean(option, known());
            let names: Vec<&str> = known().chain(["durability"]).collect();
            return Err(Refusal::new(
                format!("{} has no option `{option}`{near}", info.name),
                format!("the options of {} are {}", info.name, names.join(", ")),
            ));
        }
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
    Ok(())
}

const HELP: &str = "a system is a database and, when needed, a place and options: `redb`, `fjall:/data/bench`, \
                    `sqlite?durability=synced`; `dbdyno databases` lists them";
