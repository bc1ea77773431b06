//! The operations: one call into the Java client each.

use std::sync::Arc;

use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session};
use dbdyno_jvm::{Channel, Reply};

use crate::calls;
use crate::shared::Shared;

/// One client's `Table` of the Java client. The connection under it recovers by itself.
pub struct HbaseSession {
    channel: Channel,
    shared: Arc<Shared>,
}

impl HbaseSession {
    pub(crate) fn new(channel: Channel, shared: Arc<Shared>) -> Self {
        Self { channel, shared }
    }

    fn write(&mut self, operation: u32, key: &Key, row: &Row) -> Result<(), DbError> {
        self.channel
            .begin()
            .bytes(key.as_bytes())
            .number(row.len() as u32);
        for (index, value) in row.iter() {
            self.channel.number(index).bytes(value);
        }
        let done = self.channel.call(operation).map(drop);
        done.map_err(|failure| self.shared.classify(failure))
    }
}

impl Drop for HbaseSession {
    fn drop(&mut self) {
        // Nobody is left to hear that closing failed.
        let _ = self.channel.begin().call(calls::END_SESSION);
    }
}

/// HBase sorts a row's columns by name, where `field10` comes before `field2`; a row is in the order of the fields.
fn fill(answer: &mut Reply<'_>, row: &mut Row) {
    let mut values: Vec<(u32, &[u8])> = (0..answer.number())
        .map(|_| (answer.number(), answer.bytes()))
        .collect();
    values.sort_unstable_by_key(|(index, _)| *index);
    for (index, value) in values {
        row.push(index, value);
    }
}

impl Session for HbaseSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        self.channel.begin().bytes(key.as_bytes()).fields(fields);
        let mut answer = self
            .channel
            .call(calls::READ)
            .map_err(|failure| self.shared.classify(failure))?;
        let found = answer.number() == 1;
        fill(&mut answer, row);
        Ok(if found { Found::Yes } else { Found::No })
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        rows.clear();
        self.channel
            .begin()
            .bytes(from.as_bytes())
            .number(limit)
            .fields(fields);
        let mut answer = self
            .channel
            .call(calls::SCAN)
            .map_err(|failure| self.shared.classify(failure))?;
        let count = answer.number();
        for _ in 0..count {
            let row = rows.push(answer.bytes());
            fill(&mut answer, row);
        }
        Ok(count)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        self.write(calls::INSERT, key, row)
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        self.write(calls::UPDATE, key, changed)
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.channel.begin().bytes(key.as_bytes());
        let done = self.channel.call(calls::DELETE).map(drop);
        done.map_err(|failure| self.shared.classify(failure))
    }
}
