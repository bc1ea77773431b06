//! What a cluster will say of its guarantees, before it is asked.

use dbdyno_driver::{AskedServers, Foreseen, Target, options};

use crate::info::INFO;

/// Clients choose the consistency, of any cluster; its nodes choose when they sync their logs.
pub(crate) fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Foreseen {
    let of_servers = servers.and_then(|servers| servers.durability);
    Foreseen {
        durability: target.durability.or(of_servers),
        consistency: options::foreseen_consistency(&INFO, target),
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::{Consistency, Durability};

    use super::*;

    #[test]
    fn the_address_chooses_the_consistency() {
        let of = |address: &str| foreseen(&Target::parse(address).unwrap(), None).consistency;
        assert_eq!(of("cassandra://h"), Some(Consistency::Quorum));
        assert_eq!(of("cassandra://h?consistency=one"), Some(Consistency::One));
    }

    #[test]
    fn the_nodes_choose_the_durability() {
        let target = Target::parse("cassandra://h").unwrap();
        assert_eq!(foreseen(&target, None).durability, None);
        let servers = AskedServers {
            durability: Some(Durability::None),
            ..AskedServers::default()
        };
        let given = foreseen(&target, Some(&servers));
        assert_eq!(given.durability, Some(Durability::None));
    }
}
