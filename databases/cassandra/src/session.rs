//! The operations, by prepared statements on YCSB's layout.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session};
use scylla::client::session::Session as Link;
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::Statement;
use scylla::statement::prepared::PreparedStatement;

use crate::error::{of_execution, of_preparing, unexpected};
use crate::layout::Layout;
use crate::link::{Connector, in_cql};

/// The pause before the answer that no node can be reached, so that clients of a dead cluster do not spin.
const PAUSE: Duration = Duration::from_millis(20);

/// One client's statements, on the connections of its runtime.
pub struct CassandraSession {
    connector: Arc<Connector>,
    link: Arc<Link>,
    layout: Layout,
    read_all: PreparedStatement,
    insert: PreparedStatement,
    /// Prepared when they are first wanted: by field, and for updates by the fields that change.
    read_one: HashMap<u32, PreparedStatement>,
    scans: HashMap<Option<u32>, PreparedStatement>,
    updates: HashMap<Vec<u32>, PreparedStatement>,
    delete: Option<PreparedStatement>,
    changed: Vec<u32>,
}

impl CassandraSession {
    pub(crate) async fn new(connector: Arc<Connector>, layout: Layout) -> Result<Self, DbError> {
        let link = connector.link().await?;
        let read_all = prepare(&link, &connector, layout.read(Fields::All)).await?;
        let insert = prepare(&link, &connector, layout.insert()).await?;
        Ok(Self {
            connector,
            link,
            layout,
            read_all,
            insert,
            read_one: HashMap::new(),
            scans: HashMap::new(),
            updates: HashMap::new(),
            delete: None,
            changed: Vec::new(),
        })
    }

    async fn failed(connector: &Connector, error: scylla::errors::ExecutionError) -> DbError {
        let error = of_execution(error, &connector.hosts());
        if error.class == ErrorClass::Unavailable {
            tokio::time::sleep(PAUSE).await;
        }
        error
    }

    async fn ask(
        link: &Link,
        connector: &Connector,
        statement: &PreparedStatement,
        values: impl SerializeRow,
    ) -> Result<QueryRowsResult, DbError> {
        match link.execute_unpaged(statement, values).await {
            Ok(answer) => answer
                .into_rows_result()
                .map_err(|error| unexpected(error, &connector.hosts())),
            Err(error) => Err(Self::failed(connector, error).await),
        }
    }

    async fn tell(
        link: &Link,
        connector: &Connector,
        statement: &PreparedStatement,
        values: impl SerializeRow,
    ) -> Result<(), DbError> {
        match link.execute_unpaged(statement, values).await {
            Ok(_) => Ok(()),
            Err(error) => Err(Self::failed(connector, error).await),
        }
    }
}

async fn prepare(link: &Link, connector: &Connector, text: String) -> Result<PreparedStatement, DbError> {
    let mut statement = Statement::new(text);
    statement.set_consistency(in_cql(connector.consistency()));
    match link.prepare(statement).await {
        Ok(mut prepared) => {
            // The columns are those of the statement: the answers need not repeat them.
            prepared.set_use_cached_result_metadata(true);
            Ok(prepared)
        }
        Err(error) => {
            let error = of_preparing(error, &connector.hosts());
            if error.class == ErrorClass::Unavailable {
                tokio::time::sleep(PAUSE).await;
            }
            Err(error)
        }
    }
}

/// The index of the first column of an answer to these fields.
fn first(fields: Fields) -> u32 {
    match fields {
        Fields::One(index) => index,
        Fields::All | Fields::AllByName => 0,
    }
}

/// Copies the values that are there from the frame into the row.
fn fill(columns: ColumnIterator<'_, '_>, fields: Fields, row: &mut Row, hosts: &str) -> Result<(), DbError> {
    for (index, column) in (first(fields)..).zip(columns) {
        let column = column.map_err(|error| unexpected(error, hosts))?;
        if let Some(value) = column.slice {
            row.push(index, value.as_slice());
        }
    }
    Ok(())
}

