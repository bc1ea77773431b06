//! The operations, as YCSB's Redis binding does them: a hash for each record, and a sorted set of all for scans.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session};
use redis::{Cmd, RedisError, Value, cmd};

use crate::error::{classified, unexpected};
use crate::layout::{Layout, score};
use crate::link::{Connector, Link};
use crate::wait::Wait;

/// The pause before the answer that there is no connection, so that clients of a dead server do not spin.
const PAUSE: Duration = Duration::from_millis(50);

/// One client's connection.
pub struct RedisSession {
    connector: Arc<Connector>,
    /// `None` after it broke: the next operation makes another.
    link: Option<Link>,
    layout: Layout,
    /// Sent behind each write.
    wait: Option<Wait>,
    name: Vec<u8>,
    /// Values by field index while an answer is sorted.
    slots: Vec<Option<Vec<u8>>>,
}

impl RedisSession {
    pub(crate) fn new(connector: Arc<Connector>, link: Link, layout: Layout, wait: Option<Wait>) -> Self {
        Self {
            connector,
            link: Some(link),
            slots: vec![None; layout.field_names.len()],
            layout,
            wait,
            name: Vec::new(),
        }
    }

    async fn link(&mut self) -> Result<&mut Link, DbError> {
        if self.link.is_none() {
            match self.connector.link().await {
                Ok(link) => self.link = Some(link),
                Err(error) => {
                    tokio::time::sleep(PAUSE).await;
                    return Err(error);
                }
            }
        }
        self.link
            .as_mut()
            .ok_or_else(|| unexpected("connecting", &self.connector.hosts()))
    }

    fn failed(&mut self, error: RedisError) -> DbError {
        self.link = self.link.take().filter(|link| link.outlives(&error));
        classified(error, &self.connector.hosts())
    }

    async fn send(&mut self, command: &Cmd) -> Result<Value, DbError> {
        let answer = self.link().await?.send(command).await;
        answer
            .and_then(Value::extract_error)
            .map_err(|error| self.failed(error))
    }

    async fn send_all(&mut self, commands: Vec<Cmd>) -> Result<Vec<Value>, DbError> {
        let answers = self.link().await?.send_all(commands).await;
        answers
            .and_then(|answers| answers.into_iter().map(Value::extract_error).collect())
            .map_err(|error| self.failed(error))
    }

    /// Writes: sends commands, and waits until as many copies have them as were asked for.
    async fn write(&mut self, mut commands: Vec<Cmd>) -> Result<(), DbError> {
        let Some(wait) = self.wait else {
            return self.send_all(commands).await.map(drop);
        };
        commands.push(wait.command());
        let answers = self.send_all(commands).await?;
        let counted = answers.last().unwrap_or(&Value::Nil);
        wait.check(counted, &self.connector.hosts())
    }

    /// The command that reads these fields of the record at `name`.
    fn reading(&self, name: &[u8], fields: Fields) -> Cmd {
        match fields {
            Fields::All => {
                let mut command = cmd("HGETALL");
                command.arg(name);
                command
            }
            Fields::AllByName => {
                let mut command = cmd("HMGET");
                command.arg(name).arg(&self.layout.field_names);
                command
            }
            Fields::One(index) => {
                let mut command = cmd("HMGET");
                command.arg(name).arg(&self.layout.field_names[index as usize]);
                command
            }
        }
    }

    /// Fills a row from the answer to [`reading`](Self::reading); whether any field was there.
    fn fill(&mut self, answer: Value, fields: Fields, row: &mut Row) -> Result<bool, DbError> {
        let Value::Array(values) = answer else {
            return Err(unexpected("a read", &self.connector.hosts()));
        };
        match fields {
            Fields::All => {
                let mut near = 0;
                let mut values = values.into_iter();
                while let (Some(name), Some(value)) = (values.next(), values.next()) {
                    if let (Value::BulkString(name), Value::BulkString(value)) = (name, value)
                        && let Some(index) = self.layout.field(&name, near)
                    {
                        self.slots[index] = Some(value);
                        near = index + 1;
                    }
                }
            }
            Fields::AllByName => {
                for (slot, value) in self.slots.iter_mut().zip(values) {
                    *slot = bulk(value);
                }
            }
            Fields::One(index) => {
                self.slots[index as usize] = values.into_iter().next().and_then(bulk);
            }
        }
        let mut any = false;
        for (index, slot) in (0..).zip(&mut self.slots) {
            if let Some(value) = slot.take() {
                row.push(index, &value);
                any = true;
            }
        }
        Ok(any)
    }

