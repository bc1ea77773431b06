//! The operations, as YCSB's MongoDB binding does them: a document for each record, its key in `_id`, fields as binary.

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session, Table};
use futures_util::future::try_join_all;
use mongodb::bson::{Document, RawDocument, RawDocumentBuf, doc};
use mongodb::{ClientSession, Collection, Database};

use crate::deadline::within;
use crate::documents::Documents;
use crate::error::classified;
use crate::options::Settings;
use crate::shard_key::Partition;

/// One client.
pub struct MongodbSession {
    /// One, unless this driver spreads the records.
    shards: Vec<Shard>,
    partition: Partition,
    settings: Settings,
    documents: Documents,
}

/// A server or set, as one client sees it.
pub(crate) struct Shard {
    /// Its logical session: without one, the library would take one out of its pool for each operation, and start a task
    /// that puts it back.
    own: ClientSession,
    database: Database,
    records: Collection<RawDocumentBuf>,
}

impl Shard {
    pub(crate) fn new(own: ClientSession, database: Database, table: &Table) -> Self {
        Self {
            own,
            records: database.collection(&table.name),
            database,
        }
    }

    /// Shows each of the first so many records from a key on, in the order of their keys.
    async fn walk(
        &mut self,
        range: &ScanRange<'_>,
        limit: u32,
        mut see: impl FnMut(&RawDocument) -> Result<(), DbError>,
    ) -> Result<(), DbError> {
        let find = self
            .records
            .find(doc! { "_id": { "$gte": range.from } })
            .sort(doc! { "_id": 1 })
            .limit(i64::from(limit))
            .batch_size(limit);
        let find = match range.projection {
            Some(projection) => find.projection(projection.clone()),
            None => find,
        };
        let failed = |error| classified(error, range.hosts);
        let mut cursor = find.session(&mut self.own).await.map_err(failed)?;
        while cursor.advance(&mut self.own).await.map_err(failed)? {
            see(cursor.current())?;
        }
        Ok(())
    }
}

/// Where a scan begins, and the fields that it wants.
struct ScanRange<'a> {
    from: &'a str,
    projection: Option<&'a Document>,
    hosts: &'a str,
}

impl MongodbSession {
    pub(crate) fn new(shards: Vec<Shard>, settings: Settings, table: &Table) -> Self {
        Self {
            shards,
            partition: settings.spread.partition(),
            documents: Documents::new(&settings, table),
            settings,
        }
    }

    /// The name of a record, and the shard that it lies on.
    fn place<'k>(&self, key: &'k Key) -> Result<(&'k str, usize), DbError> {
        let name = self.documents.key(key)?;
        Ok((name, self.partition.shard_of(name)))
    }
}

impl Session for MongodbSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        let (_, shard) = self.place(key)?;
        let shard = &mut self.shards[shard];
        // As a command rather than by `find_one`, whose cursor starts a task that would end it.
        let find = shard
            .database
            .run_raw_command(self.documents.find(key, fields)?)
            .session(&mut shard.own);
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
        let Self {
            shards,
            partition,
            settings,
            documents,
        } = self;
        let projection = documents.projection(fields);
        let range = ScanRange {
            from: documents.key(from)?,
            projection: projection.as_ref(),
            hosts: &settings.hosts,
        };
        let walk = async {
            let Some(in_order) = partition.scanned_in_order(range.from) else {
                let answers = shards.iter_mut().map(async |shard| {
                    let mut found = Vec::new();
                    let keep = |document: &RawDocument| {
                        found.push(document.to_owned());
                        Ok(())
                    };
                    shard.walk(&range, limit, keep).await?;
                    Ok(found)
                });
                return merge(documents, try_join_all(answers).await?, limit, rows);
            };
            for shard in &mut shards[in_order] {
                let lacking = limit.saturating_sub(rows.len() as u32);
                // To the library, a limit of 0 is none.
                if lacking == 0 {
                    break;
                }
                let fill = |document: &RawDocument| {
                    let name = documents.name(document)?;
                    documents.fill(document, rows.push(name.as_bytes()))
                };
                shard.walk(&range, lacking, fill).await?;
            }
            Ok(())
        };
        let walked = tokio::time::timeout(settings.timeout, walk).await;
        walked
            .unwrap_or_else(|_| Err(crate::error::timeout(&settings.hosts, settings.timeout)))
            .inspect_err(|_| rows.clear())?;
        Ok(rows.len() as u32)
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        let (_, shard) = self.place(key)?;
        let record = self.documents.record(key, row)?;
        let shard = &mut self.shards[shard];
        let insert = shard.records.insert_one(record).session(&mut shard.own);
        within(&self.settings, insert.into_future()).await.map(drop)
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        let (name, shard) = self.place(key)?;
        let shard = &mut self.shards[shard];
        let update = shard
            .records
            .update_one(
                doc! { "_id": name },
                doc! { "$set": self.documents.fields(changed) },
            )
            .session(&mut shard.own);
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
        let (name, shard) = self.place(key)?;
        let shard = &mut self.shards[shard];
        let delete = shard
            .records
            .delete_one(doc! { "_id": name })
            .session(&mut shard.own);
        within(&self.settings, delete.into_future()).await.map(drop)
    }
}

/// Puts the first so many records of all shards into the rows, in the order of their keys, as mongos does: each shard gave so
/// many, because all of them may lie on one.
fn merge(
    documents: &Documents,
    answers: Vec<Vec<RawDocumentBuf>>,
    limit: u32,
    rows: &mut Rows,
) -> Result<(), DbError> {
    let mut found = answers
        .iter()
        .flatten()
        .map(|document| Ok((documents.name(document)?, document)))
        .collect::<Result<Vec<_>, DbError>>()?;
    found.sort_unstable_by_key(|(name, _)| *name);
    for (name, document) in found.into_iter().take(limit as usize) {
        documents.fill(document, rows.push(name.as_bytes()))?;
    }
    Ok(())
}
