//! The operations, as YCSB's MongoDB binding does them: a document for each record, its key in `_id`, fields as binary.

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session, Table};
use mongodb::bson::{RawDocumentBuf, doc};
use mongodb::{ClientSession, Collection, Database};

use crate::deadline::within;
use crate::documents::Documents;
use crate::error::classified;
use crate::options::Settings;

/// One client.
pub struct MongodbSession {
    /// Its logical session: without one, the library would take one out of its pool for each operation, and start a task
    /// that puts it back.
    own: ClientSession,
    database: Database,
    records: Collection<RawDocumentBuf>,
    settings: Settings,
    documents: Documents,
}

impl MongodbSession {
    pub(crate) fn new(own: ClientSession, database: Database, settings: Settings, table: &Table) -> Self {
        Self {
            own,
            records: database.collection(&table.name),
            database,
            documents: Documents::new(&settings, table),
            settings,
        }
    }
}

impl Session for MongodbSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        // As a command rather than by `find_one`, whose cursor starts a task that would end it.
        let find = self
            .database
            .run_raw_command(self.documents.find(key, fields)?)
            .session(&mut self.own);
        let answer = within(&self.settings, find.into_future()).await?;
        if self.documents.fill_from_answer(&answer, row)? {
            Ok(Found::Yes)
        } else {
            Ok(Found::No)
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
        let find = self
            .records
            .find(doc! { "_id": { "$gte": self.documents.key(from)? } })
            .sort(doc! { "_id": 1 })
            .limit(i64::from(limit))
            .batch_size(limit);
        let find = match self.documents.projection(fields) {
            Some(projection) => find.projection(projection),
            None => find,
        };
        let walk = async {
            let mut cursor = find
                .session(&mut self.own)
                .await
                .map_err(|error| classified(error, &self.settings.hosts))?;
            while cursor
                .advance(&mut self.own)
                .await
                .map_err(|error| classified(error, &self.settings.hosts))?
            {
                let document = cursor.current();
                let name = document
                    .get_str("_id")
                    .map_err(|error| self.documents.unreadable(&error.to_string()))?;
                self.documents.fill(document, rows.push(name.as_bytes()))?;
            }
            Ok(())
        };
        let walked = tokio::time::timeout(self.settings.timeout, walk).await;
        walked
            .unwrap_or_else(|_| Err(crate::error::timeout(&self.settings.hosts, self.settings.timeout)))
            .inspect_err(|_| rows.clear())?;
        Ok(rows.len() as u32)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        let record = self.documents.record(key, row)?;
        let insert = self.records.insert_one(record).session(&mut self.own);
        within(&self.settings, insert.into_future()).await.map(drop)
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        let update = self
            .records
            .update_one(
                doc! { "_id": self.documents.key(key)? },
                doc! { "$set": self.documents.fields(changed) },
            )
            .session(&mut self.own);
        let done = within(&self.settings, update.into_future()).await?;
        if done.matched_count == 0 {
            return Err(DbError::new(
                ErrorClass::NotFound,
                "there is no such record to update",
            ));
        }
        Ok(())
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        let delete = self
            .records
            .delete_one(doc! { "_id": self.documents.key(key)? })
            .session(&mut self.own);
        within(&self.settings, delete.into_future()).await.map(drop)
    }
}
