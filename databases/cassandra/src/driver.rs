//! Connecting, tables and manifests.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::remote::Remote;
use dbdyno_driver::{
    AskedServers, Consistency, DbError, Driver, DriverInfo, ErrorClass, Foreseen, ScanOrder, SystemFacts,
    Table, TableFacts, Target, options,
};
use scylla::client::session::Session;
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::Statement;

use crate::error::{of_execution, unexpected};
use crate::facts;
use crate::foreseen;
use crate::info::INFO;
use crate::layout::{Layout, keyspace, quoted};
use crate::link::{Connector, Wires};
use crate::session::CassandraSession;
use crate::table_options::{self, TableOptions};

/// The table that keeps the manifests of the other tables of its keyspace.
const MANIFESTS: &str = "dbdyno_manifests";

/// How long a change of the schema may take at least: on a busy cluster it takes seconds, whatever `timeout` says of
/// operations.
const SCHEMA_PATIENCE: Duration = Duration::from_secs(30);

/// A Cassandra cluster, connected.
pub struct CassandraDriver {
    connector: Arc<Connector>,
    /// The connections of the runtime that connected.
    link: Arc<Session>,
    keyspace: String,
    /// Copies asked for.
    replication: Option<usize>,
    /// Compression and caching asked for.
    table: TableOptions,
}

/// Reads an address of Cassandra, with its options.
///
/// # Errors
/// `Rejected`, with what is wrong and how it is written.
pub fn remote(target: &Target) -> Result<Remote, DbError> {
    options::check(&INFO, target)?;
    Remote::read(&INFO, target)
}

impl Driver for CassandraDriver {
    type Session = CassandraSession;
    const INFO: DriverInfo = INFO;

    fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Option<Foreseen> {
        Some(foreseen::foreseen(target, servers))
    }

    fn foreseen_scan_order(_: &Target, servers: Option<&AskedServers>) -> ScanOrder {
        foreseen::scan_order(servers)
    }

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let remote = remote(target)?;
        let keyspace = keyspace(&remote.path)?;
        let replication = replication(target)?;
        let table = TableOptions::of(target)?;
        let consistency = options::consistency(&INFO, target)?.unwrap_or(Consistency::Quorum);
        let connector = Connector::new(remote, wires(target)?, &keyspace, consistency)?;
        let link = connector.link().await?;
        if let Some(asked) = target.durability {
            options::durability(&INFO, target)?;
            let given = facts::durability(&link, &keyspace, &connector.hosts()).await?;
            if given != asked {
                return Err(DbError::new(
                    ErrorClass::Rejected,
                    format!(
                        "Cassandra at {} is set to durability `{given}`, not `{asked}`; {}",
                        connector.hosts(),
                        facts::how_to_set(asked)
                    ),
                ));
            }
        }
        Ok(Self {
            connector: Arc::new(connector),
            link,
            keyspace,
            replication,
            table,
        })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        let statement = Layout::of(&self.keyspace, table).create(&self.table.clause());
        // Making a keyspace is a right of its own: one that is there is used without it.
        match self.change(&statement).await {
            Err(error) if error.class == ErrorClass::NotFound => {}
            made => {
                made?;
                if self.table == TableOptions::default() {
                    return Ok(());
                }
                // One that was there is left as it is.
                return self.table.check(&self.table_facts(table).await?, &table.name);
            }
        }
        let copies = self.copies();
        self.change(&format!(
            "CREATE KEYSPACE IF NOT EXISTS {} WITH replication = {{'class': 'NetworkTopologyStrategy', \
             'replication_factor': {copies}}} AND durable_writes = true",
            quoted(&self.keyspace)
        ))
        .await?;
        self.change(&statement).await
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        self.connector.forget_statements().await;
        let layout = Layout::of(&self.keyspace, table);
        match self
            .change(&format!("DROP TABLE IF EXISTS {}", layout.table))
            .await
        {
            // Without the keyspace there is no table.
            Err(error) if error.class == ErrorClass::NotFound => return Ok(()),
            other => other?,
        };
        let removed = self
            .run(
                format!("DELETE FROM {} WHERE name = ?", self.manifests()),
                (table.name.as_str(),),
            )
            .await;
        match removed {
            Err(error) if error.class != ErrorClass::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    async fn session(&self, table: &Table) -> Result<CassandraSession, DbError> {
        CassandraSession::new(Arc::clone(&self.connector), Layout::of(&self.keyspace, table)).await
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        facts::read(&self.link, &self.connector, &self.keyspace, self.copies()).await
    }

    async fn table_facts(&self, table: &Table) -> Result<TableFacts, DbError> {
        table_options::read(&self.link, &self.keyspace, &table.name, &self.connector.hosts()).await
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let answer = self
            .run(
                format!("SELECT manifest FROM {} WHERE name = ?", self.manifests()),
                (table.name.as_str(),),
            )
            .await;
        let rows = match answer {
            Err(error) if error.class == ErrorClass::NotFound => return Ok(None),
            other => other?
                .into_rows_result()
                .map_err(|error| unexpected(error, &self.connector.hosts()))?,
        };
        let row = rows
            .maybe_first_row::<(Option<String>,)>()
            .map_err(|error| unexpected(error, &self.connector.hosts()))?;
        Ok(row.and_then(|(manifest,)| manifest))
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        let insert = format!("INSERT INTO {} (name, manifest) VALUES (?, ?)", self.manifests());
        let values = (table.name.as_str(), manifest);
        match self.run(insert.as_str(), values).await {
            Err(error) if error.class == ErrorClass::NotFound => {}
            other => return other.map(drop),
        }
        self.change(&format!(
            "CREATE TABLE IF NOT EXISTS {} (name varchar PRIMARY KEY, manifest varchar)",
            self.manifests()
        ))
        .await?;
        self.run(insert.as_str(), values).await.map(drop)
    }
}

impl CassandraDriver {
    /// Copies of each record in a keyspace that is made here.
    fn copies(&self) -> usize {
        let nodes = self.link.get_cluster_state().get_nodes_info().len();
        self.replication.unwrap_or(nodes.clamp(1, 3))
    }

