//! Facts that the live server states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{DbError, SystemFacts};
use tokio_postgres::SimpleQueryMessage;

use crate::guarantee::{Guarantee, Server};
use crate::link::Link;

/// Settings that a comparison must know.
const SETTINGS: [&str; 12] = [
    "effective_cache_size",
    "fsync",
    "full_page_writes",
    "max_connections",
    "max_wal_size",
    "shared_buffers",
    "synchronous_commit",
    "synchronous_standby_names",
    "wal_compression",
    "wal_level",
    "wal_sync_method",
    "work_mem",
];

/// The rows of a simple query, as text.
async fn ask(link: &mut Link, sql: &str) -> Result<Vec<Vec<String>>, DbError> {
    let (client, mut waiter) = link.split();
    let messages = waiter.wait(client.simple_query(sql)).await?;
    Ok(messages
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(
                (0..row.len())
                    .map(|column| row.get(column).unwrap_or_default().to_owned())
                    .collect(),
            ),
            _ => None,
        })
        .collect())
}

async fn one(link: &mut Link, sql: &str) -> Result<String, DbError> {
    let rows = ask(link, sql).await?;
    Ok(rows.into_iter().flatten().next().unwrap_or_default())
}

/// Replicas: all, those whose state this user may see, those that stream, and those that `synchronous_standby_names` names. A backup
/// is listed, too, and is none.
const REPLICAS: &str = "SELECT count(*), count(state), count(*) FILTER (WHERE state = 'streaming'), \
                        count(*) FILTER (WHERE state = 'streaming' AND sync_state <> 'async') FROM pg_stat_replication";

/// The state on which the guarantees depend.
pub(crate) async fn server(link: &mut Link) -> Result<Server, DbError> {
    let in_recovery = one(link, "SELECT pg_is_in_recovery()").await? == "t";
    let counts = ask(link, REPLICAS).await?.into_iter().flatten();
    let counts: Vec<usize> = counts.map(|count| count.parse().unwrap_or(0)).collect();
    let (replicas, named) = replicas(&counts);
    Ok(Server {
        fsync: one(link, "SHOW fsync").await? == "on",
        synchronous_commit: one(link, "SHOW synchronous_commit").await?,
        standby_names: one(link, "SHOW synchronous_standby_names").await?,
        replicas,
        named: named.filter(|_| !in_recovery),
    })
}

/// Replicas, and those that are named, from the answer to [`REPLICAS`]. Users without the right to see states see only how many there
/// are.
fn replicas(counts: &[usize]) -> (usize, Option<usize>) {
    match *counts {
        [all, shown, ..] if shown < all => (all, None),
        [_, _, streaming, named] => (streaming, Some(named)),
        _ => (0, None),
    }
}

/// Everything, read back.
pub(crate) async fn read(link: &mut Link, guarantee: &Guarantee) -> Result<SystemFacts, DbError> {
    let version = one(link, "SHOW server_version").await?;
    let in_recovery = one(link, "SELECT pg_is_in_recovery()").await? == "t";
    let names = SETTINGS.map(|name| format!("'{name}'")).join(", ");
    let mut settings: BTreeMap<String, String> = ask(
        link,
        &format!("SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({names})"),
    )
    .await?
    .into_iter()
    .filter_map(|row| <[String; 2]>::try_from(row).ok())
    .map(|[name, value]| {
        (
            name,
            if value.is_empty() {
                "(none)".to_owned()
            } else {
                value
            },
        )
    })
    .collect();
    settings.insert(
        "collation".to_owned(),
        one(
            link,
            "SELECT datcollate FROM pg_database WHERE datname = current_database()",
        )
        .await?,
    );
    let (acknowledging, copies) = guarantee.acknowledged_by;
    // Each server has a copy of every record; a replica does not know of the others.
    let nodes = u32::try_from(copies).ok().filter(|_| !in_recovery);
    let topology = match (in_recovery, copies - 1) {
        (true, _) => "replica of a primary".to_owned(),
        (false, 0) => "1 server".to_owned(),
        (false, 1) => "primary, 1 replica".to_owned(),
        (false, replicas) => format!("primary, {replicas} replicas"),
    };
    let how = match guarantee.synchronous_commit.as_str() {
        _ if acknowledging == 1 => "",
        "remote_write" => ", replicas when their operating system has it",
        "remote_apply" => ", replicas when they have synced and applied it",
        _ => ", replicas when they have synced it",
    };
    let set = |name: &str| settings.get(name).cloned().unwrap_or_default();
    let (fsync, commit) = (set("fsync"), set("synchronous_commit"));
    Ok(SystemFacts {
        product: "PostgreSQL".to_owned(),
        // Debian writes its package's number behind: `15.20 (Debian 15.20-0+deb12u1)`.
        version: version.split(' ').next().unwrap_or_default().to_owned(),
        topology,
        nodes,
        replicas: nodes,
        durability: guarantee.durability,
        durability_means: format!("fsync {fsync}, synchronous_commit {commit}"),
        consistency: Some(guarantee.consistency),
        consistency_means: format!(
            "{acknowledging} of {copies} copies acknowledge a write{how}; reads are the primary's"
        ),
        settings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_counts_when_it_streams() {
        assert_eq!(replicas(&[0, 0, 0, 0]), (0, Some(0)));
        // One of them is a backup, or catches up.
        assert_eq!(replicas(&[3, 3, 2, 1]), (2, Some(1)));
        // States are hidden from this user.
        assert_eq!(replicas(&[2, 0, 0, 0]), (2, None));
    }
}
