//! Connecting, tables and manifests.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::remote::{Remote, Tls};
use dbdyno_driver::{
    AskedServers, DbError, Driver, DriverInfo, ErrorClass, Foreseen, SystemFacts, Table, Target, options,
};
use redis::{Cmd, Value, cmd};

use crate::error::{classified, unexpected};
use crate::facts;
use crate::foreseen;
use crate::guarantee::{Guarantee, guarantee};
use crate::info::{INFO, REPLICA_TIMEOUT};
use crate::inquiry;
use crate::layout::Layout;
use crate::link::{Connector, Link};
use crate::session::RedisSession;
use crate::wait::Wait;

/// Keys that one command removes when a table is dropped.
const DROPPED_AT_ONCE: usize = 1000;

/// A Redis server or cluster, connected.
pub struct RedisDriver {
    connector: Arc<Connector>,
    guarantee: Guarantee,
    /// Sent behind each write; `None` where the master's answer is enough.
    wait: Option<Wait>,
}

/// Reads an address of Redis, with its options.
///
/// # Errors
/// `Rejected`, with what is wrong and how it is written.
pub fn remote(target: &Target) -> Result<Remote, DbError> {
    options::check(&INFO, target)?;
    let mut remote = Remote::read(&INFO, target)?;
    if target.scheme == "rediss" && remote.tls.is_none() {
        remote.tls = Some(Tls::default());
    }
    Ok(remote)
}

/// How long a write waits for its replicas: half the time of an operation, unless the address says otherwise.
fn replica_timeout(target: &Target, timeout: Duration) -> Result<Duration, DbError> {
    let limit = options::duration(&INFO, target, REPLICA_TIMEOUT, timeout / 2)?;
    // Otherwise the client gives up before the server says how many replicas have the write.
    if limit >= timeout {
        return Err(DbError::new(
            ErrorClass::Rejected,
            format!(
                "`redis` cannot use `{REPLICA_TIMEOUT}` of {} ms with a `timeout` of {} ms; make `timeout` longer, or \
                 `{REPLICA_TIMEOUT}` shorter",
                limit.as_millis(),
                timeout.as_millis()
            ),
        ));
    }
    Ok(limit)
}

impl Driver for RedisDriver {
    type Session = RedisSession;
    const INFO: DriverInfo = INFO;

    fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Option<Foreseen> {
        Some(foreseen::foreseen(target, servers))
    }

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let remote = remote(target)?;
        let limit = replica_timeout(target, remote.timeout)?;
        let mut connector = Connector::new(remote)?;
        let mut link = connector.link().await?;
        connector.clustered = inquiry::is_cluster(&mut link, &connector.hosts()).await?;
        connector.found(&mut link).await?;
        let server = inquiry::server(&mut link, &connector).await?;
        let guarantee = guarantee(&server, target, &connector.hosts())?;
        Ok(Self {
            connector: Arc::new(connector),
            wait: guarantee.awaited.map(|copies| Wait::new(copies, limit)),
            guarantee,
        })
    }

    /// Redis makes a key with its first value: there is nothing to create.
    async fn create_table(&self, _: &Table) -> Result<(), DbError> {
        Ok(())
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        let layout = Layout::of(table);
        let mut link = self.connector.link().await?;
        let mut name = Vec::new();
        loop {
            let mut first = cmd("ZRANGE");
            first.arg(&layout.index).arg(0).arg(DROPPED_AT_ONCE - 1);
            let Value::Array(members) = self.ask(&mut link, &first).await? else {
                return Err(unexpected("ZRANGE", &self.connector.hosts()));
            };
            let (mut hashes, mut entries) = (cmd("UNLINK"), cmd("ZREM"));
            entries.arg(&layout.index);
            for member in &members {
                let Value::BulkString(key) = member else {
                    return Err(unexpected("ZRANGE", &self.connector.hosts()));
                };
                layout.name_into(key, &mut name);
                hashes.arg(&name);
                entries.arg(key);
            }
            if members.is_empty() {
                break;
            }
            self.ask(&mut link, &hashes).await?;
            self.ask(&mut link, &entries).await?;
        }
        for rest in [&layout.index, &layout.manifest] {
            self.ask(&mut link, cmd("UNLINK").arg(rest)).await?;
        }
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<RedisSession, DbError> {
        let link = self.connector.link().await?;
        Ok(RedisSession::new(
            Arc::clone(&self.connector),
            link,
            Layout::of(table),
            self.wait,
        ))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        let mut link = self.connector.link().await?;
        facts::read(&mut link, &self.connector.hosts(), &self.guarantee).await
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let layout = Layout::of(table);
        let mut link = self.connector.link().await?;
        match self.ask(&mut link, cmd("GET").arg(&layout.manifest)).await? {
            Value::BulkString(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
            Value::Nil => Ok(None),
            _ => Err(unexpected("GET", &self.connector.hosts())),
        }
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        let layout = Layout::of(table);
        let mut link = self.connector.link().await?;
        self.ask(&mut link, cmd("SET").arg(&layout.manifest).arg(manifest))
            .await
            .map(drop)
    }
}

impl RedisDriver {
    async fn ask(&self, link: &mut Link, command: &Cmd) -> Result<Value, DbError> {
        let answer = link.send(command).await.and_then(Value::extract_error);
        answer.map_err(|error| classified(error, &self.connector.hosts()))
    }
}
