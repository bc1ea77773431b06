//! Records as documents, and back.

use dbdyno_driver::{DbError, ErrorClass, Fields, Key, Row, Table};
use mongodb::bson::raw::{CStr, RawBinaryRef, cstr};
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, Document, RawBsonRef, RawDocument, RawDocumentBuf, doc};

use crate::options::Settings;

/// The layout of one table's documents.
pub(crate) struct Documents {
    collection: String,
    hosts: String,
    /// Level of the read concern.
    read_concern: &'static str,
    field_names: Vec<String>,
    all_by_name: Document,
}

impl Documents {
    pub(crate) fn new(settings: &Settings, table: &Table) -> Self {
        Self {
            collection: table.name.clone(),
            hosts: settings.hosts.clone(),
            read_concern: settings.read_concern(),
            field_names: table.field_names.clone(),
            all_by_name: table
                .field_names
                .iter()
                .map(|name| (name.clone(), Bson::Int32(1)))
                .collect(),
        }
    }

    /// The fields that a read wants to see; `None`: everything.
    pub(crate) fn projection(&self, fields: Fields) -> Option<Document> {
        match fields {
            Fields::All => None,
            Fields::AllByName => Some(self.all_by_name.clone()),
            Fields::One(index) => Some(doc! { &self.field_names[index as usize]: 1 }),
        }
    }

    /// Puts a document's fields into a row, by index.
    pub(crate) fn fill(&self, document: &RawDocument, row: &mut Row) -> Result<(), DbError> {
        let elements = document.iter().map(|element| {
            let (name, value) = element.map_err(|error| self.unreadable(&error.to_string()))?;
            let bytes = match value {
                RawBsonRef::Binary(binary) => Some(binary.bytes),
                RawBsonRef::String(text) => Some(text.as_bytes()),
                _ => None,
            };
            Ok((name.as_str(), bytes))
        });
        self.put(elements, row)
    }

    /// Fills the row from the one document of an answer to [`Documents::find`]; `false`: there was none.
    pub(crate) fn fill_from_answer(&self, answer: &Document, row: &mut Row) -> Result<bool, DbError> {
        let batch = answer
            .get_document("cursor")
            .and_then(|cursor| cursor.get_array("firstBatch"))
            .map_err(|error| self.unreadable(&error.to_string()))?;
        let Some(Bson::Document(document)) = batch.first() else {
            return Ok(false);
        };
        let elements = document.iter().map(|(name, value)| {
            let bytes = match value {
                Bson::Binary(binary) => Some(binary.bytes.as_slice()),
                Bson::String(text) => Some(text.as_bytes()),
                _ => None,
            };
            Ok((name.as_str(), bytes))
        });
        self.put(elements, row).map(|()| true)
    }

    fn put<'d>(
        &self,
        elements: impl Iterator<Item = Result<(&'d str, Option<&'d [u8]>), DbError>>,
        row: &mut Row,
    ) -> Result<(), DbError> {
        let mut values: Vec<(u32, &[u8])> = Vec::with_capacity(self.field_names.len());
        let mut near = 0;
        for element in elements {
            let (name, bytes) = element?;
            let Some(index) = self.index(name, near) else {
                continue;
            };
            near = index + 1;
            let bytes = bytes.ok_or_else(|| self.unreadable("a field is neither binary nor text"))?;
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

    /// The key of a record.
    pub(crate) fn name<'d>(&self, document: &'d RawDocument) -> Result<&'d str, DbError> {
        document
            .get_str("_id")
            .map_err(|error| self.unreadable(&error.to_string()))
    }

    pub(crate) fn unreadable(&self, why: &str) -> DbError {
        DbError::new(
            ErrorClass::Bug,
            format!("a document of MongoDB at {} cannot be read: {why}", self.hosts),
        )
    }

    pub(crate) fn key<'k>(&self, key: &'k Key) -> Result<&'k str, DbError> {
        std::str::from_utf8(key.as_bytes())
            .map_err(|_| DbError::new(ErrorClass::Rejected, "a key of MongoDB is UTF-8 text"))
    }

    /// The command that reads one record, in the bytes that are sent.
    pub(crate) fn find(&self, key: &Key, fields: Fields) -> Result<RawDocumentBuf, DbError> {
        let mut filter = RawDocumentBuf::new();
        filter.append(cstr!("_id"), self.key(key)?);
        let mut command = RawDocumentBuf::new();
        command.append(cstr!("find"), self.collection.as_str());
        command.append(cstr!("filter"), filter);
        command.append(cstr!("limit"), 1);
        command.append(cstr!("singleBatch"), true);
        if let Some(projection) = self.projection(fields) {
            let projection = RawDocumentBuf::try_from(&projection)
                .map_err(|error| DbError::new(ErrorClass::Rejected, error.to_string()))?;
            command.append(cstr!("projection"), projection);
        }
        // A command as it is has none of the defaults of its client.
        let mut read_concern = RawDocumentBuf::new();
        read_concern.append(cstr!("level"), self.read_concern);
        command.append(cstr!("readConcern"), read_concern);
        Ok(command)
    }

    /// A whole record, in the bytes that are sent.
    pub(crate) fn record(&self, key: &Key, row: &Row) -> Result<RawDocumentBuf, DbError> {
        let mut document = RawDocumentBuf::new();
        document.append(cstr!("_id"), self.key(key)?);
        for (index, bytes) in row.iter() {
            let name = self.field_names[index as usize].as_str();
            let name: &CStr = name
                .try_into()
                .map_err(|_| DbError::new(ErrorClass::Rejected, "a field's name has a zero byte"))?;
            let subtype = BinarySubtype::Generic;
            document.append(name, RawBinaryRef { subtype, bytes });
        }
        Ok(document)
    }

    /// Some fields, for an update.
    pub(crate) fn fields(&self, row: &Row) -> Document {
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
