//! A session with buffers that are reused from one operation to the next, as the engine reuses them.

use dbdyno_driver::{DbError, Driver, Fields, Found, Key, Row, Rows, Session};

use super::BlockOn;

/// The fields of a record: index and value.
pub type Record = Vec<(u32, Vec<u8>)>;

/// One client. Its buffers are never cleared by the suite: that is the driver's promise.
pub struct Client<'a, D: Driver, R: BlockOn> {
    session: D::Session,
    runtime: &'a R,
    key: Key,
    /// The row of the last read.
    pub row: Row,
    /// The rows of the last scan.
    pub rows: Rows,
}

impl<'a, D: Driver, R: BlockOn> Client<'a, D, R> {
    pub(super) fn new(session: D::Session, runtime: &'a R) -> Self {
        Self {
            session,
            runtime,
            key: Key::default(),
            row: Row::new(),
            rows: Rows::new(),
        }
    }

    fn set_key(&mut self, name: &str) {
        self.key
            .set(0, |buffer| buffer.extend_from_slice(name.as_bytes()));
    }

    /// Reads these fields of a record; `None` when it is not there.
    pub fn read(&mut self, key: &str, fields: Fields) -> Result<Option<Record>, DbError> {
        self.set_key(key);
        let found = self
            .runtime
            .block_on(self.session.read(&self.key, fields, &mut self.row))?;
        Ok((found == Found::Yes).then(|| record(&self.row)))
    }

    /// Whether the first poll of a read gives its answer.
    pub fn read_is_ready_at_once(&mut self, key: &str) -> bool {
        self.set_key(key);
        let future = std::pin::pin!(self.session.read(&self.key, Fields::All, &mut self.row));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        future.poll(&mut context).is_ready()
    }

    /// Scans, and returns the count that the driver gave; the records are in `rows`.
    pub fn scan(&mut self, from: &str, limit: u32, fields: Fields) -> Result<u32, DbError> {
        self.set_key(from);
        self.runtime
            .block_on(self.session.scan(&self.key, limit, fields, &mut self.rows))
    }

    /// Scans, and returns the names of the records.
    pub fn scan_names(&mut self, from: &str, limit: u32) -> Result<Vec<String>, DbError> {
        self.scan(from, limit, Fields::All)?;
        Ok(self
            .rows
            .iter()
            .map(|(key, _)| String::from_utf8_lossy(key.as_bytes()).into_owned())
            .collect())
    }

    /// Inserts a record.
    pub fn insert(&mut self, key: &str, fields: &[(u32, &[u8])]) -> Result<(), DbError> {
        self.set_key(key);
        let row = row(fields);
        self.runtime.block_on(self.session.insert(&self.key, &row))
    }

    /// Updates a record.
    pub fn update(&mut self, key: &str, fields: &[(u32, &[u8])]) -> Result<(), DbError> {
        self.set_key(key);
        let row = row(fields);
        self.runtime.block_on(self.session.update(&self.key, &row))
    }

    /// Deletes a record.
    pub fn delete(&mut self, key: &str) -> Result<(), DbError> {
        self.set_key(key);
        self.runtime.block_on(self.session.delete(&self.key))
    }
}

/// The fields of a row.
pub fn record(row: &Row) -> Record {
    row.iter().map(|(index, value)| (index, value.to_vec())).collect()
}

/// A row of these fields.
pub fn row(fields: &[(u32, &[u8])]) -> Row {
    let mut row = Row::new();
    for (index, value) in fields {
        row.push(*index, value);
    }
    row
}
