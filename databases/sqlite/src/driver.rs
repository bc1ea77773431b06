//! Opens the file; every session has a connection of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dbdyno_driver::embedded::{Place, table_name};
use dbdyno_driver::{
    Capabilities, DbError, Driver, DriverInfo, Durability, Execution, ScanOrder, SystemFacts, Table, Target,
    Values,
};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::{SqliteSession, error, facts, options::Options, statements};

/// The constant facts about `sqlite`.
pub const INFO: DriverInfo = DriverInfo {
    name: "sqlite",
    summary: "embedded relational database in one file, write-ahead log",
    schemes: &["sqlite"],
    example: "sqlite:FILE",
    options: &[
        (
            "cache",
            "page cache, bytes, shared out among the sessions (default 32M)",
        ),
        (
            "busy_timeout",
            "how long to wait for another process's lock, e.g. 500ms (default 5s)",
        ),
    ],
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

/// A smaller cache than this does not work well: 16 pages.
const SMALLEST_CACHE_BYTES: u64 = 64 << 10;

/// An open database file.
pub struct SqliteDriver {
    // Dropped, and so closed, before the place.
    control: Mutex<Connection>,
    shared: Arc<Shared>,
}

/// What the driver and its sessions keep alive together.
pub(crate) struct Shared {
    pub options: Options,
    /// Open sessions: each may use an equal part of the cache.
    pub sessions: AtomicUsize,
    /// SQLite has one writer at a time, and lets the others sleep and try again, up to 100 ms at a time. Writers of this
    /// process queue here instead; `busy_timeout` is left for other processes.
    pub writer: Mutex<()>,
    pub place: Place,
}

impl Shared {
    /// The cache of each of that many sessions.
    pub fn cache_share_bytes(&self, sessions: usize) -> u64 {
        (self.options.cache_bytes / sessions.max(1) as u64).max(SMALLEST_CACHE_BYTES)
    }

    /// Waits for the other writers of this process.
    pub fn write(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new connection with the settings of this address.
    pub fn open(&self) -> Result<Connection, DbError> {
        let path = self.place.path();
        // No URI flag: a path is a path, whatever it looks like.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(path, flags).map_err(|error| error::open(&self.place, error))?;
        self.set_up(&connection)
            .map_err(|error| error::open(&self.place, error))?;
        if connection.is_readonly("main").map_err(error::classify)? {
            return Err(error::read_only(&self.place));
        }
        Ok(connection)
    }

    fn set_up(&self, connection: &Connection) -> rusqlite::Result<()> {
        // Otherwise SQLite takes the quoted name of a column that is not there for a text.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        connection.busy_timeout(self.options.busy_timeout)?;
        connection.pragma_update(None, "synchronous", self.options.synchronous())?;
        set_cache(connection, self.cache_share_bytes(1))?;
        let mode: String =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
        if mode.eq_ignore_ascii_case("wal") {
            Ok(())
        } else {
            // The file system has no shared memory for the log's index.
            Err(rusqlite::Error::InvalidParameterName(format!(
                "journal_mode=WAL (the file system allows only {mode})"
            )))
        }
    }
}

/// Sets the connection's page cache. SQLite counts kibibytes as negative numbers here.
pub(crate) fn set_cache(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    let kibibytes = i64::try_from(bytes >> 10).unwrap_or(i64::MAX);
    connection.pragma_update(None, "cache_size", -kibibytes)
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
