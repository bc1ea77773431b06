//! Connecting, tables and manifests.

use std::sync::Arc;

use dbdyno_driver::remote::{Remote, Tls};
use dbdyno_driver::{
    AskedServers, DbError, Driver, DriverInfo, Durability, ErrorClass, Foreseen, SystemFacts, Table, Target,
    options,
};
use redis::{Cmd, Value, cmd};

use crate::error::{classified, unexpected};
use crate::facts;
use crate::foreseen;
use crate::info::INFO;
use crate::layout::Layout;
use crate::link::{Connector, Link};
use crate::session::RedisSession;

/// Keys that one command removes when a table is dropped.
const DROPPED_AT_ONCE: usize = 1000;

/// A Redis server or cluster, connected.
pub struct RedisDriver {
    connector: Arc<Connector>,
    durability: Durability,
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

impl Driver for RedisDriver {
    type Session = RedisSession;
    const INFO: DriverInfo = INFO;

    fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Option<Foreseen> {
        Some(foreseen::foreseen(target, servers))
    }

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let mut connector = Connector::new(remote(target)?)?;
        let mut link = connector.link().await?;
        connector.clustered = facts::is_cluster(&mut link, &connector.hosts()).await?;
        let durability = facts::durability(&mut link, &connector.hosts()).await?;
        if let Some(asked) = target.durability
            && asked != durability
        {
            return Err(DbError::new(
                ErrorClass::Rejected,
                format!(
                    "Redis at {} is set to durability `{durability}`, not `{asked}`; {}",
                    connector.hosts(),
                    facts::how_to_set(asked)
                ),
            ));
        }
        Ok(Self {
            connector: Arc::new(connector),
            durability,
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
        ))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        let mut link = self.connector.link().await?;
        facts::read(&mut link, &self.connector.hosts(), self.durability).await
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
