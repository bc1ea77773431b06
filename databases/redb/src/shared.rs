//! The open database, shared by the driver and its sessions.

use std::path::Path;

use dbdyno_driver::embedded::Place;
use dbdyno_driver::{DbError, Durability};
use redb::{Database, TableDefinition, WriteTransaction};

use crate::{error, options::Options};

/// Records by key, as encoded by [`dbdyno_driver::embedded::encode`].
pub(crate) type Records<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

/// Things that the driver and its sessions keep alive together. The fields are dropped in order: the database is closed before
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
