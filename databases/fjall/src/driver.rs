//! Opens the database; a table is a keyspace of its own.

use std::sync::Arc;

use dbdyno_driver::embedded::{KeyLocks, Place, table_name};
use dbdyno_driver::{DbError, Driver, DriverInfo, SystemFacts, Table, Target};
use fjall::config::{BlockSizePolicy, CompressionPolicy};
use fjall::{Database, Keyspace, KeyspaceCreateOptions};

use crate::info::INFO;
use crate::options::{BLOCK_BYTES, WRITE_BUFFER_BYTES};
use crate::shared::Shared;
use crate::{FjallSession, error, facts, options::Options};

/// A file in every fjall directory; a directory with content and without it was not made by fjall.
const MARKER: &str = "version";

/// The keyspace of the manifests, by table name.
const MANIFESTS: &str = "_dbdyno_manifest";

/// An open database directory.
pub struct FjallDriver {
    shared: Arc<Shared>,
}

impl FjallDriver {
    fn keyspace(&self, name: &str) -> Result<Keyspace, DbError> {
        self.shared
            .database
            .keyspace(name, || keyspace_options(&self.shared.options))
            .map_err(error::classify(self.shared.path()))
    }

    /// The manifests' keyspace, unless nothing was ever stored in it.
    fn manifests(&self) -> Result<Option<Keyspace>, DbError> {
        if self.shared.database.keyspace_exists(MANIFESTS) {
            self.keyspace(MANIFESTS).map(Some)
        } else {
            Ok(None)
        }
    }
}

impl Driver for FjallDriver {
    type Session = FjallSession;
    const INFO: DriverInfo = INFO;

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let options = Options::read(target)?;
        let place = Place::directory(&INFO, target, MARKER)?;
        let database = Database::builder(place.path())
            .cache_size(options.cache_bytes)
            .journal_compression(options.compression)
            .worker_threads(options.background_threads)
            .open()
            .map_err(|error| error::open(&place, error))?;
        Ok(Self {
            shared: Arc::new(Shared {
                database,
                locks: KeyLocks::new(),
                options,
                place,
            }),
        })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        table_name(&table.name)?;
        self.keyspace(&table.name).map(drop)
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        if let Some(manifests) = self.manifests()? {
            manifests
                .remove(table.name.as_str())
                .map_err(error::classify(self.shared.path()))?;
        }
        if self.shared.database.keyspace_exists(&table.name) {
            let keyspace = self.keyspace(&table.name)?;
            self.shared
                .database
                .delete_keyspace(keyspace)
                .map_err(error::classify(self.shared.path()))?;
        }
        self.shared.persist()
    }

    async fn session(&self, table: &Table) -> Result<FjallSession, DbError> {
        if !self.shared.database.keyspace_exists(&table.name) {
            return Err(error::no_table(self.shared.path(), &table.name));
        }
        Ok(FjallSession::new(
            self.keyspace(&table.name)?,
            Arc::clone(&self.shared),
        ))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        Ok(facts::facts(&self.shared))
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let Some(manifests) = self.manifests()? else {
            return Ok(None);
        };
        let manifest = manifests
            .get(&table.name)
            .map_err(error::classify(self.shared.path()))?;
        manifest
            .map(|bytes| String::from_utf8(bytes.to_vec()).map_err(|_| error::malformed()))
            .transpose()
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        self.keyspace(MANIFESTS)?
            .insert(table.name.as_str(), manifest)
            .map_err(error::classify(self.shared.path()))?;
        self.shared.persist()
    }

    async fn flush(&self) -> Result<(), DbError> {
        self.shared.persist()
    }
}

/// How keyspaces are created. fjall keeps these settings with the keyspace; `manual_journal_persist` must therefore not
/// depend on the durability of whoever created it: the driver persists after each write itself.
fn keyspace_options(options: &Options) -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .data_block_compression_policy(CompressionPolicy::all(options.compression))
        .index_block_compression_policy(CompressionPolicy::all(options.compression))
        .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
        .max_memtable_size(WRITE_BUFFER_BYTES)
        .manual_journal_persist(true)
}
