//! Opens the file; every session has a connection of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dbdyno_driver::embedded::{Place, table_name};
use dbdyno_driver::{DbError, Driver, DriverInfo, SystemFacts, Table, Target};
use rusqlite::{Connection, OptionalExtension, params};

use crate::info::INFO;
use crate::shared::Shared;
use crate::{SqliteSession, error, facts, options::Options, statements};

/// An open database file.
pub struct SqliteDriver {
    // Dropped, and so closed, before the place.
    control: Mutex<Connection>,
    shared: Arc<Shared>,
}

impl SqliteDriver {
    fn control(&self) -> MutexGuard<'_, Connection> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Driver for SqliteDriver {
    type Session = SqliteSession;
    const INFO: DriverInfo = INFO;

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let options = Options::read(target)?;
        if target.place.starts_with(':') {
            return Err(error::not_shareable(&target.place));
        }
        let shared = Arc::new(Shared {
            options,
            sessions: AtomicUsize::new(0),
            writer: Mutex::new(()),
            place: Place::file(&INFO, target)?,
        });
        Ok(Self {
            control: Mutex::new(shared.open()?),
            shared,
        })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        table_name(&table.name)?;
        let _writer = self.shared.write();
        self.control()
            .execute(&statements::create_table(table), [])
            .map_err(error::classify_write(&self.shared.place))?;
        Ok(())
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        let _writer = self.shared.write();
        let mut control = self.control();
        let transaction = control
            .transaction()
            .map_err(error::classify_write(&self.shared.place))?;
        transaction
            .execute(&statements::drop_table(table), [])
            .and_then(|_| transaction.execute(statements::CREATE_MANIFESTS, []))
            .and_then(|_| transaction.execute(statements::DELETE_MANIFEST, params![table.name]))
            .and_then(|_| transaction.commit())
            .map_err(error::classify_write(&self.shared.place))
    }

    async fn session(&self, table: &Table) -> Result<SqliteSession, DbError> {
        let exists: bool = self
            .control()
            .query_row(statements::TABLE_EXISTS, params![table.name], |row| row.get(0))
            .map_err(error::classify)?;
        if !exists {
            return Err(error::no_table(&self.shared.place, &table.name));
        }
        SqliteSession::open(table, Arc::clone(&self.shared))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        let sessions = self.shared.sessions.load(Ordering::Relaxed);
        facts::facts(&self.control(), &self.shared, sessions).map_err(error::classify)
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let control = self.control();
        let kept: bool = control
            .query_row(statements::TABLE_EXISTS, params![statements::MANIFESTS], |row| {
                row.get(0)
            })
            .map_err(error::classify)?;
        if !kept {
            return Ok(None);
        }
        control
            .query_row(statements::READ_MANIFEST, params![table.name], |row| row.get(0))
            .optional()
            .map_err(error::classify)
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        let _writer = self.shared.write();
        let control = self.control();
        control
            .execute(statements::CREATE_MANIFESTS, [])
            .and_then(|_| control.execute(statements::WRITE_MANIFEST, params![table.name, manifest]))
            .map_err(error::classify_write(&self.shared.place))?;
        Ok(())
    }
}
