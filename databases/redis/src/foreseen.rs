//! The guarantees of a server of the lab, before it runs.

use dbdyno_driver::{AskedServers, Consistency, Foreseen, Target};

/// Only a running server knows how many replicas it has, unless the lab started it. A master of the lab has those that its address
/// asks for, with its own log; a write waits for them where a client asks for it.
pub(crate) fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Foreseen {
    let given = Foreseen::of_address(target);
    let Some(servers) = servers else { return given };
    Foreseen {
        durability: given.durability.or(servers.durability),
        consistency: match servers.number("replicas", 0) {
            Some(0) => given.consistency.or(Some(Consistency::OF_ONE_COPY)),
            Some(_) => given.consistency.or(Some(Consistency::One)),
            None => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::Durability;

    use super::*;

    #[test]
    fn the_servers_decide() {
        let target = Target::parse("redis://h").unwrap();
        assert_eq!(foreseen(&target, None), Foreseen::default());
        let servers = AskedServers {
            durability: Some(Durability::Synced),
            ..AskedServers::default()
        };
        let expected = Foreseen {
            durability: Some(Durability::Synced),
            consistency: Some(Consistency::Quorum),
        };
        assert_eq!(foreseen(&target, Some(&servers)), expected);
    }

    #[test]
    fn replicas_are_waited_for_where_a_client_asks_for_it() {
        let servers = AskedServers {
            options: [("replicas".to_owned(), "2".to_owned())].into(),
            ..AskedServers::default()
        };
        for (address, expected) in [
            ("redis://h", Consistency::One),
            ("redis://h?consistency=quorum", Consistency::Quorum),
            ("redis://h?consistency=all", Consistency::All),
        ] {
            let target = Target::parse(address).unwrap();
            let given = foreseen(&target, Some(&servers));
            assert_eq!(given.consistency, Some(expected), "{address}");
        }
    }
}
