//! Facts that the live cluster states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{DbError, Durability, SystemFacts};
use dbdyno_vocabulary::words::plural;
use scylla::client::session::Session;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::statement::Statement;

use crate::error::{of_execution, unexpected};
use crate::link::{Connector, Wires};

/// Settings that are read back, where the version has them.
const SETTINGS: [&str; 14] = [
    "commitlog_sync",
    "commitlog_sync_period",
    "commitlog_sync_group_window",
    "concurrent_reads",
    "concurrent_writes",
    "key_cache_size",
    "row_cache_size",
    "file_cache_size",
    "memtable_heap_space",
    "memtable_offheap_space",
    "memtable_allocation_type",
    "num_tokens",
    "partitioner",
    "authenticator",
];

/// A setting's value on each node, in the order of nodes. `system_views` covers only the node that is asked.
async fn settings(session: &Session, hosts: &str) -> Result<Vec<BTreeMap<String, String>>, DbError> {
    let mut all = Vec::new();
    for node in session.get_cluster_state().get_nodes_info() {
        if !node.is_connected() {
            continue;
        }
        let mut statement = Statement::new("SELECT name, value FROM system_views.settings");
        statement.set_consistency(scylla::statement::Consistency::One);
        statement.set_load_balancing_policy(Some(SingleTargetLoadBalancingPolicy::new(
            NodeIdentifier::Node(std::sync::Arc::clone(node)),
            None,
        )));
        let answer = session
            .query_unpaged(statement, ())
            .await
            .map_err(|error| of_execution(error, hosts))?
            .into_rows_result()
            .map_err(|error| unexpected(error, hosts))?;
        let mut settings = BTreeMap::new();
        for row in answer
            .rows::<(String, Option<String>)>()
            .map_err(|error| unexpected(error, hosts))?
        {
            let (name, value) = row.map_err(|error| unexpected(error, hosts))?;
            if SETTINGS.contains(&name.as_str()) {
                settings.insert(name, value.unwrap_or_default());
            }
        }
        all.push(settings);
    }
    Ok(all)
}

/// The level that the nodes' `commitlog_sync` gives: the weakest of them. Writes to a keyspace without `durable_writes`
/// are in no commit log.
///
/// `batch` and `group` sync before they acknowledge. `periodic` does not, and not even a crash of the process alone is
/// survived in full: a segment of the log is replayed up to its last marker, and markers are written every 100 ms
/// (CASSANDRA-13987).
fn level(nodes: &[BTreeMap<String, String>], durable_writes: bool) -> Durability {
    let synced = |node: &BTreeMap<String, String>| {
        node.get("commitlog_sync")
            .is_some_and(|sync| sync == "batch" || sync == "group")
    };
    if durable_writes && !nodes.is_empty() && nodes.iter().all(synced) {
        Durability::Synced
    } else {
        Durability::None
    }
}

/// The durability in force.
pub(crate) async fn durability(
    session: &Session,
    keyspace: &str,
    hosts: &str,
) -> Result<Durability, DbError> {
    let keyspace = in_force(session, keyspace, hosts).await?;
    Ok(level(
        &settings(session, hosts).await?,
        durable_writes(keyspace.as_ref()),
    ))
}

/// Without the keyspace: as it will be made.
fn durable_writes(keyspace: Option<&Keyspace>) -> bool {
    keyspace.is_none_or(|keyspace| keyspace.durable_writes)
}

/// The setting that gives a level.
pub(crate) fn how_to_set(level: Durability) -> &'static str {
    match level {
        Durability::Synced => {
            "set `commitlog_sync: batch` (or group) in every node's cassandra.yaml and restart it; the keyspace needs \
             `durable_writes = true`"
        }
        _ => "set `commitlog_sync: periodic` in every node's cassandra.yaml and restart it",
    }
}

async fn one_text(session: &Session, query: &str, hosts: &str) -> Result<Option<String>, DbError> {
    let answer = session
        .query_unpaged(query, ())
        .await
        .map_err(|error| of_execution(error, hosts))?
        .into_rows_result()
        .map_err(|error| unexpected(error, hosts))?;
    let row = answer
        .maybe_first_row::<(Option<String>,)>()
        .map_err(|error| unexpected(error, hosts))?;
    Ok(row.and_then(|(text,)| text))
}

/// A keyspace, as the server describes it.
struct Keyspace {
    replication: BTreeMap<String, String>,
    durable_writes: bool,
}

async fn in_force(session: &Session, keyspace: &str, hosts: &str) -> Result<Option<Keyspace>, DbError> {
    let answer = session
        .query_unpaged(
            "SELECT replication, durable_writes FROM system_schema.keyspaces WHERE keyspace_name = ?",
            (keyspace,),
        )
        .await
        .map_err(|error| of_execution(error, hosts))?
        .into_rows_result()
        .map_err(|error| unexpected(error, hosts))?;
    let row = answer
        .maybe_first_row::<(BTreeMap<String, String>, bool)>()
        .map_err(|error| unexpected(error, hosts))?;
    Ok(row.map(|(replication, durable_writes)| Keyspace {
        replication,
        durable_writes,
    }))
}

/// Copies of each record in all data centers; `None` where one of them is not given by a number.
fn copies_of(keyspace: &Keyspace) -> Option<u32> {
    let factors = keyspace.replication.iter().filter(|(name, _)| *name != "class");
    factors.map(|(_, copies)| copies.parse::<u32>().ok()).sum()
}

