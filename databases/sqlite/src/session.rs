//! One client of one table, on a connection of its own. Each operation is one statement and one transaction.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session, Table};
use rusqlite::{CachedStatement, Connection};

use crate::{
    error,
    shared::{Shared, set_cache},
    statements::Statements,
};

/// Reads and writes one table.
pub struct SqliteSession {
    // Dropped, and so closed, before the place.
    connection: Connection,
    statements: Statements,
    membership: Membership,
    /// The number of sessions that this connection's cache was last sized for.
    cache_sized_for: usize,
}

/// Being counted among the open sessions.
struct Membership {
    shared: Arc<Shared>,
}

impl Membership {
    fn new(shared: Arc<Shared>) -> Self {
        shared.sessions.fetch_add(1, Ordering::Relaxed);
        Self { shared }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.shared.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

impl SqliteSession {
    pub(crate) fn open(table: &Table, shared: Arc<Shared>) -> Result<Self, DbError> {
        let connection = shared.open()?;
        let statements = Statements::new(table);
        connection.set_prepared_statement_cache_capacity(statements.count());
        // Names every column: a table of another shape is found out here, not by the first operation.
        connection
            .prepare_cached(&statements.read_all)
            .map_err(|error| error::table_shape(&shared.place, &table.name, error))?;
        for sql in statements.all() {
            connection.prepare_cached(sql).map_err(error::classify)?;
        }
        let mut session = Self {
            connection,
            statements,
            membership: Membership::new(shared),
            cache_sized_for: 0,
        };
        session.resize_cache()?;
        Ok(session)
    }

    /// Keeps the caches of all sessions together within the budget: looks whether sessions came or went since.
    fn resize_cache(&mut self) -> Result<(), DbError> {
        let sessions = self.membership.shared.sessions.load(Ordering::Relaxed);
        if sessions != self.cache_sized_for {
            let share = self.membership.shared.cache_share_bytes(sessions);
            set_cache(&self.connection, share).map_err(error::classify)?;
            self.cache_sized_for = sessions;
        }
        Ok(())
    }

    /// Runs a statement that writes, with the key as `?1` and the row's values from `?2` on; returns the rows changed.
    fn write(
        connection: &Connection,
        shared: &Shared,
        sql: &str,
        key: &Key,
        row: &Row,
    ) -> Result<usize, DbError> {
        let mut statement = connection.prepare_cached(sql).map_err(error::classify)?;
        bind_key(&mut statement, key)?;
        for (position, (_, value)) in row.iter().enumerate() {
            statement
                .raw_bind_parameter(position + 2, value)
                .map_err(error::classify)?;
        }
        let _writer = shared.write();
        statement
            .raw_execute()
            .map_err(error::classify_write(&shared.place))
    }
}

fn bind_key(statement: &mut CachedStatement<'_>, key: &Key) -> Result<(), DbError> {
    statement
        .raw_bind_parameter(1, key.as_str())
        .map_err(error::classify)
}

/// Fills the emptied `row` with the fields that are there, from the column `first` on.
fn fill(
    stored: &rusqlite::Row<'_>,
    first: usize,
    fields: Fields,
    columns: u32,
    row: &mut Row,
) -> Result<(), DbError> {
    let indexes = match fields {
        Fields::All | Fields::AllByName => 0..columns,
        Fields::One(index) => index..index + 1,
    };
    for (position, index) in indexes.enumerate() {
        let value = stored.get_ref(first + position).map_err(error::classify)?;
        let value = value.as_bytes_or_null().map_err(|_| error::malformed())?;
        if let Some(value) = value {
            row.push(index, value);
        }
    }
    Ok(())
}

impl Session for SqliteSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        self.resize_cache()?;
        let sql = match fields {
            Fields::All | Fields::AllByName => &self.statements.read_all,
            Fields::One(index) => self
                .statements
                .read_one
                .get(index as usize)
                .ok_or_else(|| error::no_field(index))?,
        };
        let mut statement = self.connection.prepare_cached(sql).map_err(error::classify)?;
        bind_key(&mut statement, key)?;
        let mut found = statement.raw_query();
        let Some(stored) = found.next().map_err(error::classify)? else {
            return Ok(Found::No);
        };
        let filled = fill(stored, 0, fields, self.statements.columns(), row);
        if filled.is_err() {
            row.clear();
        }
        filled.map(|()| Found::Yes)
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        rows.clear();
        self.resize_cache()?;
        let sql = match fields {
            Fields::All | Fields::AllByName => &self.statements.scan_all,
            Fields::One(index) => self
                .statements
                .scan_one
                .get(index as usize)
                .ok_or_else(|| error::no_field(index))?,
        };
        let mut statement = self.connection.prepare_cached(sql).map_err(error::classify)?;
        bind_key(&mut statement, from)?;
        statement.raw_bind_parameter(2, limit).map_err(error::classify)?;
        let mut found = statement.raw_query();
        let mut count = 0;
        let filled = loop {
            match found.next().map_err(error::classify) {
                Ok(Some(stored)) => {
                    let name = stored.get_ref(0).map_err(error::classify)?;
                    let name = name.as_bytes().map_err(|_| error::malformed())?;
                    let columns = self.statements.columns();
                    if let Err(error) = fill(stored, 1, fields, columns, rows.push(name)) {
                        break Err(error);
                    }
                    count += 1;
                }
                Ok(None) => break Ok(count),
                Err(error) => break Err(error),
            }
        };
        if filled.is_err() {
            rows.clear();
        }
        filled
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        self.resize_cache()?;
        if !self.statements.has(row) {
            return Err(error::no_such_fields(row));
        }
        let sql = self.statements.insert(row);
        Self::write(&self.connection, &self.membership.shared, sql, key, row).map(drop)
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        self.resize_cache()?;
        if !self.statements.has(changed) {
            return Err(error::no_such_fields(changed));
        }
        let found = if changed.is_empty() {
            let mut statement = self
                .connection
                .prepare_cached(&self.statements.exists)
                .map_err(error::classify)?;
            bind_key(&mut statement, key)?;
            statement.raw_query().next().map_err(error::classify)?.is_some()
        } else {
            let sql = self.statements.update(changed);
            Self::write(&self.connection, &self.membership.shared, sql, key, changed)? > 0
        };
        if found { Ok(()) } else { Err(error::no_record(key)) }
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.resize_cache()?;
        let shared = &self.membership.shared;
        let mut statement = self
            .connection
            .prepare_cached(&self.statements.delete)
            .map_err(error::classify)?;
        bind_key(&mut statement, key)?;
        let _writer = shared.write();
        statement
            .raw_execute()
            .map_err(error::classify_write(&shared.place))?;
        Ok(())
    }
}
