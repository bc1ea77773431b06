//! A section of what a server answers to `INFO`.

use std::collections::BTreeMap;

use redis::Value;

/// A section of `INFO`, by key.
pub(crate) type Section = BTreeMap<String, String>;

/// `key:value`, a line each, after a heading.
pub(crate) fn by_key(text: Value) -> Option<Section> {
    let Value::BulkString(text) = text else {
        return None;
    };
    let lines = String::from_utf8_lossy(&text);
    let pairs = lines.lines().filter_map(|line| line.split_once(':'));
    Some(
        pairs
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    )
}

/// Replicas that the servers feed, all together.
pub(crate) fn replicas(servers: &[Section]) -> u32 {
    let counts = servers.iter().filter_map(|server| server.get("connected_slaves"));
    let counts = counts.filter_map(|count| count.trim().parse::<u32>().ok());
    counts.fold(0, u32::saturating_add)
}

/// Whether a server follows another one.
pub(crate) fn is_replica(server: &Section) -> bool {
    server.get("role").is_some_and(|role| role.trim() == "slave")
}

/// Whether a server is a replica of this master: it then has the identity of the master's stream of writes.
pub(crate) fn follows(replication: &[Section], master: &Section) -> bool {
    let [server] = replication else { return false };
    let identity = |server: &Section| server.get("master_replid").cloned();
    is_replica(server) && identity(server).is_some() && identity(server) == identity(master)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
mod tests {
    use super::*;

    fn section(text: &str) -> Section {
        by_key(Value::BulkString(text.as_bytes().to_vec())).unwrap()
    }

    #[test]
    fn of_a_cluster_any_master_may_be_the_one_that_has_replicas() {
        let alone = section("# Replication\r\nrole:master\r\nconnected_slaves:0\r\n");
        let master = section("role:master\r\nconnected_slaves:2\r\n");
        assert_eq!(replicas(&[alone.clone(), alone.clone()]), 0);
        assert_eq!(replicas(&[alone, master]), 2);
    }

    #[test]
    fn a_replica_follows_one_master() {
        let master = section("role:master\r\nconnected_slaves:1\r\nmaster_replid:ab\r\n");
        for (text, expected) in [
            ("role:slave\r\nmaster_replid:ab\r\n", true),
            ("role:slave\r\nmaster_replid:cd\r\n", false),
            ("role:slave\r\n", false),
            ("role:master\r\nmaster_replid:ab\r\n", false),
        ] {
            assert_eq!(follows(&[section(text)], &master), expected, "{text}");
        }
    }
}