fn text<'a>(value: &'a [u8], what: &str) -> Result<&'a str, DbError> {
    std::str::from_utf8(value).map_err(|_| {
        DbError::new(
            ErrorClass::Rejected,
            format!(
                "{what} is not UTF-8, and YCSB's layout in Cassandra has text columns; use printable values"
            ),
        )
    })
}

impl Session for CassandraSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        let statement = match fields {
            Fields::All | Fields::AllByName => &self.read_all,
            Fields::One(index) => {
                if !self.read_one.contains_key(&index) {
                    let prepared = prepare(&self.link, &self.connector, self.layout.read(fields)).await?;
                    self.read_one.insert(index, prepared);
                }
                &self.read_one[&index]
            }
        };
        let answer = Self::ask(&self.link, &self.connector, statement, (key.as_str(),)).await?;
        let hosts = || self.connector.hosts();
        let found = answer
            .maybe_first_row::<ColumnIterator<'_, '_>>()
            .map_err(|error| unexpected(error, &hosts()))?;
        let Some(columns) = found else {
            return Ok(Found::No);
        };
        for (index, column) in (first(fields)..).zip(columns) {
            let column = column.map_err(|error| unexpected(error, &hosts()))?;
            if let Some(value) = column.slice {
                row.push(index, value.as_slice());
            }
        }
        Ok(Found::Yes)
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        rows.clear();
        if limit == 0 {
            return Ok(0);
        }
        let which = match fields {
            Fields::One(index) => Some(index),
            Fields::All | Fields::AllByName => None,
        };
        if !self.scans.contains_key(&which) {
            let prepared = prepare(&self.link, &self.connector, self.layout.scan(fields)).await?;
            self.scans.insert(which, prepared);
        }
        let limit = i32::try_from(limit).unwrap_or(i32::MAX);
        let values = (from.as_str(), limit);
        let answer = Self::ask(&self.link, &self.connector, &self.scans[&which], values).await?;
        let hosts = self.connector.hosts();
        let records = answer
            .rows::<ColumnIterator<'_, '_>>()
            .map_err(|error| unexpected(error, &hosts))?;
        for record in records {
            let mut columns = record.map_err(|error| unexpected(error, &hosts))?;
            let key = columns
                .next()
                .transpose()
                .map_err(|error| unexpected(error, &hosts))?
                .and_then(|column| column.slice)
                .map_or(&[][..], |key| key.as_slice());
            fill(columns, fields, rows.push(key), &hosts)?;
        }
        Ok(rows.len() as u32)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        let mut values: Vec<Option<&str>> = vec![None; self.layout.columns.len() + 1];
        values[0] = Some(key.as_str());
        for (index, value) in row.iter() {
            values[index as usize + 1] = Some(text(value, "a value")?);
        }
        Self::tell(&self.link, &self.connector, &self.insert, values).await
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        if changed.is_empty() {
            return Ok(());
        }
        self.changed.clear();
        self.changed.extend(changed.iter().map(|(index, _)| index));
        if !self.updates.contains_key(&self.changed) {
            let prepared = prepare(&self.link, &self.connector, self.layout.update(changed)).await?;
            self.updates.insert(self.changed.clone(), prepared);
        }
        let mut values = Vec::with_capacity(changed.len() + 1);
        for (_, value) in changed.iter() {
            values.push(text(value, "a value")?);
        }
        values.push(key.as_str());
        Self::tell(&self.link, &self.connector, &self.updates[&self.changed], values).await
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        if self.delete.is_none() {
            self.delete = Some(prepare(&self.link, &self.connector, self.layout.delete()).await?);
        }
        match &self.delete {
            Some(statement) => Self::tell(&self.link, &self.connector, statement, (key.as_str(),)).await,
            None => Ok(()),
        }
    }
}