/// Copies of each record, in words and, where all of them are given by numbers, together. Without the keyspace: as it will be made.
fn copies(keyspace: Option<&Keyspace>, to_be_made: usize) -> (String, Option<u32>) {
    let Some(keyspace) = keyspace else {
        return (to_be_made.to_string(), u32::try_from(to_be_made).ok());
    };
    let factors = keyspace.replication.iter().filter(|(name, _)| *name != "class");
    let words: Vec<&str> = factors.map(|(_, copies)| copies.as_str()).collect();
    (words.join("+"), copies_of(keyspace))
}

/// How this client is connected. Nodes of Cassandra have no shards, those of ScyllaDB one for each of their cores.
fn of_the_client(session: &Session, wires: Wires) -> [(String, String); 3] {
    let nodes = session.get_cluster_state();
    let shards = nodes.get_nodes_info().iter().filter_map(|node| node.sharder());
    let most = shards.map(|sharder| sharder.nr_shards.get()).max();
    let coalescing = if wires.write_coalescing { "on" } else { "off" };
    [
        (
            "connections",
            format!("{} to each node for each client thread", wires.connections),
        ),
        (
            "shards",
            most.map_or_else(|| "none".to_owned(), |count| count.to_string()),
        ),
        ("write_coalescing", coalescing.to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
}

/// Everything. A keyspace that is not there yet will be made with so many copies.
pub(crate) async fn read(
    session: &Session,
    connector: &Connector,
    keyspace: &str,
    to_be_made: usize,
) -> Result<SystemFacts, DbError> {
    let hosts = connector.hosts();
    let nodes = settings(session, &hosts).await?;
    let version = one_text(session, "SELECT release_version FROM system.local", &hosts).await?;
    let keyspace = in_force(session, keyspace, &hosts).await?;
    let durable_writes = durable_writes(keyspace.as_ref());
    let (copies, replicas) = copies(keyspace.as_ref(), to_be_made);
    let known = session.get_cluster_state().get_nodes_info().len();
    let topology = format!("{}, rf {copies}", plural(known, "node", "nodes"));
    let mut kept = BTreeMap::new();
    for (name, value) in nodes.iter().flatten() {
        let values: &mut Vec<String> = kept.entry(name.clone()).or_default();
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    let mut kept: BTreeMap<String, String> = kept
        .into_iter()
        .map(|(name, values)| (name, values.join(" / ")))
        .collect();
    if let Some(keyspace) = keyspace {
        let words: Vec<String> = keyspace
            .replication
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        kept.insert("replication".to_owned(), words.join(", "));
    }
    kept.insert("durable_writes".to_owned(), durable_writes.to_string());
    kept.extend(of_the_client(session, connector.wires()));
    let sync = kept.get("commitlog_sync").cloned().unwrap_or_default();
    let consistency = connector.consistency();
    let name = consistency.name().to_uppercase();
    Ok(SystemFacts {
        product: "Apache Cassandra".to_owned(),
        version: version.unwrap_or_default(),
        topology,
        nodes: u32::try_from(known).ok(),
        replicas,
        durability: level(&nodes, durable_writes),
        durability_means: if durable_writes {
            format!("commitlog_sync={sync}")
        } else {
            "durable_writes=false: no commit log".to_owned()
        },
        consistency: Some(consistency),
        consistency_means: consistency_means(&name, replicas),
        settings: kept,
    })
}

/// How a level comes about: with one copy of each record, every level asks that copy.
fn consistency_means(name: &str, copies: Option<u32>) -> String {
    match copies {
        Some(1) => format!("reads and writes at {name}, of 1 copy of each record"),
        _ => format!("reads and writes at {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_copy_on_several_nodes_is_one_copy() {
        let of = |replication: &[(&str, &str)]| {
            let owned = replication
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let keyspace = Keyspace {
                replication: owned.collect(),
                durable_writes: true,
            };
            copies(Some(&keyspace), 3)
        };
        let strategy = ("class", "org.apache.cassandra.locator.NetworkTopologyStrategy");
        assert_eq!(of(&[strategy, ("datacenter1", "1")]), ("1".to_owned(), Some(1)));
        let two = of(&[strategy, ("datacenter1", "3"), ("other", "2")]);
        assert_eq!(two, ("3+2".to_owned(), Some(5)));
        // The first trial describes the cluster before the keyspace is made.
        assert_eq!(copies(None, 1), ("1".to_owned(), Some(1)));
        assert_eq!(
            consistency_means("QUORUM", Some(1)),
            "reads and writes at QUORUM, of 1 copy of each record"
        );
        assert_eq!(consistency_means("ALL", Some(3)), "reads and writes at ALL");
    }

    #[test]
    fn the_weakest_node_decides() {
        let node = |sync: &str| BTreeMap::from([("commitlog_sync".to_owned(), sync.to_owned())]);
        assert_eq!(level(&[node("batch"), node("group")], true), Durability::Synced);
        assert_eq!(level(&[node("batch"), node("periodic")], true), Durability::None);
        assert_eq!(level(&[], true), Durability::None);
        // Without durable writes there is nothing in the log that is synced.
        assert_eq!(level(&[node("batch")], false), Durability::None);
    }
}
