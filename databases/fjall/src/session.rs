//! One client of one table.

use std::sync::Arc;

use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session, embedded};
use fjall::Keyspace;

use crate::{error, shared::Shared};

/// fjall refuses longer keys by panicking.
const LONGEST_KEY: usize = u16::MAX as usize;

/// Reads and writes one keyspace.
pub struct FjallSession {
    // Dropped before the database it belongs to.
    keyspace: Keyspace,
    shared: Arc<Shared>,
    scratch: Vec<u8>,
}

impl FjallSession {
    pub(crate) fn new(keyspace: Keyspace, shared: Arc<Shared>) -> Self {
        Self {
            keyspace,
            shared,
            scratch: Vec::new(),
        }
    }
}

fn checked(key: &Key) -> Result<&[u8], DbError> {
    let key = key.as_bytes();
    if key.is_empty() || key.len() > LONGEST_KEY {
        return Err(error::key_length(key.len()));
    }
    Ok(key)
}

impl Session for FjallSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        match self
            .keyspace
            .get(checked(key)?)
            .map_err(error::classify(self.shared.path()))?
        {
            Some(record) => {
                embedded::decode(&record, fields, row).map_err(|_| error::malformed())?;
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
        let range = self.keyspace.range(from.as_bytes()..);
        let mut found = 0;
        for entry in range.take(limit as usize) {
            let decoded = entry
                .into_inner()
                .map_err(error::classify(self.shared.path()))
                .and_then(|(key, record)| {
                    embedded::decode(&record, fields, rows.push(&key)).map_err(|_| error::malformed())
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
        let key = checked(key)?;
        embedded::encode(row, &mut self.scratch);
        {
            let _record = self.shared.locks.lock(key);
            self.keyspace
                .insert(key, self.scratch.as_slice())
                .map_err(error::classify(self.shared.path()))?;
        }
        self.shared.persist()
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        let name = checked(key)?;
        {
            let _record = self.shared.locks.lock(name);
            let old = self
                .keyspace
                .get(name)
                .map_err(error::classify(self.shared.path()))?;
            let old = old.ok_or_else(|| error::no_record(key))?;
            embedded::merge(&old, changed, &mut self.scratch).map_err(|_| error::malformed())?;
            self.keyspace
                .insert(name, self.scratch.as_slice())
                .map_err(error::classify(self.shared.path()))?;
        }
        self.shared.persist()
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        let key = checked(key)?;
        {
            let _record = self.shared.locks.lock(key);
            self.keyspace
                .remove(key)
                .map_err(error::classify(self.shared.path()))?;
        }
        self.shared.persist()
    }
}
