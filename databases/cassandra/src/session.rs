//! The operations, by prepared statements on YCSB's layout.

use std::sync::Arc;

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session};
use scylla::client::session::Session as Link;
use scylla::deserialize::DeserializationError;
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryRowsResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;

use crate::error::{of_execution, unexpected};
use crate::layout::Layout;
use crate::link::Connector;
use crate::statements::{PAUSE, Statements, prepare};

/// One client's statements, on the connections of its runtime.
pub struct CassandraSession {
    connector: Arc<Connector>,
    link: Arc<Link>,
    layout: Layout,
    /// What no workload sends, and single fields of wide tables, are added when they are first wanted.
    statements: Statements,
    changed: Vec<u32>,
}

impl CassandraSession {
    pub(crate) async fn new(connector: Arc<Connector>, layout: Layout) -> Result<Self, DbError> {
        let link = connector.link().await?;
        let statements = connector.statements(&link, &layout).await?;
        Ok(Self {
            connector,
            link,
            layout,
            statements,
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

/// Copies the records of a scan. The library believes an answer how many it has, and where they have no columns, gives that many
/// out of nothing: an answer of more than were asked for is not begun.
fn copy<'frame, 'metadata>(
    records: impl ExactSizeIterator<Item = Result<ColumnIterator<'frame, 'metadata>, DeserializationError>>,
    limit: u32,
    fields: Fields,
    rows: &mut Rows,
    hosts: &str,
) -> Result<(), DbError> {
    let count = records.len();
    if count > limit as usize {
        return Err(DbError::new(
            ErrorClass::Bug,
            format!(
                "Cassandra at {hosts} gave an unexpected answer: {count} records, where {limit} were asked for"
            ),
        ));
    }
    for record in records {
        let mut columns = record.map_err(|error| unexpected(error, hosts))?;
        let key = columns
            .next()
            .transpose()
            .map_err(|error| unexpected(error, hosts))?
            .and_then(|column| column.slice)
            .map_or(&[][..], |key| key.as_slice());
        fill(columns, fields, rows.push(key), hosts)?;
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
            Fields::All | Fields::AllByName => &self.statements.read_all,
            Fields::One(index) => {
                if !self.statements.read_one.contains_key(&index) {
                    let prepared = prepare(
                        &self.link,
                        self.connector.consistency(),
                        &self.connector.hosts(),
                        self.layout.read(fields),
                    )
                    .await?;
                    self.statements.read_one.insert(index, prepared);
                }
                &self.statements.read_one[&index]
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
        if !self.statements.scans.contains_key(&which) {
            let prepared = prepare(
                &self.link,
                self.connector.consistency(),
                &self.connector.hosts(),
                self.layout.scan(fields),
            )
            .await?;
            self.statements.scans.insert(which, prepared);
        }
        let values = (from.as_str(), i32::try_from(limit).unwrap_or(i32::MAX));
        let statement = &self.statements.scans[&which];
        let answer = Self::ask(&self.link, &self.connector, statement, values).await?;
        let hosts = self.connector.hosts();
        let records = answer
            .rows::<ColumnIterator<'_, '_>>()
            .map_err(|error| unexpected(error, &hosts))?;
        copy(records, limit, fields, rows, &hosts)?;
        Ok(rows.len() as u32)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        let mut values: Vec<Option<&str>> = vec![None; self.layout.columns.len() + 1];
        values[0] = Some(key.as_str());
        for (index, value) in row.iter() {
            values[index as usize + 1] = Some(text(value, "a value")?);
        }
        Self::tell(&self.link, &self.connector, &self.statements.insert, values).await
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        if changed.is_empty() {
            return Ok(());
        }
        self.changed.clear();
        self.changed.extend(changed.iter().map(|(index, _)| index));
        if !self.statements.updates.contains_key(&self.changed) {
            let update = self.layout.update(&self.changed);
            let prepared = prepare(
                &self.link,
                self.connector.consistency(),
                &self.connector.hosts(),
                update,
            )
            .await?;
            self.statements.updates.insert(self.changed.clone(), prepared);
        }
        let mut values = Vec::with_capacity(changed.len() + 1);
        for (_, value) in changed.iter() {
            values.push(text(value, "a value")?);
        }
        values.push(key.as_str());
        let statement = &self.statements.updates[&self.changed];
        Self::tell(&self.link, &self.connector, statement, values).await
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        let statement = &self.statements.delete;
        Self::tell(&self.link, &self.connector, statement, (key.as_str(),)).await
    }
}

#[cfg(test)]
mod tests {
    use scylla::deserialize::FrameSlice;

    use super::*;

    #[test]
    fn a_scan_takes_no_more_records_than_it_asked_for() {
        // Of an answer without columns, which has nothing but their number.
        let claimed = |count: u32| (0..count).map(|_| Ok(ColumnIterator::new(&[], FrameSlice::new_empty())));
        let mut rows = Rows::new();
        let error = copy(claimed(11), 10, Fields::All, &mut rows, "h").unwrap_err();
        assert_eq!(error.class, ErrorClass::Bug);
        assert!(rows.is_empty(), "none of them was copied");
        copy(claimed(10), 10, Fields::All, &mut rows, "h").unwrap();
        assert_eq!(rows.len(), 10);
    }
}
