//! Connecting, tables and manifests.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use dbdyno_driver::{AskedServers, DbError, Driver, DriverInfo, Foreseen, SystemFacts, Table, Target};
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::options::ClientOptions;
use mongodb::{Client, Collection, Database};
use tokio::runtime::{Handle, Id};

use crate::deadline::within;
use crate::error::classified;
use crate::facts;
use crate::foreseen;
use crate::info::INFO;
use crate::options::{self, Settings};
use crate::session::MongodbSession;

/// The collection of all manifests, one document for each table.
const MANIFESTS: &str = "dbdyno_manifest";

/// A MongoDB server or replica set, connected.
pub struct MongodbDriver {
    /// Of the runtime that connected.
    client: Client,
    /// Those of the sessions, by runtime. A pool of connections is a task of the runtime that made it: sessions that used
    /// another thread's would pay for waking that thread three times an operation. One for each session would multiply
    /// what watches the servers by the number of sessions.
    by_runtime: Mutex<HashMap<Id, Client>>,
    library: ClientOptions,
    settings: Settings,
}

impl Driver for MongodbDriver {
    type Session = MongodbSession;
    const INFO: DriverInfo = INFO;

    fn foreseen(target: &Target, _servers: Option<&AskedServers>) -> Option<Foreseen> {
        Some(foreseen::foreseen(target))
    }

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let (library, settings) = options::read(target)?;
        let client = new_client(&library, &settings)?;
        let driver = Self {
            client,
            by_runtime: Mutex::default(),
            library,
            settings,
        };
        // The library connects with the first command; one that needs the login shows that it is right.
        driver.wait(driver.database().list_collection_names()).await?;
        Ok(driver)
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        match self.wait(self.database().create_collection(&table.name)).await {
            Err(error) if exists(&error) => Ok(()),
            other => other,
        }
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        let records: Collection<RawDocumentBuf> = self.database().collection(&table.name);
        self.wait(records.drop()).await?;
        let manifests = self.manifests();
        self.wait(manifests.delete_one(doc! { "_id": &table.name }).into_future())
            .await
            .map(drop)
    }

    async fn session(&self, table: &Table) -> Result<MongodbSession, DbError> {
        let client = self.client_here()?;
        let database = client.database(&self.settings.database);
        // What a client wrote need not be waited for elsewhere: all reads are of the primary.
        let own = self
            .wait(client.start_session().causal_consistency(false).into_future())
            .await?;
        Ok(MongodbSession::new(own, database, self.settings.clone(), table))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        facts::read(&self.client.database("admin"), &self.settings).await
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let manifests = self.manifests();
        let found = self
            .wait(manifests.find_one(doc! { "_id": &table.name }).into_future())
            .await?;
        Ok(found.and_then(|found| found.get_str("text").ok().map(str::to_owned)))
    }

    /// The library ends its logical sessions when it is dropped, in a task: one that would still ask for a connection while
    /// the runtime ends, and panic for there is none.
    async fn close(&self) {
        let ending = self.client.clone().shutdown().immediate(true).into_future();
        tokio::time::timeout(self.settings.timeout, ending).await.ok();
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        let manifests = self.manifests();
        let replacement = doc! { "_id": &table.name, "text": manifest };
        let write = manifests
            .replace_one(doc! { "_id": &table.name }, replacement)
            .upsert(true);
        self.wait(write.into_future()).await.map(drop)
    }
}

impl MongodbDriver {
    fn database(&self) -> Database {
        self.client.database(&self.settings.database)
    }

    /// The client of the current runtime, made for its first session.
    fn client_here(&self) -> Result<Client, DbError> {
        let mut clients = self.by_runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = Handle::current().id();
        if let Some(client) = clients.get(&runtime) {
            return Ok(client.clone());
        }
        let client = new_client(&self.library, &self.settings)?;
        clients.insert(runtime, client.clone());
        Ok(client)
    }

    fn manifests(&self) -> Collection<Document> {
        self.database().collection(MANIFESTS)
    }

    /// The answer, or the error that there was none in time.
    async fn wait<T>(
        &self,
        answer: impl IntoFuture<Output = mongodb::error::Result<T>>,
    ) -> Result<T, DbError> {
        within(&self.settings, answer.into_future()).await
    }
}

fn new_client(library: &ClientOptions, settings: &Settings) -> Result<Client, DbError> {
    Client::with_options(library.clone()).map_err(|error| classified(error, &settings.hosts))
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
