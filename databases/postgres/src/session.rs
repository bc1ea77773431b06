//! The operations, as YCSB's JDBC binding does them: one prepared statement each, committed by itself.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session};
use futures_util::TryStreamExt;
use tokio_postgres::Row as Record;

use crate::exchange::Broken;
use crate::link::{Connector, Link};
use crate::statements::{Shape, Statements, fields_of};
use crate::values::{Column, Parameter};

/// The pause before the answer that there is no connection, so that clients of a dead server do not spin.
const PAUSE: Duration = Duration::from_millis(50);

/// Collations whose order is that of the bytes.
const BYTEWISE: [&str; 4] = ["C", "POSIX", "C.UTF-8", "ucs_basic"];

/// One client's connection.
pub struct PostgresSession {
    connector: Arc<Connector>,
    /// `None` after it broke: the next operation makes another.
    link: Option<Box<Link>>,
    statements: Statements,
    /// Why scans would not be in the order of keys, if so.
    unordered: Option<String>,
}

impl PostgresSession {
    /// A session over this connection; a missing table, or one of another shape, is found out here.
    pub(crate) async fn open(
        connector: Arc<Connector>,
        link: Link,
        statements: Statements,
        collation: Option<String>,
    ) -> Result<Self, DbError> {
        let mut link = Box::new(link);
        for shape in Shape::all(statements.len()) {
            link.prepared(&shape, || statements.sql(&shape)).await?;
        }
        Ok(Self {
            connector,
            link: Some(link),
            statements,
            unordered: collation.filter(|name| !BYTEWISE.contains(&name.as_str())),
        })
    }

    /// Takes the connection, made anew when it broke. It is given back by [`keep`](Self::keep): an operation that is given
    /// up in the middle loses it.
    async fn taken(&mut self) -> Result<Box<Link>, DbError> {
        match self.link.take() {
            Some(link) => Ok(link),
            None => match self.connector.link().await {
                Ok(link) => Ok(Box::new(link)),
                Err(error) => {
                    tokio::time::sleep(PAUSE).await;
                    Err(error)
                }
            },
        }
    }

    /// Keeps the connection for the next operation, unless it is lost.
    fn keep<T>(&mut self, link: Box<Link>, answer: Result<T, Broken>) -> Result<T, DbError> {
        if !matches!(answer, Err(Broken { lost: true, .. })) {
            self.link = Some(link);
        }
        answer.map_err(DbError::from)
    }

    /// Asks for rows, and gives each to `row` as it comes.
    async fn query(
        &mut self,
        shape: &Shape,
        parameters: &[Parameter<'_>],
        mut row: impl FnMut(&Record),
    ) -> Result<(), DbError> {
        let mut link = self.taken().await?;
        let asked = async {
            let statement = link.prepared(shape, || self.statements.sql(shape)).await?;
            let (client, mut waiter) = link.split();
            let rows = async {
                let stream = client.query_raw(&statement, parameters.iter().copied()).await?;
                let mut stream = std::pin::pin!(stream);
                while let Some(record) = stream.try_next().await? {
                    row(&record);
                }
                Ok(())
            };
            waiter.wait(rows).await
        };
        let answer = asked.await;
        self.keep(link, answer)
    }

    /// Runs a statement that writes; how many records it changed.
    async fn execute(&mut self, shape: &Shape, key: &Key, row: &Row) -> Result<u64, DbError> {
        let mut link = self.taken().await?;
        let mut parameters = Vec::with_capacity(row.len() + 1);
        parameters.push(Parameter::Text(key.as_bytes()));
        parameters.extend(row.iter().map(|(_, value)| Parameter::Text(value)));
        let asked = async {
            let statement = link.prepared(shape, || self.statements.sql(shape)).await?;
            let (client, mut waiter) = link.split();
            waiter.wait(client.execute_raw(&statement, parameters)).await
        };
        let answer = asked.await;
        self.keep(link, answer)
    }

    fn known(&self, row: &Row) -> Result<(), DbError> {
        match row.iter().find(|(index, _)| *index >= self.statements.len()) {
            None => Ok(()),
            Some((index, _)) => Err(DbError::new(
                ErrorClass::Rejected,
                format!("the table {} has no field {index}", self.statements.name),
            )),
        }
    }
}

/// Puts the columns from `first` on into a row.
fn fill(record: &Record, first: usize, fields: Fields, row: &mut Row) {
    let start = match fields {
        Fields::One(index) => index,
        Fields::All | Fields::AllByName => 0,
    };
    for (index, column) in (start..).zip(first..record.len()) {
        // Columns that hold nothing are fields that the record does not have.
        if let Ok(Some(Column(value))) = record.try_get(column) {
            row.push(index, value);
        }
    }
}

impl Session for PostgresSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        let mut found = Found::No;
        let (shape, parameter) = (Shape::read(fields), [Parameter::Text(key.as_bytes())]);
        let asked = self.query(&shape, &parameter, |record| {
            found = Found::Yes;
            fill(record, 0, fields, row);
        });
        asked.await?;
        Ok(found)
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        rows.clear();
        if let Some(collation) = &self.unordered {
            return Err(DbError::new(
                ErrorClass::Rejected,
                format!(
                    "the keys of {} are in the order of collation {collation}, not in that of their bytes; load the table with \
                     dbdyno, or give its key the collation \"C\"",
                    self.statements.name
                ),
            ));
        }
        let parameters = [
            Parameter::Text(from.as_bytes()),
            Parameter::Limit(i64::from(limit)),
        ];
        let shape = Shape::scan(fields);
        let mut answered = 0_u32;
        let asked = self.query(&shape, &parameters, |record| {
            answered = answered.saturating_add(1);
            if let Ok(Column(name)) = record.try_get(0)
                && answered <= limit
            {
                fill(record, 1, fields, rows.push(name));
            }
        });
        let answer = asked.await.and_then(|()| match answered <= limit {
            true => Ok(rows.len() as u32),
            false => Err(DbError::new(
                ErrorClass::Bug,
                format!("the server answered with {answered} rows where {limit} were asked for"),
            )),
        });
        if answer.is_err() {
            rows.clear();
        }
        answer
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        self.known(row)?;
        self.execute(&Shape::Insert(fields_of(row)), key, row)
            .await
            .map(drop)
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        self.known(changed)?;
        let count = self
            .execute(&Shape::Update(fields_of(changed)), key, changed)
            .await?;
        if count == 0 {
            return Err(DbError::new(
                ErrorClass::NotFound,
                "there is no such record to update",
            ));
        }
        Ok(())
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.execute(&Shape::Delete, key, &Row::new()).await.map(drop)
    }
}
