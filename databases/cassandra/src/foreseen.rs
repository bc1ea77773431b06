//! What a cluster will say of its guarantees, before it is asked.

use dbdyno_driver::{AskedServers, Foreseen, ScanOrder, Target, options};

use crate::info::INFO;

/// Clients choose the consistency, of any cluster; its nodes choose when they sync their logs.
pub(crate) fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Foreseen {
    let of_servers = servers.and_then(|servers| servers.durability);
    Foreseen {
        durability: target.durability.or(of_servers),
        consistency: options::foreseen_consistency(&INFO, target),
    }
}

/// Nodes that share keys in the order of their bytes scan in that order.
pub(crate) fn scan_order(servers: Option<&AskedServers>) -> ScanOrder {
    match servers.and_then(|servers| servers.options.get("partitioner")) {
        Some(name) if name == "byte-ordered" => ScanOrder::Key,
        _ => INFO.capabilities.scan,
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
    fn the_partitioner_chooses_the_order_of_scans() {
        let of = |name: &str| AskedServers {
            options: [("partitioner".to_owned(), name.to_owned())].into(),
            ..AskedServers::default()
        };
        assert_eq!(scan_order(Some(&of("byte-ordered"))), ScanOrder::Key);
        assert_eq!(scan_order(Some(&of("random"))), ScanOrder::Other);
        assert_eq!(scan_order(None), ScanOrder::Other);
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
