//! Connecting, tables and manifests.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use dbdyno_driver::{AskedServers, DbError, Driver, DriverInfo, Foreseen, SystemFacts, Table, Target};
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::options::ClientOptions;
use mongodb::{Client, Collection, Database};
use tokio::runtime::{Handle, Id};

use crate::connected;
use crate::deadline::within;
use crate::error::classified;
use crate::facts;
use crate::foreseen;
use crate::info::INFO;
use crate::manifest;
use crate::options::{self, Settings};
use crate::session::{MongodbSession, Shard};
use crate::sharding;
use crate::shards::Spread;

/// The collection of all manifests, one document for each table.
const MANIFESTS: &str = "dbdyno_manifest";

/// A MongoDB server, a replica set, or the shards that this driver spreads records over, connected.
pub struct MongodbDriver {
    /// Of the runtime that connected, one for each shard.
    clients: Vec<Client>,
    /// Those of the sessions, by runtime. A pool of connections is a task of the runtime that made it: sessions that used
    /// another thread's would pay for waking that thread three times an operation. One for each session would multiply
    /// what watches the servers by the number of sessions.
    by_runtime: Mutex<HashMap<Id, Vec<Client>>>,
    libraries: Vec<ClientOptions>,
    settings: Settings,
}

impl Driver for MongodbDriver {
    type Session = MongodbSession;
    const INFO: DriverInfo = INFO;

    fn foreseen(target: &Target, _servers: Option<&AskedServers>) -> Option<Foreseen> {
        Some(foreseen::foreseen(target))
    }

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let (libraries, settings) = options::read(target)?;
        let driver = Self {
            clients: new_clients(&libraries, &settings)?,
            by_runtime: Mutex::default(),
            libraries,
            settings,
        };
        // The library connects with the first command; one that needs the login shows that it is right.
        for database in driver.databases() {
            driver.wait(database.list_collection_names()).await?;
        }
        let admins: Vec<Database> = driver.admins().collect();
        connected::check(&admins, &driver.settings).await?;
        Ok(driver)
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        let mut is_new = true;
        for database in self.databases() {
            match self.wait(database.create_collection(&table.name)).await {
                Err(error) if exists(&error) => is_new = false,
                other => other?,
            }
        }
        // A table that is there is left as it is.
        if is_new
            && let Spread::Server(Some(key)) = self.settings.spread
            && let Some(admin) = self.admins().next()
        {
            sharding::shard(&admin, &self.settings, key, &table.name).await?;
        }
        Ok(())
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        for database in self.databases() {
            let records: Collection<RawDocumentBuf> = database.collection(&table.name);
            self.wait(records.drop()).await?;
        }
        for manifests in self.manifests() {
            self.wait(manifests.delete_one(doc! { "_id": &table.name }).into_future())
                .await?;
        }
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<MongodbSession, DbError> {
        let mut shards = Vec::new();
        for client in self.clients_here()? {
            let database = client.database(&self.settings.database);
            // What a client wrote need not be waited for elsewhere: all reads are of the primary.
            let own = self
                .wait(client.start_session().causal_consistency(false).into_future())
                .await?;
            shards.push(Shard::new(own, database, table));
        }
        Ok(MongodbSession::new(shards, self.settings.clone(), table))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        let admins: Vec<Database> = self.admins().collect();
        facts::read(&admins, &self.settings).await
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let mut stored = Vec::new();
        for manifests in self.manifests() {
            stored.push(
                self.wait(manifests.find_one(doc! { "_id": &table.name }).into_future())
                    .await?,
            );
        }
        manifest::read(&stored, &self.settings.spread, &table.name)
    }

    /// The library ends its logical sessions when it is dropped, in a task: one that would still ask for a connection while
    /// the runtime ends, and panic for there is none.
    async fn close(&self) {
        for client in &self.clients {
            let ending = client.clone().shutdown().immediate(true).into_future();
            tokio::time::timeout(self.settings.timeout, ending).await.ok();
        }
    }

    async fn store_manifest(&self, table: &Table, text: &str) -> Result<(), DbError> {
        for (shard, manifests) in self.manifests().enumerate() {
            let replacement = manifest::written(&table.name, text, &self.settings.spread, shard);
            let write = manifests
                .replace_one(doc! { "_id": &table.name }, replacement)
                .upsert(true);
            self.wait(write.into_future()).await?;
        }
        Ok(())
    }
}

impl MongodbDriver {
    /// The database of the records on each shard.
    fn databases(&self) -> impl Iterator<Item = Database> {
        let name = &self.settings.database;
        self.clients.iter().map(move |client| client.database(name))
    }

    /// The database of the administrators on each shard.
    fn admins(&self) -> impl Iterator<Item = Database> {
        self.clients.iter().map(|client| client.database("admin"))
    }

    /// The clients of the current runtime, made for its first session.
    fn clients_here(&self) -> Result<Vec<Client>, DbError> {
        let mut by_runtime = self.by_runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = Handle::current().id();
        if let Some(clients) = by_runtime.get(&runtime) {
            return Ok(clients.clone());
        }
        let clients = new_clients(&self.libraries, &self.settings)?;
        by_runtime.insert(runtime, clients.clone());
        Ok(clients)
    }

    fn manifests(&self) -> impl Iterator<Item = Collection<Document>> {
        self.databases().map(|database| database.collection(MANIFESTS))
    }

    /// The answer, or the error that there was none in time.
    async fn wait<T>(
        &self,
        answer: impl IntoFuture<Output = mongodb::error::Result<T>>,
    ) -> Result<T, DbError> {
        within(&self.settings, answer.into_future()).await
    }
}

/// A client for each shard.
fn new_clients(libraries: &[ClientOptions], settings: &Settings) -> Result<Vec<Client>, DbError> {
    let clients = libraries.iter().map(|library| {
        Client::with_options(library.clone()).map_err(|error| classified(error, &settings.hosts))
    });
    clients.collect()
}

/// Whether the error says that the collection is there already (NamespaceExists, 48).
fn exists(error: &DbError) -> bool {
    let source = error
        .source
        .as_deref()
        .and_then(|source| source.downcast_ref::<mongodb::error::Error>());
    source.is_some_and(|source| {
        matches!(source.kind.as_ref(), mongodb::error::ErrorKind::Command(command) if command.code == 48)
    })
}
