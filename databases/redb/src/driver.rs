//! Opens the file; a table of ours is a table of redb's.

use std::fs::{File, OpenOptions};
use std::sync::Arc;

use dbdyno_driver::embedded::{Place, open_error, table_name};
use dbdyno_driver::{DbError, Driver, DriverInfo, Durability, SystemFacts, Table, Target};
use redb::backends::FileBackend;
use redb::{Database, ReadableDatabase, TableDefinition, TableError};

use crate::info::INFO;
use crate::shared::{Records, Shared};
use crate::{RedbSession, backend::UnsyncedFile, error, facts, options::Options};

/// The manifests, by table name.
const MANIFESTS: TableDefinition<'static, &'static str, &'static str> =
    TableDefinition::new("_dbdyno_manifest");

/// An open database file.
pub struct RedbDriver {
    shared: Arc<Shared>,
}

impl Driver for RedbDriver {
    type Session = RedbSession;
    const INFO: DriverInfo = INFO;

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let options = Options::read(target)?;
        let place = Place::file(&INFO, target)?;
        let file = open(&place)?;
        let mut builder = Database::builder();
        builder.set_cache_size(options.cache_bytes);
        let database = FileBackend::new(file).and_then(|file| match options.durability {
            Durability::None | Durability::Synced => builder.create_with_backend(file),
            Durability::Buffered => builder.create_with_backend(UnsyncedFile(file)),
        });
        let database = database.map_err(|error| error::open(&place, error))?;
        Ok(Self {
            shared: Arc::new(Shared {
                database,
                options,
                place,
            }),
        })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        table_name(&table.name)?;
        let transaction = self.shared.begin_write()?;
        transaction
            .open_table(Records::new(&table.name))
            .map_err(error::classify(self.shared.path()))?;
        transaction.commit().map_err(error::classify(self.shared.path()))
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        let transaction = self.shared.begin_write()?;
        transaction
            .delete_table(Records::new(&table.name))
            .map_err(error::classify(self.shared.path()))?;
        transaction
            .open_table(MANIFESTS)
            .map_err(error::classify(self.shared.path()))?
            .remove(table.name.as_str())
            .map_err(error::classify(self.shared.path()))?;
        transaction.commit().map_err(error::classify(self.shared.path()))
    }

    async fn session(&self, table: &Table) -> Result<RedbSession, DbError> {
        let transaction = self
            .shared
            .database
            .begin_read()
            .map_err(error::classify(self.shared.path()))?;
        transaction
            .open_table(Records::new(&table.name))
            .map_err(|error| error::table(self.shared.path(), &table.name, error))?;
        Ok(RedbSession::new(table.name.clone(), Arc::clone(&self.shared)))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        facts::facts(&self.shared)
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let transaction = self
            .shared
            .database
            .begin_read()
            .map_err(error::classify(self.shared.path()))?;
        let manifests = match transaction.open_table(MANIFESTS) {
            Ok(manifests) => manifests,
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            Err(error) => return Err(error::classify(self.shared.path())(error)),
        };
        let manifest = manifests
            .get(table.name.as_str())
            .map_err(error::classify(self.shared.path()))?;
        Ok(manifest.map(|manifest| manifest.value().to_owned()))
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        let transaction = self.shared.begin_write()?;
        transaction
            .open_table(MANIFESTS)
            .map_err(error::classify(self.shared.path()))?
            .insert(table.name.as_str(), manifest)
            .map_err(error::classify(self.shared.path()))?;
        transaction.commit().map_err(error::classify(self.shared.path()))
    }
}

fn open(place: &Place) -> Result<File, DbError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(place.path())
        .map_err(|error| open_error(&INFO, place.path(), error))
}
