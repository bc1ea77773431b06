//! A system, as it described itself.

use std::collections::BTreeMap;

use dbdyno_trial::{Consistency, Durability, ScanOrder};
use serde::{Deserialize, Serialize};

use crate::{AtRest, Fact, ProtectionRecord, ServerResources};

/// A system as asked for, and as it describes itself. By default it has not described itself yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemRecord {
    /// Name in tables, unique in the study.
    pub name: String,
    /// Name of the driver, e.g. `redb`.
    pub driver: String,
    /// The address, secrets redacted.
    pub address: String,
    /// Product as read back; empty when it was never reached (as the next fields).
    pub product: String,
    /// Version as read back.
    pub version: String,
    /// Topology as read back.
    pub topology: String,
    /// Nodes that keep the data: 0 for a store inside the process, `None` where the system does not say. Records of earlier
    /// versions have the text alone: [`SystemRecord::node_count`] reads both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// Copies of each record; `None` where the system does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// Durability in force.
    pub durability: Fact<Durability>,
    /// How the system provides it.
    pub durability_means: String,
    /// Consistency in force; absent where there is one copy and no choice.
    #[serde(default, skip_serializing_if = "Fact::is_absent")]
    pub consistency: Fact<Consistency>,
    /// How the system provides it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub consistency_means: String,
    /// Encryption of the servers' files that the lab set up, or its unencrypted reference; absent where there is neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_rest: Option<AtRest>,
    /// CPUs, memory and disks that the lab gave its servers, as read back; absent where there was one server without limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ServerResources>,
    /// Order of scans.
    pub scan_order: Fact<ScanOrder>,
    /// What protected its servers, as observed; absent where nobody looked: in systems that the lab did not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protection: Option<ProtectionRecord>,
    /// Other settings that matter.
    pub settings: BTreeMap<String, String>,
}

impl SystemRecord {
    /// Nodes that keep the data, in records of every version: 0 for a store inside the process.
    #[must_use]
    pub fn node_count(&self) -> Option<u32> {
        self.nodes.or_else(|| nodes_of(&self.topology))
    }
}

/// The nodes of a topology as earlier versions wrote it: in words alone.
fn nodes_of(topology: &str) -> Option<u32> {
    if topology == "embedded" {
        return Some(0);
    }
    let mut total = 0;
    for part in topology.split(", ") {
        let words: Vec<&str> = part.split(' ').collect();
        let last = words.last().copied().unwrap_or_default();
        total += match words.as_slice() {
            ["primary"] => 1,
            [count, noun] if ["node", "nodes", "server", "servers", "replica", "replicas"].contains(noun) => {
                count.parse().ok()?
            }
            [count, "region", "server" | "servers"] => count.parse().ok()?,
            ["cluster", "of", count, "masters"] => count.parse().ok()?,
            ["replica", "set", .., "of", _] => last.parse().ok()?,
            ["rf", _] => 0,
            _ => return None,
        };
    }
    (total > 0).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_the_topologies_of_earlier_versions() {
        for (topology, expected) in [
            ("embedded", Some(0)),
            ("3 nodes, rf 3", Some(3)),
            ("1 node", Some(1)),
            ("replica set rs0 of 3", Some(3)),
            ("1 server", Some(1)),
            ("primary, 2 replicas", Some(3)),
            ("1 server, 2 replicas", Some(3)),
            ("cluster of 3 masters", Some(3)),
            ("2 region servers", Some(2)),
            ("sharded cluster", None),
            ("replica of a primary", None),
            ("not known: a binding of YCSB does not say", None),
            ("cluster of ? masters", None),
            ("", None),
        ] {
            assert_eq!(nodes_of(topology), expected, "{topology}");
        }
    }
}
