//! One client of one table: the healthy one's answers, spoilt as planted.

use std::sync::{Arc, PoisonError};

use dbdyno_database_memory::MemorySession;
use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session};

use crate::shared::Shared;

/// How many writes a stale replica lags behind.
const LAG: usize = 64;

/// Counts its operations: which one is spoilt depends on nothing else, so the same work meets the same defects.
pub struct SickSession {
    healthy: MemorySession,
    table: String,
    shared: Arc<Shared>,
    operations: u64,
    inserts: u64,
    reads: u64,
}

impl SickSession {
    pub(crate) fn new(healthy: MemorySession, table: &str, shared: Arc<Shared>) -> Self {
        Self {
            healthy,
            table: table.to_owned(),
            shared,
            operations: 0,
            inserts: 0,
            reads: 0,
        }
    }

    /// Takes the time that was planted, and stands still with all others while one of them stalls.
    fn suffer(&mut self) {
        self.operations += 1;
        if let Some(deferred) = &self.shared.deferred {
            deferred.note_operation();
        }
        let defects = &self.shared.defects;
        let wait = defects.wait(self.operations, self.shared.outlier);
        if !wait.is_zero() {
            std::thread::sleep(wait);
        }
        if defects.stall_every == 0 {
            return;
        }
        // The lock guards nothing that a panic could leave half done.
        if self.operations.is_multiple_of(defects.stall_every) {
            let _all = self
                .shared
                .standstill
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            std::thread::sleep(defects.stall);
        } else {
            drop(
                self.shared
                    .standstill
                    .read()
                    .unwrap_or_else(PoisonError::into_inner),
            );
        }
    }

    /// Leaves the work of a write behind that was done.
    fn put_off(&self) {
        if let Some(deferred) = &self.shared.deferred {
            deferred.note_write();
        }
    }

    /// Keeps what the record is now for later stale reads.
    async fn overtake(&mut self, key: &Key) -> Result<(), DbError> {
        if self.shared.defects.stale_every == 0 {
            return Ok(());
        }
        let mut before = Row::default();
        let before = match self.healthy.read(key, Fields::All, &mut before).await? {
            Found::Yes => Some(before),
            Found::No => None,
        };
        let mut overtaken = self
            .shared
            .overtaken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        overtaken.push_back((self.table.clone(), key.as_bytes().to_vec(), before));
        if overtaken.len() > LAG {
            overtaken.pop_front();
        }
        Ok(())
    }

    /// The answer of a replica that lacks the last writes; `None` when none of them was to this record.
    fn stale(&self, key: &Key, fields: Fields, row: &mut Row) -> Option<Found> {
        let overtaken = self
            .shared
            .overtaken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // What it was before the first write that the replica lacks.
        let (_, _, before) = overtaken
            .iter()
            .find(|(table, name, _)| *table == self.table && name == key.as_bytes())?;
        row.clear();
        let Some(before) = before else {
            return Some(Found::No);
        };
        for (index, value) in before.iter() {
            let wanted = match fields {
                Fields::All | Fields::AllByName => true,
                Fields::One(only) => only == index,
            };
            if wanted {
                row.push(index, value);
            }
        }
        Some(Found::Yes)
    }
}

fn due(count: u64, every: u64) -> bool {
    every > 0 && count.is_multiple_of(every)
}

fn corrupt(row: &mut Row) {
    let wrong: Vec<(u32, Vec<u8>)> = row
        .iter()
        .map(|(index, value)| (index, value.iter().map(|byte| byte ^ 1).collect()))
        .collect();
    row.clear();
    for (index, value) in wrong {
        row.push(index, &value);
    }
}

/// Leaves the first field only.
fn drop_fields(row: &mut Row) {
    let first = row.iter().next().map(|(index, value)| (index, value.to_vec()));
    row.clear();
    if let Some((index, value)) = first {
        row.push(index, &value);
    }
}

impl Session for SickSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        self.suffer();
        self.reads += 1;
        if due(self.reads, self.shared.defects.stale_every)
            && let Some(answer) = self.stale(key, fields, row)
        {
            return Ok(answer);
        }
        let found = self.healthy.read(key, fields, row).await?;
        if found == Found::Yes && due(self.reads, self.shared.defects.corrupt_every) {
            corrupt(row);
        }
        if found == Found::Yes && due(self.reads, self.shared.defects.drop_every) {
            drop_fields(row);
        }
        Ok(found)
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        self.suffer();
        self.healthy.scan(from, limit, fields, rows).await
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        self.suffer();
        self.inserts += 1;
        self.put_off();
        if due(self.inserts, self.shared.defects.lose_every) {
            return Ok(());
        }
        self.overtake(key).await?;
        self.healthy.insert(key, row).await
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        self.suffer();
        self.put_off();
        self.overtake(key).await?;
        self.healthy.update(key, changed).await
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.suffer();
        self.put_off();
        self.healthy.delete(key).await
    }
}
