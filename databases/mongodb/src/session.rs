//! The operations, as YCSB's MongoDB binding does them: a document for each record, its key in `_id`, fields as binary.

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session, Table};
use mongodb::Collection;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson};
use mongodb::bson::{Document, RawBsonRef, RawDocument, RawDocumentBuf, doc};

use crate::driver::within;
use crate::error::classified;
use crate::options::Settings;

/// One client.
pub struct MongodbSession {
    records: Collection<RawDocumentBuf>,
    settings: Settings,
    field_names: Vec<String>,
    all_by_name: Document,
}

impl MongodbSession {
    pub(crate) fn new(records: Collection<RawDocumentBuf>, settings: Settings, table: &Table) -> Self {
        Self {
            records,
            settings,
            field_names: table.field_names.clone(),
            all_by_name: table
                .field_names
                .iter()
                .map(|name| (name.clone(), Bson::Int32(1)))
                .collect(),
        }
    }

    /// What a read wants to see; `None`: everything.
    fn projection(&self, fields: Fields) -> Option<Document> {
        match fields {
            Fields::All => None,
            Fields::AllByName => Some(self.all_by_name.clone()),
            Fields::One(index) => Some(doc! { &self.field_names[index as usize]: 1 }),
        }
    }

    /// Puts a document's fields into a row, by index.
    fn fill(&self, document: &RawDocument, row: &mut Row) -> Result<(), DbError> {
        let mut values: Vec<(u32, &[u8])> = Vec::with_capacity(self.field_names.len());
        let mut near = 0;
        for element in document {
            let (name, value) = element.map_err(|error| self.unreadable(&error.to_string()))?;
            let Some(index) = self.index(name.as_str(), near) else {
                continue;
            };
            near = index + 1;
            let bytes = match value {
                RawBsonRef::Binary(binary) => binary.bytes,
                RawBsonRef::String(text) => text.as_bytes(),
                _ => return Err(self.unreadable("a field is neither binary nor text")),
            };
            values.push((index as u32, bytes));
        }
        // Updates may have put a field behind others.
        if !values.is_sorted_by_key(|(index, _)| *index) {
            values.sort_unstable_by_key(|(index, _)| *index);
        }
        values.iter().for_each(|(index, value)| row.push(*index, value));
        Ok(())
    }

    /// The index of a field; it is looked for first where it is in most documents.
    fn index(&self, name: &str, near: usize) -> Option<usize> {
        let near = near.min(self.field_names.len());
        let is = |index: &usize| self.field_names[*index] == name;
        (near..self.field_names.len()).chain(0..near).find(is)
    }

    fn unreadable(&self, why: &str) -> DbError {
        DbError::new(
            ErrorClass::Bug,
            format!(
                "a document of MongoDB at {} cannot be read: {why}",
                self.settings.hosts
            ),
        )
    }

    fn key<'k>(&self, key: &'k Key) -> Result<&'k str, DbError> {
        std::str::from_utf8(key.as_bytes())
            .map_err(|_| DbError::new(ErrorClass::Rejected, "a key of MongoDB is UTF-8 text"))
    }

    fn fields(&self, row: &Row) -> Document {
        let value = |value: &[u8]| {
            Bson::Binary(Binary {
                subtype: BinarySubtype::Generic,
                bytes: value.to_vec(),
            })
        };
        row.iter()
            .map(|(index, bytes)| (self.field_names[index as usize].clone(), value(bytes)))
            .collect()
    }
}

impl Session for MongodbSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        let find = self.records.find_one(doc! { "_id": self.key(key)? });
        let find = match self.projection(fields) {
            Some(projection) => find.projection(projection),
            None => find,
        };
        match within(&self.settings, find.into_future()).await? {
            None => Ok(Found::No),
            Some(document) => {
                self.fill(&document, row)?;
                Ok(Found::Yes)
            }
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
            .find(doc! { "_id": { "$gte": self.key(from)? } })
            .sort(doc! { "_id": 1 })
            .limit(i64::from(limit))
            .batch_size(limit);
        let find = match self.projection(fields) {
            Some(projection) => find.projection(projection),
            None => find,
        };
        let walk = async {
            let mut cursor = find
                .await
                .map_err(|error| classified(error, &self.settings.hosts))?;
            while cursor
                .advance()
                .await
                .map_err(|error| classified(error, &self.settings.hosts))?
            {
                let document = cursor.current();
                let name = document
                    .get_str("_id")
                    .map_err(|error| self.unreadable(&error.to_string()))?;
                self.fill(document, rows.push(name.as_bytes()))?;
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
        let mut document = doc! { "_id": self.key(key)? };
        document.extend(self.fields(row));
        let document =
            RawDocumentBuf::try_from(&document).map_err(|error| self.unreadable(&error.to_string()))?;
        within(&self.settings, self.records.insert_one(document).into_future())
            .await
            .map(drop)
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        let update = self.records.update_one(
            doc! { "_id": self.key(key)? },
            doc! { "$set": self.fields(changed) },
        );
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
        let delete = self.records.delete_one(doc! { "_id": self.key(key)? });
        within(&self.settings, delete.into_future()).await.map(drop)
    }
}
