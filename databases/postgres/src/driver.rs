//! Connecting, tables and manifests.

use std::sync::Arc;

use dbdyno_driver::remote::Remote;
use dbdyno_driver::{
    AskedServers, DbError, Driver, DriverInfo, ErrorClass, Foreseen, SystemFacts, Table, Target, options,
};
use tokio_postgres::types::ToSql;

use crate::exchange::Broken;
use crate::facts;
use crate::foreseen;
use crate::guarantee::{Guarantee, guarantee};
use crate::info::INFO;
use crate::link::{Connector, Link};
use crate::session::PostgresSession;
use crate::statements::{
    COLLATION, CREATE_MANIFESTS, DELETE_MANIFEST, READ_MANIFEST, Statements, WRITE_MANIFEST,
};

/// A PostgreSQL server, connected.
pub struct PostgresDriver {
    connector: Arc<Connector>,
    guarantee: Guarantee,
}

impl Driver for PostgresDriver {
    type Session = PostgresSession;
    const INFO: DriverInfo = INFO;

    fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Option<Foreseen> {
        Some(foreseen::foreseen(target, servers))
    }

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let remote = remote(target)?;
        let default = if remote.hosts.len() > 1 {
            "read-write"
        } else {
            "any"
        };
        let words = ["any", "read-write"];
        let attributes = options::choice(&INFO, target, "target_session_attrs", &words, default)?;
        let mut connector = Arc::new(Connector::new(&remote, attributes == "read-write")?);
        let server = facts::server(&mut connector.link().await?).await?;
        let guarantee = guarantee(&server, target, connector.hosts())?;
        if let Some(connector) = Arc::get_mut(&mut connector) {
            connector.set_synchronous_commit(&guarantee.synchronous_commit);
        }
        Ok(Self { connector, guarantee })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        let statements = Statements::of(table)?;
        let mut link = self.connector.link().await?;
        Ok(run(&mut link, &statements.create()).await?)
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        let statements = Statements::of(table)?;
        let mut link = self.connector.link().await?;
        run(&mut link, &statements.drop()).await?;
        let (client, mut waiter) = link.split();
        match waiter.wait(client.execute(DELETE_MANIFEST, &[&table.name])).await {
            Err(broken) if broken.error.class != ErrorClass::NotFound => Err(broken.into()),
            _ => Ok(()),
        }
    }

    async fn session(&self, table: &Table) -> Result<PostgresSession, DbError> {
        let statements = Statements::of(table)?;
        let mut link = self.connector.link().await?;
        let collation = collation(&mut link, &statements).await?;
        PostgresSession::open(Arc::clone(&self.connector), link, statements, collation).await
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        facts::read(&mut self.connector.link().await?, &self.guarantee).await
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let mut link = self.connector.link().await?;
        let (client, mut waiter) = link.split();
        match waiter.wait(client.query_opt(READ_MANIFEST, &[&table.name])).await {
            Ok(row) => Ok(row.and_then(|row| row.get(0))),
            Err(broken) if broken.error.class == ErrorClass::NotFound => Ok(None),
            Err(broken) => Err(broken.into()),
        }
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        let mut link = self.connector.link().await?;
        run(&mut link, CREATE_MANIFESTS).await?;
        let (client, mut waiter) = link.split();
        let parameters: [&(dyn ToSql + Sync); 2] = [&table.name, &manifest];
        let stored = waiter.wait(client.execute(WRITE_MANIFEST, &parameters)).await;
        Ok(stored.map(drop)?)
    }
}

async fn run(link: &mut Link, sql: &str) -> Result<(), Broken> {
    let (client, mut waiter) = link.split();
    match waiter.wait(client.batch_execute(sql)).await {
        // Two clients that create the same table at once: one of them may find the other's in the catalogue.
        Err(broken) if broken.error.class == ErrorClass::Conflict && sql.starts_with("CREATE") => Ok(()),
        other => other,
    }
}

/// The collation that the table's key is ordered by; `None` when there is no such table.
async fn collation(link: &mut Link, statements: &Statements) -> Result<Option<String>, DbError> {
    let (client, mut waiter) = link.split();
    let row = waiter
        .wait(client.query_opt(COLLATION, &[&statements.name]))
        .await?;
    Ok(row.map(|row| {
        let (of_column, of_database): (&str, &str) = (row.get(0), row.get(1));
        if of_column == "default" {
            of_database
        } else {
            of_column
        }
        .to_owned()
    }))
}

/// Reads an address of PostgreSQL.
///
/// # Errors
/// `Rejected`, when it is none.
pub fn remote(target: &Target) -> Result<Remote, DbError> {
    options::check(&INFO, target)?;
    Remote::read(&INFO, &with_tls_of_sslmode(target)?)
}

/// PostgreSQL's own word for TLS, said in dbdyno's.
fn with_tls_of_sslmode(target: &Target) -> Result<Target, DbError> {
    let mut target = target.clone();
    let word = match options::choice(&INFO, &target, "sslmode", &["", "disable", "verify-full"], "")? {
        "disable" => "off",
        "verify-full" => "on",
        _ => return Ok(target),
    };
    target.options.insert("tls".to_owned(), word.to_owned());
    Ok(target)
}
