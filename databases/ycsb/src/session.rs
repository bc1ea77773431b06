//! The operations: one call into the binding each.

use std::sync::{Arc, PoisonError};

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session};
use dbdyno_jvm::{Channel, Failure, Reply};

use crate::calls;
use crate::error::{self, Answered};
use crate::shared::{Shared, milliseconds};

/// One instance of the binding, for one client.
pub struct YcsbSession {
    pub(crate) channel: Channel,
    pub(crate) shared: Arc<Shared>,
    ready: bool,
}

impl YcsbSession {
    /// An instance of the binding for this table, ready.
    pub(crate) fn open(shared: &Arc<Shared>, table: &str, fields: &[String]) -> Result<Self, DbError> {
        let options = &shared.options;
        let child = {
            // A request is always begun anew: one that was left half written does no harm.
            let mut connection = shared.connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection
                .begin()
                .bytes(table.as_bytes())
                .bytes(options.key_field.as_deref().unwrap_or_default().as_bytes())
                .number(u32::from(options.unread))
                .number(milliseconds(options.connect_timeout))
                .number(fields.len() as u32);
            for name in fields {
                connection.bytes(name.as_bytes());
            }
            connection
                .call(calls::SESSION)
                .map(drop)
                .and_then(|()| connection.take_child())
                .map_err(|failure| error::starting(&failure, &options.class))?
        };
        Self::start(child, Arc::clone(shared))
    }

    /// Lets the instance get ready. It is called on the thread that will use it, as YCSB does.
    fn start(channel: Channel, shared: Arc<Shared>) -> Result<Self, DbError> {
        let mut session = Self {
            channel,
            shared,
            ready: false,
        };
        let timeout = milliseconds(session.shared.options.timeout);
        let started = session
            .channel
            .begin()
            .number(timeout)
            .call(calls::INIT)
            .map(drop);
        started.map_err(|failure| error::starting(&failure, &session.shared.options.class))?;
        session.ready = true;
        Ok(session)
    }

    fn write(&mut self, operation: u32, key: &Key, row: &Row) -> Result<Answered, DbError> {
        self.channel
            .begin()
            .bytes(key.as_bytes())
            .number(row.len() as u32);
        for (index, value) in row.iter() {
            if !is_text(value) {
                return Err(no_text(key, index));
            }
            self.channel.number(index).bytes(value);
        }
        let class = &self.shared.options.class;
        answered(self.channel.call(operation), class).and_then(|mut answer| error::status(&mut answer, class))
    }
}

impl Drop for YcsbSession {
    fn drop(&mut self) {
        if self.ready {
            // Nobody is left to hear that closing failed.
            let _ = self.channel.begin().call(calls::CLEANUP);
        }
    }
}

/// The answer, or the exception in our words.
pub(crate) fn answered<'a>(result: Result<Reply<'a>, Failure>, class: &str) -> Result<Reply<'a>, DbError> {
    result.map_err(|failure| error::thrown(&failure, class))
}

/// What YCSB's values are: bindings turn them into texts and back as they like.
fn is_text(value: &[u8]) -> bool {
    // All bytes at once: that is one pass in wide registers, for values that are nearly always plain.
    let plain = value
        .iter()
        .fold(true, |plain, byte| plain & (1..128).contains(byte));
    plain || std::str::from_utf8(value).is_ok() && !value.contains(&0)
}

#[cold]
fn no_text(key: &Key, index: u32) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "the value of field {index} of {} is not text, and a binding of YCSB need not keep anything else",
            key.as_str()
        ),
    )
}

fn fill(answer: &mut Reply<'_>, row: &mut Row) {
    for _ in 0..answer.number() {
        let index = answer.number();
        row.push(index, answer.bytes());
    }
}

impl Session for YcsbSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        self.channel.begin().bytes(key.as_bytes()).fields(fields);
        let options = &self.shared.options;
        let mut answer = answered(self.channel.call(calls::READ), &options.class)?;
        if options.error_is_missing && error::is_error(answer) {
            return Ok(Found::No);
        }
        match error::status(&mut answer, &options.class)? {
            Answered::Done => {
                fill(&mut answer, row);
                Ok(Found::Yes)
            }
            Answered::NotFound => Ok(Found::No),
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
        self.channel
            .begin()
            .bytes(from.as_bytes())
            .number(limit)
            .fields(fields);
        let class = &self.shared.options.class;
        let mut answer = answered(self.channel.call(calls::SCAN), class)?;
        if error::status(&mut answer, class)? == Answered::NotFound {
            return Ok(0);
        }
        let count = answer.number();
        for _ in 0..count {
            let row = rows.push(answer.bytes());
            fill(&mut answer, row);
        }
        Ok(count)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        let written = self.write(calls::INSERT, key, row)?;
        self.shared.must_be_done(written, "insert", key)
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        let written = self.write(calls::UPDATE, key, changed)?;
        self.shared.must_be_done(written, "update", key)
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.channel.begin().bytes(key.as_bytes());
        let class = &self.shared.options.class;
        let mut answer = answered(self.channel.call(calls::DELETE), class)?;
        // NOT_FOUND is no error: what is to go is not there.
        error::status(&mut answer, class).map(drop)
    }
}
