//! Systems that were joined with commas, as lists are elsewhere: on a command line, blanks separate them.

use dbdyno_driver::Target;
use dbdyno_registry::DatabaseError;
use dbdyno_study::{address, targets};
use dbdyno_vocabulary::shell;

/// What mends an address that was refused because it is several, joined with commas; `None` where it is not. `command` is one that
/// takes several systems.
pub fn help(address: &str, command: &str) -> Option<String> {
    let parts = address.split(',').map(str::trim).filter(|part| !part.is_empty());
    // Addresses of servers may list several hosts, and those may be named like databases.
    let has_hosts = address.contains("//");
    let systems: Vec<Target> = parts.map(|part| system(part, has_hosts)).collect::<Option<_>>()?;
    if systems.len() < 2 {
        return None;
    }
    let words: Vec<String> = systems
        .iter()
        .map(|system| shell::word(&system.to_string()).into_owned())
        .collect();
    Some(format!(
        "to name several systems, separate them with blanks: `dbdyno {command} {}`",
        words.join(" ")
    ))
}

/// The system of this address, if there is such a database, or, unless hosts may stand there, one of nearly this name.
fn system(address: &str, has_hosts: bool) -> Option<Target> {
    // The rest of a login whose password has a comma, and no address.
    if has_hosts && address.contains('@') && !address.contains("//") {
        return None;
    }
    let target = Target::parse(address).ok()?;
    let is_known = target.scheme == address::SCHEME
        || match dbdyno_registry::find(&target.scheme) {
            Ok(_) | Err(DatabaseError::LeftOut { .. }) => true,
            Err(DatabaseError::Unknown { nearest, .. }) => !has_hosts && nearest.is_some(),
        };
    // What follows an option may belong to its value: of a misspelt one, nobody knows whether that is a secret.
    let has_known_options = target.options.is_empty() || targets::check(&target).is_ok();
    (is_known && has_known_options).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_systems_are_separated() {
        for (address, expected) in [
            ("redb,fjall", "redb fjall"),
            ("redb, fjall,", "redb fjall"),
            ("redb,fjal,memory", "redb fjal memory"),
            ("lab:redis@7,lab:postgres", "lab:redis@7 lab:postgres"),
            (
                "redb?durability=synced,fjall:/data/b",
                "'redb?durability=synced' fjall:/data/b",
            ),
            (
                "sqlite,postgres://me:hunter2@db/x",
                "sqlite 'postgres://me:***@db/x'",
            ),
        ] {
            let help = help(address, "run").unwrap_or_else(|| panic!("{address}"));
            assert!(
                help.ends_with(&format!("blanks: `dbdyno run {expected}`")),
                "{help}"
            );
        }
    }

    #[test]
    fn other_commas_mean_something_else() {
        for address in [
            "redb",
            "redb,",
            "rdb",
            "redb,zzzzzzzz",
            "redis://one:6379,two:6379?cash=1",
            "redis://redis1,redis2?cash=1",
            "redis://h?server_pids=12,13&cash=1",
            "redis://me:hun,redis:ter2@h?cash=1",
            "lab:redis?pasword=hun,redb",
        ] {
            assert_eq!(help(address, "run"), None, "{address}");
        }
    }
}