    fn manifests(&self) -> String {
        format!("{}.{}", quoted(&self.keyspace), quoted(MANIFESTS))
    }

    /// Changes the schema, and returns when every node that can be reached knows of it.
    async fn change(&self, statement: &str) -> Result<(), DbError> {
        let mut statement = Statement::new(statement);
        statement.set_request_timeout(Some(self.connector.timeout().max(SCHEMA_PATIENCE)));
        self.run(statement, ()).await.map(drop)
    }

    async fn run(
        &self,
        statement: impl Into<Statement>,
        values: impl SerializeRow,
    ) -> Result<QueryResult, DbError> {
        self.link
            .query_unpaged(statement, values)
            .await
            .map_err(|error| of_execution(error, &self.connector.hosts()))
    }
}

fn replication(target: &Target) -> Result<Option<usize>, DbError> {
    count(target, "replication", "copies from 1, e.g. 3")
}

fn wires(target: &Target) -> Result<Wires, DbError> {
    let connections = count(target, "connections", "connections to each node from 1, e.g. 4")?;
    let coalescing = options::choice(&INFO, target, "write_coalescing", &["on", "off"], "on")?;
    Ok(Wires {
        connections: connections
            .and_then(NonZeroUsize::new)
            .unwrap_or(NonZeroUsize::MIN),
        write_coalescing: coalescing == "on",
    })
}

/// An option that is a number from 1 to 100.
fn count(target: &Target, name: &str, of: &str) -> Result<Option<usize>, DbError> {
    let Some(text) = target.options.get(name) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(count @ 1..=100) => Ok(Some(count)),
        _ => Err(DbError::new(
            ErrorClass::Rejected,
            format!("`cassandra` cannot use option `{name}={text}`; it is a number of {of}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_and_coalescing_can_be_set() {
        let read = |options: &str| {
            let address = format!("cassandra://h{options}");
            wires(&Target::parse(&address).unwrap())
        };
        let default = Wires {
            connections: NonZeroUsize::MIN,
            write_coalescing: true,
        };
        assert_eq!(read("").unwrap(), default);
        let set = read("?connections=4&write_coalescing=off").unwrap();
        assert_eq!((set.connections.get(), set.write_coalescing), (4, false));
        for wrong in ["?connections=0", "?connections=many", "?write_coalescing=maybe"] {
            assert_eq!(read(wrong).unwrap_err().class, ErrorClass::Rejected, "{wrong}");
        }
    }
}