    /// What writes the given fields of the record at `self.name`.
    fn writing(&self, row: &Row) -> Cmd {
        let mut command = cmd("HSET");
        command.arg(&self.name);
        for (index, value) in row.iter() {
            command.arg(&self.layout.field_names[index as usize]).arg(value);
        }
        command
    }
}

fn bulk(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    }
}

impl Session for RedisSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        self.layout.name_into(key.as_bytes(), &mut self.name);
        let command = self.reading(&self.name, fields);
        let answer = self.send(&command).await?;
        if self.fill(answer, fields, row)? {
            return Ok(Found::Yes);
        }
        if fields == Fields::All {
            // A hash without fields does not exist.
            return Ok(Found::No);
        }
        // None of the fields is there: that is a record without them, or no record.
        let exists = cmd("EXISTS").arg(&self.name).to_owned();
        Ok(match self.send(&exists).await? {
            Value::Int(0) => Found::No,
            _ => Found::Yes,
        })
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        rows.clear();
        let mut command = cmd("ZRANGEBYSCORE");
        command
            .arg(&self.layout.index)
            .arg(score(from.as_bytes()))
            .arg("+inf")
            .arg("LIMIT")
            .arg(0)
            .arg(limit);
        let Value::Array(members) = self.send(&command).await? else {
            return Err(unexpected("ZRANGEBYSCORE", &self.connector.hosts()));
        };
        let keys: Vec<Vec<u8>> = members.into_iter().filter_map(bulk).collect();
        let mut name = std::mem::take(&mut self.name);
        let commands: Vec<Cmd> = keys
            .iter()
            .map(|key| {
                self.layout.name_into(key, &mut name);
                self.reading(&name, fields)
            })
            .collect();
        self.name = name;
        if commands.is_empty() {
            return Ok(0);
        }
        let answers = self.send_all(commands).await?;
        let mut row = Row::new();
        for (key, answer) in keys.iter().zip(answers) {
            row.clear();
            // A record that went away between the two steps is left out.
            if self.fill(answer, fields, &mut row)? {
                let found = rows.push(key);
                row.iter().for_each(|(index, value)| found.push(index, value));
            }
        }
        Ok(rows.len() as u32)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        self.layout.name_into(key.as_bytes(), &mut self.name);
        let mut commands = vec![self.writing(row)];
        let mut entry = cmd("ZADD");
        entry
            .arg(&self.layout.index)
            .arg(score(key.as_bytes()))
            .arg(key.as_bytes());
        commands.push(entry);
        if row.len() < self.layout.field_names.len() {
            // What an older record of that key had beyond these fields goes, for an insert writes the whole record.
            let mut rest = cmd("HDEL");
            rest.arg(&self.name);
            for (index, name) in (0..).zip(&self.layout.field_names) {
                if row.iter().all(|(given, _)| given != index) {
                    rest.arg(name);
                }
            }
            commands.push(rest);
        }
        self.write(commands).await
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        self.layout.name_into(key.as_bytes(), &mut self.name);
        let command = self.writing(changed);
        match self.wait {
            None => self.send(&command).await.map(drop),
            Some(_) => self.write(vec![command]).await,
        }
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.layout.name_into(key.as_bytes(), &mut self.name);
        let (mut hash, mut entry) = (cmd("DEL"), cmd("ZREM"));
        hash.arg(&self.name);
        entry.arg(&self.layout.index).arg(key.as_bytes());
        self.write(vec![hash, entry]).await
    }
}
