//! Facts that the live server states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{DbError, SystemFacts};
use redis::{Value, cmd};

use crate::guarantee::Guarantee;
use crate::inquiry::{ask, information, setting};
use crate::link::Link;
use crate::product::product;
use crate::section::{is_replica, replicas};
use crate::wait::Copies;

/// Settings that a comparison must know.
const SETTINGS: [&str; 6] = [
    "appendonly",
    "appendfsync",
    "save",
    "maxmemory",
    "maxmemory-policy",
    "io-threads",
];
/// Further ones of a server with replicas.
const OF_REPLICAS: [&str; 2] = ["min-replicas-to-write", "min-replicas-max-lag"];

/// Everything, read back.
pub(crate) async fn read(
    link: &mut Link,
    hosts: &str,
    guarantee: &Guarantee,
) -> Result<SystemFacts, DbError> {
    // The servers of a cluster are of one version.
    let servers = information(link, "server", hosts).await?;
    let (product, version) = product(|key| servers.first()?.get(key).cloned());
    let replication = information(link, "replication", hosts).await?;
    let replicas = replicas(&replication);
    let of_replicas = match replicas {
        0 => String::new(),
        1 => ", 1 replica".to_owned(),
        replicas => format!(", {replicas} replicas"),
    };
    let (topology, masters) = match link {
        Link::Cluster(_) => {
            let text = match ask(link, cmd("CLUSTER").arg("INFO"), hosts).await? {
                Value::BulkString(text) => String::from_utf8_lossy(&text).into_owned(),
                Value::VerbatimString { text, .. } => text,
                _ => String::new(),
            };
            let size = text.lines().find_map(|line| line.strip_prefix("cluster_size:"));
            let size = size.unwrap_or("?").trim();
            (
                format!("cluster of {size} masters{of_replicas}"),
                size.parse::<u32>().ok(),
            )
        }
        // A replica does not know of the others.
        Link::Plain(_) | Link::Encrypted(_) if replication.iter().any(is_replica) => {
            ("replica of a master".to_owned(), None)
        }
        Link::Plain(_) | Link::Encrypted(_) if replicas == 0 => ("1 server".to_owned(), Some(1)),
        Link::Plain(_) | Link::Encrypted(_) => (format!("1 master{of_replicas}"), Some(1)),
    };
    let mut settings = BTreeMap::new();
    let further = if replicas > 0 { OF_REPLICAS.as_slice() } else { &[] };
    for name in SETTINGS.iter().chain(further) {
        let value = setting(link, name, hosts).await?;
        let value = if value.is_empty() {
            "(none)".to_owned()
        } else {
            value
        };
        settings.insert((*name).to_owned(), value);
    }
    let nodes = masters.and_then(|masters| masters.checked_add(replicas));
    Ok(SystemFacts {
        product: product.to_owned(),
        version,
        topology,
        nodes,
        // Masters may have different numbers of replicas.
        replicas: nodes
            .zip(masters)
            .and_then(|(nodes, masters)| nodes.is_multiple_of(masters).then_some(nodes / masters.max(1))),
        durability: guarantee.durability,
        durability_means: durability_means(guarantee, &settings),
        consistency: guarantee.consistency,
        consistency_means: consistency_means(guarantee),
        settings,
    })
}

/// How the level of durability comes about.
fn durability_means(guarantee: &Guarantee, settings: &BTreeMap<String, String>) -> String {
    let log = format!(
        "appendonly {}, appendfsync {}",
        settings["appendonly"], settings["appendfsync"]
    );
    match guarantee.awaited {
        None => log,
        Some(Copies::Received(_)) => format!("{log}; the weakest of the {} copies", guarantee.copies),
        Some(Copies::Synced(0)) => format!("{log}, WAITAOF: each write waits for the sync"),
        Some(Copies::Synced(_)) => format!(
            "{log}, WAITAOF: each write waits for the sync of {} copies",
            guarantee.acknowledging()
        ),
    }
}

/// How the level of consistency comes about; empty without one.
fn consistency_means(guarantee: &Guarantee) -> String {
    let command = match guarantee.awaited {
        _ if guarantee.consistency.is_none() || guarantee.copies == 1 => return String::new(),
        None | Some(Copies::Synced(0)) => {
            return "reads and writes go to the master, which answers before any replica has a write (asynchronous replication)"
                .to_owned();
        }
        Some(Copies::Received(_)) => "WAIT",
        Some(Copies::Synced(_)) => "WAITAOF",
    };
    format!(
        "{} of {} copies acknowledge a write ({command}); reads are the master's",
        guarantee.acknowledging(),
        guarantee.copies
    )
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::{Consistency, Durability};

    use super::*;

    fn means(consistency: Option<Consistency>, copies: u32, awaited: Option<Copies>) -> String {
        consistency_means(&Guarantee {
            durability: Durability::None,
            consistency,
            copies,
            awaited,
        })
    }

    #[test]
    fn the_record_says_who_acknowledges() {
        assert_eq!(means(None, 1, None), "");
        assert_eq!(means(Some(Consistency::All), 1, None), "");
        let asynchronous = means(Some(Consistency::One), 3, None);
        assert!(asynchronous.contains("asynchronous"), "{asynchronous}");
        assert_eq!(
            means(Some(Consistency::Quorum), 3, Some(Copies::Received(1))),
            "2 of 3 copies acknowledge a write (WAIT); reads are the master's"
        );
    }
}
