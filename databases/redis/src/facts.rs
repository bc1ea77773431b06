//! Facts that the live server states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{Consistency, DbError, Durability, SystemFacts};
use redis::{Cmd, Value, cmd};

use crate::error::{classified, unexpected};
use crate::link::Link;

async fn ask(link: &mut Link, command: &Cmd, hosts: &str) -> Result<Value, DbError> {
    let answer = link.send(command).await.and_then(Value::extract_error);
    answer.map_err(|error| classified(error, hosts))
}

/// A section of `INFO` of each server of a cluster, or of the one there is, by key.
async fn information(
    link: &mut Link,
    section: &str,
    hosts: &str,
) -> Result<Vec<BTreeMap<String, String>>, DbError> {
    let answer = ask(link, cmd("INFO").arg(section), hosts).await?;
    let texts = match answer {
        Value::Map(texts) => texts.into_iter().map(|(_, text)| text).collect(),
        text => vec![text],
    };
    let servers: Option<Vec<_>> = texts.into_iter().map(by_key).collect();
    servers
        .filter(|servers| !servers.is_empty())
        .ok_or_else(|| unexpected("INFO", hosts))
}

fn by_key(text: Value) -> Option<BTreeMap<String, String>> {
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
fn replicas(servers: &[BTreeMap<String, String>]) -> u64 {
    let counts = servers.iter().filter_map(|server| server.get("connected_slaves"));
    counts.filter_map(|count| count.trim().parse::<u64>().ok()).sum()
}

/// A write is answered before any replica has it: replication is asynchronous, and nothing waits for it (`WAIT`).
pub(crate) fn consistency(replicas: u64) -> (Option<Consistency>, String) {
    match replicas {
        0 => (None, String::new()),
        _ => (
            Some(Consistency::One),
            "reads and writes go to the master, which answers before any replica has a write (asynchronous replication)".to_owned(),
        ),
    }
}

/// One setting; empty where the server does not tell (managed services forbid `CONFIG`).
async fn setting(link: &mut Link, name: &str, hosts: &str) -> Result<String, DbError> {
    let answer = match link
        .send(cmd("CONFIG").arg("GET").arg(name))
        .await
        .and_then(Value::extract_error)
    {
        Ok(answer) => answer,
        Err(error) if error.is_io_error() => return Err(classified(error, hosts)),
        Err(_) => return Ok(String::new()),
    };
    Ok(match answer {
        Value::Array(pair) => match pair.into_iter().nth(1) {
            Some(Value::BulkString(value)) => String::from_utf8_lossy(&value).into_owned(),
            _ => String::new(),
        },
        Value::Map(pairs) => match pairs.into_iter().next() {
            Some((_, Value::BulkString(value))) => String::from_utf8_lossy(&value).into_owned(),
            _ => String::new(),
        },
        _ => String::new(),
    })
}

/// Whether the server is part of a cluster.
pub(crate) async fn is_cluster(link: &mut Link, hosts: &str) -> Result<bool, DbError> {
    let servers = information(link, "server", hosts).await?;
    let mode = servers.first().and_then(|server| server.get("redis_mode"));
    Ok(mode.is_some_and(|mode| mode == "cluster"))
}

/// The level that the server's settings give. With `appendfsync no` the log is written to the operating system before the
/// answer is sent. With `everysec` that write is put off for up to two seconds while an earlier sync is under way, and the
/// answer is sent all the same (`flushAppendOnlyFile` in the server's `aof.c`): a write may be lost with the process.
pub(crate) async fn durability(link: &mut Link, hosts: &str) -> Result<Durability, DbError> {
    if setting(link, "appendonly", hosts).await? != "yes" {
        return Ok(Durability::None);
    }
    Ok(match setting(link, "appendfsync", hosts).await?.as_str() {
        "always" => Durability::Synced,
        "no" => Durability::Buffered,
        _ => Durability::None,
    })
}

/// What a person does to have a level.
pub(crate) fn how_to_set(level: Durability) -> &'static str {
    match level {
        Durability::None => {
            "start the server with `appendonly no`, or with `appendfsync everysec` (`lab:redis?appendfsync=off`, or `everysec`)"
        }
        Durability::Buffered => {
            "start the server with `appendonly yes` and `appendfsync no` (`lab:redis?appendfsync=no`)"
        }
        Durability::Synced => {
            "start the server with `appendonly yes` and `appendfsync always` (`lab:redis?appendfsync=always`)"
        }
    }
}

/// Everything, read back.
pub(crate) async fn read(
    link: &mut Link,
    hosts: &str,
    durability: Durability,
) -> Result<SystemFacts, DbError> {
    // The servers of a cluster are of one version.
    let servers = information(link, "server", hosts).await?;
    let version = servers.first().and_then(|server| server.get("redis_version"));
    let replicas = replicas(&information(link, "replication", hosts).await?);
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
        Link::Plain(_) | Link::Encrypted(_) => (format!("1 server{of_replicas}"), Some(1)),
    };
    let mut settings = BTreeMap::new();
    for name in [
        "appendonly",
        "appendfsync",
        "save",
        "maxmemory",
        "maxmemory-policy",
        "io-threads",
    ] {
        let value = setting(link, name, hosts).await?;
        settings.insert(
            name.to_owned(),
            if value.is_empty() {
                "(none)".to_owned()
            } else {
                value
            },
        );
    }
    let means = format!(
        "appendonly {}, appendfsync {}",
        settings["appendonly"], settings["appendfsync"]
    );
    let (consistency, consistency_means) = consistency(replicas);
    let nodes = masters
        .zip(u32::try_from(replicas).ok())
        .and_then(|(masters, replicas)| masters.checked_add(replicas));
    Ok(SystemFacts {
        product: "Redis".to_owned(),
        version: version.cloned().unwrap_or_default(),
        topology,
        nodes,
        // Masters may have different numbers of replicas.
        replicas: nodes
            .zip(masters)
            .and_then(|(nodes, masters)| nodes.is_multiple_of(masters).then_some(nodes / masters.max(1))),
        durability,
        durability_means: means,
        consistency,
        consistency_means,
        settings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_replicas_the_master_answers_alone() {
        let server = |text: &str| by_key(Value::BulkString(text.as_bytes().to_vec())).unwrap();
        let alone = server("# Replication\r\nrole:master\r\nconnected_slaves:0\r\n");
        let master = server("role:master\r\nconnected_slaves:2\r\n");
        assert_eq!(consistency(replicas(&[alone.clone(), alone.clone()])).0, None);
        // Of a cluster any master may be the one that has replicas.
        let count = replicas(&[alone, master]);
        assert_eq!(count, 2);
        let (level, means) = consistency(count);
        assert_eq!(level, Some(Consistency::One));
        assert!(means.contains("asynchronous"));
    }
}
