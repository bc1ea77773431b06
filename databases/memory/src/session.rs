//! One client of one table.

use std::sync::Arc;

use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session};

use crate::{error, table::Records};

/// Reads and writes the shared table; its scratch buffer is its own.
pub struct MemorySession {
    records: Arc<Records>,
    scratch: Vec<u8>,
}

impl MemorySession {
    pub(crate) fn new(records: Arc<Records>) -> Self {
        Self {
            records,
            scratch: Vec::new(),
        }
    }
}

impl Session for MemorySession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        match self.records.read(key.as_bytes(), fields, row) {
            Ok(true) => Ok(Found::Yes),
            Ok(false) => Ok(Found::No),
            Err(malformed) => Err(error::malformed(malformed)),
        }
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        self.records
            .scan(from.as_bytes(), limit, fields, rows)
            .map_err(error::malformed)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        self.records.insert(key.as_bytes(), row, &mut self.scratch);
        Ok(())
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        match self.records.update(key.as_bytes(), changed, &mut self.scratch) {
            Ok(true) => Ok(()),
            Ok(false) => Err(error::no_record(key)),
            Err(malformed) => Err(error::malformed(malformed)),
        }
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.records.delete(key.as_bytes());
        Ok(())
    }
}
