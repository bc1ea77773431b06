//! The guarantees of a server of the lab, before it runs.

use dbdyno_driver::{AskedServers, Consistency, Foreseen, Target};

use crate::facts::consistency;

/// A client chooses nothing. Of servers that somebody else started, only they know how many replicas there are; those of the lab
/// are masters.
pub(crate) fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Foreseen {
    let given = Foreseen::of_address(target);
    let Some(servers) = servers else { return given };
    Foreseen {
        durability: given.durability.or(servers.durability),
        consistency: Some(consistency(0).0.unwrap_or(Consistency::OF_ONE_COPY)),
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
}
