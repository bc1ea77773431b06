//! Questions to live servers: sections of `INFO`, settings, and the state on which the guarantees depend.

use dbdyno_driver::DbError;
use redis::{Cmd, Value, cmd};

use crate::error::{classified, unexpected};
use crate::guarantee::{Log, Server};
use crate::link::{Connector, Link};
use crate::section::{Section, by_key, follows, replicas};

pub(crate) async fn ask(link: &mut Link, command: &Cmd, hosts: &str) -> Result<Value, DbError> {
    let answer = link.send(command).await.and_then(Value::extract_error);
    answer.map_err(|error| classified(error, hosts))
}

/// A section of `INFO` of each server of a cluster, or of the one there is.
pub(crate) async fn information(
    link: &mut Link,
    section: &str,
    hosts: &str,
) -> Result<Vec<Section>, DbError> {
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

/// One setting; empty where the server does not show it (managed services forbid `CONFIG`).
pub(crate) async fn setting(link: &mut Link, name: &str, hosts: &str) -> Result<String, DbError> {
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

async fn log(link: &mut Link, hosts: &str) -> Result<Log, DbError> {
    let appendonly = setting(link, "appendonly", hosts).await?;
    Ok(Log::of(&appendonly, &setting(link, "appendfsync", hosts).await?))
}

/// Whether the server is part of a cluster.
pub(crate) async fn is_cluster(link: &mut Link, hosts: &str) -> Result<bool, DbError> {
    let servers = information(link, "server", hosts).await?;
    // Valkey has its own name for it, and no longer the other (`server.c` of Valkey 8 and 9).
    let modes = ["redis_mode", "server_mode"];
    let server = servers.first();
    Ok(server.is_some_and(|server| {
        modes
            .iter()
            .any(|mode| server.get(*mode).is_some_and(|mode| mode == "cluster"))
    }))
}

/// The state on which the guarantees depend.
pub(crate) async fn server(link: &mut Link, connector: &Connector) -> Result<Server, DbError> {
    let hosts = connector.hosts();
    let of_server = information(link, "server", &hosts).await?;
    let version = of_server.first().and_then(|server| server.get("redis_version"));
    let replication = information(link, "replication", &hosts).await?;
    Ok(Server {
        version: version.cloned().unwrap_or_default(),
        is_cluster: connector.clustered,
        log: log(link, &hosts).await?,
        replicas: replicas(&replication),
        logs_of_replicas: match replication.as_slice() {
            [master] if !connector.clustered => logs_of_replicas(connector, master).await,
            _ => Vec::new(),
        },
        has_waitaof: knows_waitaof(link).await,
    })
}

/// Whether the server lists `WAITAOF` among its commands; one that does not show them counts as one that has it not.
async fn knows_waitaof(link: &mut Link) -> bool {
    let answer = link.send(cmd("COMMAND").arg("INFO").arg("WAITAOF")).await;
    matches!(answer, Ok(Value::Array(commands)) if lists_a_command(&commands))
}

/// `COMMAND INFO` answers with an array for each command, with nil for one that is not known (redis.io/commands/command-info).
fn lists_a_command(commands: &[Value]) -> bool {
    matches!(commands, [Value::Array(facts)] if !facts.is_empty())
}

/// The logs of the replicas of this master that the address names. Servers that it does not name are not contacted: a server could
/// name any, and each would get the login.
async fn logs_of_replicas(connector: &Connector, master: &Section) -> Vec<Log> {
    let mut logs = Vec::new();
    if replicas(std::slice::from_ref(master)) == 0 {
        return logs;
    }
    for host in connector.servers() {
        let text = host.to_string();
        let Ok(mut link) = connector.at(host).await else {
            continue;
        };
        let Ok(replication) = information(&mut link, "replication", &text).await else {
            continue;
        };
        if follows(&replication, master)
            && let Ok(log) = log(&mut link, &text).await
        {
            logs.push(log);
        }
    }
    logs
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
mod tests {
    use super::*;
    use crate::resp::answer;

    #[test]
    fn a_server_lists_the_commands_that_it_has() {
        let lists = |bytes: &[u8]| match answer(bytes, &mut 100).unwrap().unwrap() {
            (Value::Array(commands), _) => lists_a_command(&commands),
            _ => false,
        };
        // Version 7.0 of the server, by itself.
        assert!(!lists(b"*1\r\n*-1\r\n"));
        assert!(!lists(b"*1\r\n$-1\r\n"));
        assert!(lists(
            b"*1\r\n*6\r\n$7\r\nwaitaof\r\n:4\r\n*1\r\n+blocking\r\n:0\r\n:0\r\n:0\r\n"
        ));
    }
}
