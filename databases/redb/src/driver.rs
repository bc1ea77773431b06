//! Opens the file; a table of ours is a table of redb's.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::Arc;

use dbdyno_driver::embedded::{Place, open_error, table_name};
use dbdyno_driver::{
    Capabilities, DbError, Driver, DriverInfo, Durability, Execution, ScanOrder, SystemFacts, Table, Target,
    Values,
};
use redb::backends::FileBackend;
use redb::{Database, ReadableDatabase, TableDefinition, TableError, WriteTransaction};

use crate::{RedbSession, backend::UnsyncedFile, error, facts, options::Options};

/// The constant facts about `redb`.
pub const INFO: DriverInfo = DriverInfo {
    name: "redb",
    summary: "embedded copy-on-write B-tree in one file",
    schemes: &["redb"],
    example: "redb:FILE",
    options: &[("cache", "page cache, bytes (default 32M)")],
    remote: false,
    execution: Execution::Blocking,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None, Durability::Buffered, Durability::Synced],
        consistencies: &[],
        values: Values::Bytes,
    },
};

/// Records by key, as encoded by [`dbdyno_driver::embedded::encode`].
pub(crate) type Records<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

/// The manifests, by table name.
const MANIFESTS: TableDefinition<'static, &'static str, &'static str> =
    TableDefinition::new("_dbdyno_manifest");

/// An open database file.
pub struct RedbDriver {
    shared: Arc<Shared>,
}

/// What the driver and its sessions keep alive together. The fields are dropped in order: the database is closed before
/// a temporary directory is removed.
pub(crate) struct Shared {
    pub database: Database,
    pub options: Options,
    pub place: Place,
}

impl Shared {
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Begins a write transaction that commits at the level of durability asked for. redb has one writer at a time; others
    /// wait here.
    pub fn begin_write(&self) -> Result<WriteTransaction, DbError> {
        let mut transaction = self
            .database
            .begin_write()
            .map_err(error::classify(self.path()))?;
        if self.options.durability == Durability::None {
            transaction
                .set_durability(redb::Durability::None)
                .map_err(error::classify(self.path()))?;
        }
        Ok(transaction)
    }
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
