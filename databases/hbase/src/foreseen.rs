//! The guarantees of a cluster, before it is contacted: its clients choose how far a write gets.

use dbdyno_driver::{AskedServers, Foreseen, Target, options};

use crate::info::INFO;
use crate::options::durability;

/// What the address asks for, of any cluster; one that the lab starts on HDFS syncs its log.
pub(crate) fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Foreseen {
    let is_on_hdfs = servers.is_some_and(|servers| servers.number("hdfs", 0) != Some(0));
    Foreseen {
        durability: match is_on_hdfs {
            true => options::durability(&INFO, target).ok(),
            false => durability(target).ok(),
        },
        consistency: options::foreseen_consistency(&INFO, target),
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::{Consistency, Durability};

    use super::*;

    #[test]
    fn the_log_is_synced_on_hdfs_only() {
        let of = |address: &str| foreseen(&Target::parse(address).unwrap(), None).durability;
        assert_eq!(of("hbase://h"), Some(Durability::Buffered));
        assert_eq!(of("hbase://h?durability=none"), Some(Durability::None));
        assert_eq!(of("hbase://h?durability=synced"), None);
        assert_eq!(
            of("hbase://h?durability=synced&storage=hdfs"),
            Some(Durability::Synced)
        );
        let servers = AskedServers {
            options: [("hdfs".to_owned(), "3".to_owned())].into(),
            ..AskedServers::default()
        };
        let target = Target::parse("hbase://h?durability=synced").unwrap();
        assert_eq!(
            foreseen(&target, Some(&servers)).durability,
            Some(Durability::Synced)
        );
        let target = Target::parse("hbase://h").unwrap();
        assert_eq!(foreseen(&target, None).consistency, Some(Consistency::Quorum));
    }
}
