//! Addresses that name no database, or a database without its server, and the ones that may be meant.

use std::net::IpAddr;
use std::path::Path;

use dbdyno_driver::{DriverInfo, Target};
use dbdyno_vocabulary::shell;

use crate::file::refusal::Refusal;

/// Help for a word that names no system.
pub(super) const HELP: &str = "a system is a database with an optional path or host and options: `redb`, \
                               `fjall:/data/bench`, `sqlite?durability=synced`; `dbdyno databases` lists them";

/// The host of a server without its database; `None` where the address is no host.
pub(super) fn host_alone(target: &Target) -> Option<Refusal> {
    let host = &target.scheme;
    let place = &target.place;
    let port = place.split('/').next().and_then(|port| port.parse::<u16>().ok());
    let is_host = host == "localhost" || host.parse::<IpAddr>().is_ok();
    if port.is_none() && !(is_host && place.is_empty()) {
        return None;
    }
    let servers = || {
        dbdyno_registry::databases()
            .into_iter()
            .filter(|info| info.remote)
    };
    let usual = servers().find(|info| port.is_some() && info.default_port == port);
    // `reddis:7000` may be a misspelt database.
    if usual.is_none() && !is_host && !host.contains('.') {
        return None;
    }
    let rest = if place.is_empty() {
        String::new()
    } else {
        format!(":{place}")
    };
    let with_database = |info: &DriverInfo| format!("`{}://{host}{rest}`", info.name);
    let help = match usual {
        Some(info) => format!(
            "write the database before the host: {}, if {} listens there",
            with_database(info),
            product(info)
        ),
        None => {
            let all: Vec<String> = servers().map(with_database).collect();
            format!("write the database before the host, as one of {}", all.join(", "))
        }
    };
    Some(Refusal::new(
        format!("`{host}{rest}` names a host and no database"),
        help,
    ))
}

/// A server without its host; `None` where the address has one.
pub(super) fn server_alone(info: &DriverInfo, target: &Target) -> Option<Refusal> {
    if !info.remote || target.place.starts_with("//") {
        return None;
    }
    // The place may be a login: it is not repeated.
    let started = dbdyno_registry::find_recipe(info.name).map_or_else(
        |_| String::new(),
        |_| format!("`lab:{}` starts one for this run; ", info.name),
    );
    Some(Refusal::new(
        format!("{} is a server, and its address is missing", product(info)),
        format!("{started}`{}` is one that runs already", info.example),
    ))
}

/// The name of a database for people.
fn product(info: &DriverInfo) -> &'static str {
    dbdyno_registry::find_recipe(info.name).map_or(info.name, |recipe| recipe.info().product)
}

/// Help for a word that is no database: the thing that may be meant by it.
pub(super) fn help_for(scheme: &str) -> String {
    let is_study = Path::new(scheme)
        .extension()
        .is_some_and(|extension| extension == "toml");
    if is_study {
        format!("to run a study file: `dbdyno study run {}`", shell::word(scheme))
    } else {
        HELP.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets;

    fn refused(address: &str) -> Refusal {
        targets::parse(address).unwrap_err()
    }

    #[test]
    fn a_port_leads_to_the_database_that_usually_listens_there() {
        for (address, expected) in [
            ("127.0.0.1:6379", "`redis://127.0.0.1:6379`, if Redis listens"),
            ("127.0.0.1:6379/1", "`redis://127.0.0.1:6379/1`"),
            ("localhost:5432", "`postgres://localhost:5432`"),
            ("db.example.com:27017", "`mongodb://db.example.com:27017`"),
            ("localhost:7", "`cassandra://localhost:7`, "),
            ("localhost", "`redis://localhost`"),
        ] {
            let refusal = refused(address);
            assert!(refusal.help.contains(expected), "{address}: {}", refusal.help);
            assert!(refusal.message.contains("no database"), "{}", refusal.message);
        }
        for address in ["rdb", "my.toml", "rdb:data.rdb", "reddis:7000"] {
            assert!(refused(address).message.contains("unknown database"), "{address}");
        }
    }

    #[test]
    fn a_server_without_an_address_offers_the_lab_and_an_address() {
        for address in ["redis", "redis:/me:hunter2@127.0.0.1", "redis:6379"] {
            let refusal = refused(address);
            let expected =
                "`lab:redis` starts one for this run; `redis://HOST:6379` is one that runs already";
            assert_eq!(refusal.help, expected);
            assert!(!refusal.message.contains("hunter2"));
        }
        assert!(targets::parse("redis://h").is_ok() && targets::parse("lab:redis").is_ok());
    }
}
