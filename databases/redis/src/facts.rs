//! What the live server says about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{DbError, Durability, SystemFacts};
use redis::{Cmd, Value, cmd};

use crate::error::{classified, unexpected};
use crate::link::Link;

async fn ask(link: &mut Link, command: &Cmd, hosts: &str) -> Result<Value, DbError> {
    let answer = link.send(command).await.and_then(Value::extract_error);
    answer.map_err(|error| classified(error, hosts))
}

/// A section of `INFO`, by key.
async fn information(
    link: &mut Link,
    section: &str,
    hosts: &str,
) -> Result<BTreeMap<String, String>, DbError> {
    let answer = ask(link, cmd("INFO").arg(section), hosts).await?;
    let text = match answer {
        Value::BulkString(text) => text,
        // A cluster answers with one text for each of its servers; any of them will do.
        Value::Map(texts) => match texts.into_iter().next() {
            Some((_, Value::BulkString(text))) => text,
            _ => return Err(unexpected("INFO", hosts)),
        },
        _ => return Err(unexpected("INFO", hosts)),
    };
    Ok(String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect())
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
    let server = information(link, "server", hosts).await?;
    Ok(server.get("redis_mode").is_some_and(|mode| mode == "cluster"))
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
        Durability::None => "start the server with `appendonly no`, or with `appendfsync everysec`",
        Durability::Buffered => "start the server with `appendonly yes` and `appendfsync no`",
        Durability::Synced => "start the server with `appendonly yes` and `appendfsync always`",
    }
}

/// Everything, read back.
pub(crate) async fn read(
    link: &mut Link,
    hosts: &str,
    durability: Durability,
) -> Result<SystemFacts, DbError> {
    let server = information(link, "server", hosts).await?;
    let replication = information(link, "replication", hosts).await?;
    let replicas = replication
        .get("connected_slaves")
        .map_or("0", String::as_str)
        .to_owned();
    let topology = match link {
        Link::Cluster(_) => {
            let text = match ask(link, cmd("CLUSTER").arg("INFO"), hosts).await? {
                Value::BulkString(text) => String::from_utf8_lossy(&text).into_owned(),
                Value::VerbatimString { text, .. } => text,
                _ => String::new(),
            };
            let size = text
                .lines()
                .find_map(|line| line.strip_prefix("cluster_size:"))
                .unwrap_or("?");
            format!("cluster of {} masters", size.trim())
        }
        Link::Plain(_) | Link::Encrypted(_) if replicas == "0" => "1 server".to_owned(),
        Link::Plain(_) | Link::Encrypted(_) => format!("1 server, {replicas} replicas"),
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
    Ok(SystemFacts {
        product: "Redis".to_owned(),
        version: server.get("redis_version").cloned().unwrap_or_default(),
        topology,
        durability,
        durability_means: means,
        consistency: None,
        consistency_means: String::new(),
        settings,
    })
}
