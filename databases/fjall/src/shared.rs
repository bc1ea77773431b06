//! The open database, shared by the driver and its sessions.

use std::path::Path;

use dbdyno_driver::embedded::{KeyLocks, Place};
use dbdyno_driver::{DbError, Durability};
use fjall::{Database, PersistMode};

use crate::{error, options::Options};

/// Things that the driver and its sessions keep alive together. The fields are dropped in order: the database stops its
/// threads and writes its journal out before a temporary directory is removed.
pub(crate) struct Shared {
    pub database: Database,
    /// fjall has no atomic read-modify-write outside its transactions; see the README.
    pub locks: KeyLocks,
    pub options: Options,
    pub place: Place,
}

impl Shared {
    /// Brings what was written to the level of durability asked for.
    pub fn persist(&self) -> Result<(), DbError> {
        let mode = match self.options.durability {
            Durability::None => return Ok(()),
            Durability::Buffered => PersistMode::Buffer,
            Durability::Synced => PersistMode::SyncData,
        };
        self.database.persist(mode).map_err(error::classify(self.path()))
    }

    pub fn path(&self) -> &Path {
        self.place.path()
    }
}
