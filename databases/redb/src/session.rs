//! One client of one table. Each operation is a transaction of its own, as an application's would be.

use std::sync::Arc;

use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session, embedded};
use redb::{ReadOnlyTable, ReadableDatabase, ReadableTable};

use crate::{
    error,
    shared::{Records, Shared},
};

/// Reads and writes one table.
pub struct RedbSession {
    table: String,
    shared: Arc<Shared>,
    scratch: Vec<u8>,
}

impl RedbSession {
    pub(crate) fn new(table: String, shared: Arc<Shared>) -> Self {
        Self {
            table,
            shared,
            scratch: Vec::new(),
        }
    }

    /// The table as it is now. Kept open longer it would show old records and keep their pages from being freed.
    fn snapshot(&self) -> Result<ReadOnlyTable<&'static [u8], &'static [u8]>, DbError> {
        let transaction = self
            .shared
            .database
            .begin_read()
            .map_err(error::classify(self.shared.path()))?;
        transaction
            .open_table(Records::new(&self.table))
            .map_err(error::classify(self.shared.path()))
    }
}

impl Session for RedbSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        let records = self.snapshot()?;
        match records
            .get(key.as_bytes())
            .map_err(error::classify(self.shared.path()))?
        {
            Some(record) => {
                embedded::decode(record.value(), fields, row).map_err(|_| error::malformed())?;
                Ok(Found::Yes)
            }
            None => Ok(Found::No),
        }
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        rows.clear();
        let records = self.snapshot()?;
        let range = records
            .range(from.as_bytes()..)
            .map_err(error::classify(self.shared.path()))?;
        let mut found = 0;
        for entry in range.take(limit as usize) {
            let decoded = entry
                .map_err(error::classify(self.shared.path()))
                .and_then(|(key, record)| {
                    embedded::decode(record.value(), fields, rows.push(key.value()))
                        .map_err(|_| error::malformed())
                });
            if let Err(error) = decoded {
                rows.clear();
                return Err(error);
            }
            found += 1;
        }
        Ok(found)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        // Encoded before the transaction begins: other writers wait only for the database.
        embedded::encode(row, &mut self.scratch);
        let transaction = self.shared.begin_write()?;
        transaction
            .open_table(Records::new(&self.table))
            .map_err(error::classify(self.shared.path()))?
            .insert(key.as_bytes(), self.scratch.as_slice())
            .map_err(error::classify(self.shared.path()))?;
        transaction.commit().map_err(error::classify(self.shared.path()))
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        let transaction = self.shared.begin_write()?;
        {
            let mut records = transaction
                .open_table(Records::new(&self.table))
                .map_err(error::classify(self.shared.path()))?;
            match records
                .get(key.as_bytes())
                .map_err(error::classify(self.shared.path()))?
            {
                Some(old) => embedded::merge(old.value(), changed, &mut self.scratch)
                    .map_err(|_| error::malformed())?,
                None => return Err(error::no_record(key)),
            }
            records
                .insert(key.as_bytes(), self.scratch.as_slice())
                .map_err(error::classify(self.shared.path()))?;
        }
        transaction.commit().map_err(error::classify(self.shared.path()))
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        let transaction = self.shared.begin_write()?;
        transaction
            .open_table(Records::new(&self.table))
            .map_err(error::classify(self.shared.path()))?
            .remove(key.as_bytes())
            .map_err(error::classify(self.shared.path()))?;
        transaction.commit().map_err(error::classify(self.shared.path()))
    }
}
