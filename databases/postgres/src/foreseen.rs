//! The guarantees of a server, before it runs.

use dbdyno_driver::{AskedServers, Durability, Foreseen, Target};

use crate::guarantee::{Server, guarantee};

/// Those of the lab's servers, by the rule of those that run. The settings of a server that the lab did not start are unknown until it is asked.
pub(crate) fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Foreseen {
    let Some(servers) = servers else {
        return Foreseen::of_address(target);
    };
    let given = as_started(servers).and_then(|server| guarantee(&server, target, "the lab").ok());
    given.map_or_else(Foreseen::default, |given| Foreseen {
        durability: Some(given.durability),
        consistency: Some(given.consistency),
    })
}

/// The settings with which the lab starts them; `None` where the address asks for no number of servers.
fn as_started(servers: &AskedServers) -> Option<Server> {
    let awaited = servers.number("synchronous", 0)?;
    Some(Server {
        fsync: servers.durability == Some(Durability::Synced),
        synchronous_commit: "on".to_owned(),
        standby_names: match awaited {
            0 => String::new(),
            awaited => format!("ANY {awaited} (*)"),
        },
        replicas: servers.number("nodes", 1)?.checked_sub(1)?,
        named: None,
    })
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::Consistency;

    use super::*;

    fn of(options: &[(&str, &str)], address: &str) -> Foreseen {
        let owned = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let servers = AskedServers {
            durability: Some(Durability::Synced),
            options: owned.collect(),
        };
        foreseen(&Target::parse(address).unwrap(), Some(&servers))
    }

    #[test]
    fn the_lab_s_servers_follow_the_rule_of_those_that_run() {
        let both = |durability, consistency| Foreseen {
            durability: Some(durability),
            consistency: Some(consistency),
        };
        let synced = |consistency| both(Durability::Synced, consistency);
        assert_eq!(of(&[], "postgres://h"), synced(Consistency::Quorum));
        let none = of(&[], "postgres://h?durability=none");
        assert_eq!(none, both(Durability::None, Consistency::Quorum));
        assert_eq!(of(&[("nodes", "3")], "postgres://h"), synced(Consistency::One));
        let waits = [("nodes", "3"), ("synchronous", "1")];
        assert_eq!(of(&waits, "postgres://h"), synced(Consistency::Quorum));
        // The replicas write their logs, and need not sync them.
        let written = of(&waits, "postgres://h?durability=buffered");
        assert_eq!(written, both(Durability::Buffered, Consistency::Quorum));
        let refused = of(&[("nodes", "3")], "postgres://h?consistency=all");
        assert_eq!(refused, Foreseen::default());
    }

    #[test]
    fn nothing_is_known_of_a_server_that_the_lab_did_not_start() {
        let target = Target::parse("postgres://h").unwrap();
        assert_eq!(foreseen(&target, None), Foreseen::default());
    }
}
