//! What the driver and its sessions share, and how each opens its connection.

use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dbdyno_driver::DbError;
use dbdyno_driver::embedded::Place;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::{error, options::Options};

/// A smaller cache than this does not work well: 16 pages.
const SMALLEST_CACHE_BYTES: u64 = 64 << 10;

/// Things that the driver and its sessions keep alive together.
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
        // A sync of macOS leaves data in the cache of the drive, unless it is asked for more, as Rust's own is by the other stores.
        #[cfg(target_vendor = "apple")]
        connection.pragma_update(None, "fullfsync", true)?;
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
