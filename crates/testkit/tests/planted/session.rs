//! The session, with its defects at the places where a careless driver would have them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session};

use super::{Kind, Record, Records, lock};

pub struct PlantedSession {
    records: Arc<Records>,
    defect: String,
    kind: u8,
    sessions: Arc<AtomicUsize>,
    cache: HashMap<Vec<u8>, Option<Record>>,
}

impl Drop for PlantedSession {
    fn drop(&mut self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

impl PlantedSession {
    pub fn new(records: Arc<Records>, defect: &str, kind: u8, sessions: Arc<AtomicUsize>) -> Self {
        Self {
            records,
            defect: defect.to_owned(),
            kind,
            sessions,
            cache: HashMap::new(),
        }
    }

    fn has(&self, defect: &str) -> bool {
        self.defect == defect
    }

    fn stores_nothing(&self) -> bool {
        self.kind == Kind::RECORDLESS
    }

    fn stored_key(&self, key: &Key) -> Vec<u8> {
        let key = key.as_bytes();
        match self.defect.as_str() {
            "keys-cut" => key[..key.len().min(255)].to_vec(),
            "keys-trimmed" => key.trim_ascii().to_vec(),
            "keys-in-capitals" => key.to_ascii_uppercase(),
            _ => key.to_vec(),
        }
    }

    fn stored_value(&self, value: &[u8]) -> Vec<u8> {
        match self.defect.as_str() {
            "cut-at-nul" => value.split(|byte| *byte == 0).next().unwrap_or_default().to_vec(),
            "ascii-only" => value.iter().copied().filter(u8::is_ascii).collect(),
            "cut-at-64k" => value[..value.len().min(65_535)].to_vec(),
            _ => value.to_vec(),
        }
    }

    /// A driver of text columns refuses what is no text.
    fn check_values(&self, row: &Row) -> Result<(), DbError> {
        let text = |value: &[u8]| std::str::from_utf8(value).is_ok_and(|text| !text.contains('\0'));
        if self.kind != Kind::TEXT || self.has("takes-anything") || row.iter().all(|(_, value)| text(value)) {
            return Ok(());
        }
        Err(DbError::new(ErrorClass::Rejected, "a value is no text"))
    }

    fn stored_record(&self, row: &Row) -> Record {
        let mut record: Record = row
            .iter()
            .map(|(index, value)| (index, self.stored_value(value)))
            .collect();
        match self.defect.as_str() {
            "last-field-dropped" => drop(record.pop()),
            "fields-cut" => record.truncate(64),
            "empty-values-dropped" => record.retain(|(_, value)| !value.is_empty()),
            "panics" => panic!("the driver panics"),
            "fields-as-given" => return record,
            _ => {}
        }
        record.sort();
        record
    }

    fn find(&mut self, key: &[u8]) -> Option<Record> {
        let look = |records: &Records| lock(&records.by_key).get(key).cloned();
        if self.has("session-cache") {
            let records = &self.records;
            return self
                .cache
                .entry(key.to_vec())
                .or_insert_with(|| look(records))
                .clone();
        }
        if self.has("delete-ignored") || !lock(&self.records.deleted).contains(key) {
            look(&self.records)
        } else {
            None
        }
    }

    fn fill(&self, record: &Record, fields: Fields, row: &mut Row) {
        let fields = match fields {
            Fields::AllByName if self.has("by-name-reads-one") => Fields::One(0),
            Fields::One(_) if self.has("one-reads-all") => Fields::All,
            fields => fields,
        };
        for (index, value) in record {
            if !matches!(fields, Fields::One(wanted) if wanted != *index) {
                row.push(*index, value);
            }
        }
        if let Fields::One(wanted) = fields
            && row.is_empty()
            && self.has("absent-field-is-empty")
        {
            row.push(wanted, b"");
        }
    }

    /// Changes a copy of everything and puts it back: what others did meanwhile is lost.
    fn replace_all(&self, change: impl FnOnce(&mut std::collections::BTreeMap<Vec<u8>, Record>)) {
        let mut copy = lock(&self.records.by_key).clone();
        std::thread::yield_now();
        change(&mut copy);
        std::thread::sleep(std::time::Duration::from_micros(20));
        *lock(&self.records.by_key) = copy;
    }
}

/// Not ready at its first poll.
async fn late() {
    let mut polled = false;
    std::future::poll_fn(|_| {
        if std::mem::replace(&mut polled, true) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
}

impl Session for PlantedSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        if self.has("late-answers") {
            late().await;
        }
        let key = self.stored_key(key);
        let record = self.find(&key);
        let leaves_row = self.has("row-appended") || (self.has("stale-row") && record.is_none());
        if !leaves_row {
            row.clear();
        }
        if self.stores_nothing() {
            return Ok(if self.has("says-no") {
                Found::No
            } else {
                Found::Yes
            });
        }
        match record {
            Some(record) => {
                self.fill(&record, fields, row);
                Ok(Found::Yes)
            }
            None if self.has("missing-is-an-error") => Err(DbError::new(ErrorClass::NotFound, "no record")),
            None => Ok(Found::No),
        }
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        if !self.has("stale-rows") {
            rows.clear();
        }
        if self.kind == Kind::SCANLESS {
            return if self.has("scan-answers") {
                Ok(0)
            } else {
                Err(DbError::new(ErrorClass::Rejected, "it cannot scan"))
            };
        }
        if self.stores_nothing() {
            return Ok(if self.has("scans-nothing") { 0 } else { limit });
        }
        let from = self.stored_key(from);
        let by_key = lock(&self.records.by_key);
        let deleted = lock(&self.records.deleted);
        let mut found: Vec<_> = by_key.range(from.clone()..).collect();
        match self.defect.as_str() {
            "scan-backwards" => found.reverse(),
            "scan-by-length" => found.sort_by_key(|(key, _)| key.len()),
            "scan-after" => found.retain(|(key, _)| **key != from),
            "scan-needs-key" if !by_key.contains_key(&from) => found.clear(),
            "scan-wraps" if found.is_empty() => found = by_key.iter().collect(),
            "scan-doubles" => found = found.into_iter().flat_map(|entry| [entry, entry]).collect(),
            _ => {}
        }
        if self.kind == Kind::UNORDERED {
            found.sort_by_key(|(key, _)| key.iter().rev().copied().collect::<Vec<_>>());
        }
        found.retain(|(key, _)| self.has("delete-ignored") || !deleted.contains(*key));
        found.truncate(limit as usize + usize::from(self.has("scan-one-more")));
        let fields = if self.has("scan-all-fields") {
            Fields::All
        } else {
            fields
        };
        for (key, record) in &found {
            self.fill(record, fields, rows.push(key));
        }
        Ok(if self.has("scan-counts-limit") {
            limit
        } else {
            found.len() as u32
        })
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        if self.stores_nothing() {
            return Ok(());
        }
        self.check_values(row)?;
        let (key, record) = (self.stored_key(key), self.stored_record(row));
        if self.has("lost-insert") {
            self.replace_all(|records| drop(records.insert(key.clone(), record)));
            return Ok(());
        }
        let mut by_key = lock(&self.records.by_key);
        if !(self.has("insert-ignored") && by_key.contains_key(&key)) {
            by_key.insert(key.clone(), record);
        }
        if !self.has("deleted-for-ever") {
            lock(&self.records.deleted).remove(&key);
        }
        Ok(())
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        if self.stores_nothing() {
            return Ok(());
        }
        self.check_values(changed)?;
        let (key, mut changed) = (self.stored_key(key), self.stored_record(changed));
        let Some(mut record) = self.find(&key) else {
            if self.has("update-creates-junk") {
                lock(&self.records.by_key).insert(key, vec![(0, b"junk".to_vec())]);
                return Ok(());
            }
            return Err(DbError::new(ErrorClass::NotFound, "no record"));
        };
        if self.has("update-keeps-length") {
            for (index, value) in &mut changed {
                if let Some((_, old)) = record.iter().find(|(old, _)| old == index) {
                    value.resize(old.len(), 0);
                }
            }
        }
        let merge = |record: &mut Record| {
            for (index, value) in &changed {
                record.retain(|(old, _)| old != index);
                record.push((*index, value.clone()));
            }
        };
        match self.defect.as_str() {
            "update-replaces" => record = changed,
            "lost-update" => {
                merge(&mut record);
                std::thread::sleep(std::time::Duration::from_micros(20));
            }
            "torn-values" => {
                // The first half is visible before the second one.
                for (index, value) in &changed {
                    let half = value.len() / 2;
                    let mut by_key = lock(&self.records.by_key);
                    if let Some(old) = by_key
                        .get_mut(&key)
                        .and_then(|old| old.iter_mut().find(|old| old.0 == *index))
                    {
                        let length = old.1.len().min(half);
                        old.1[..length].copy_from_slice(&value[..length]);
                    }
                    drop(by_key);
                    std::thread::sleep(std::time::Duration::from_micros(20));
                }
                merge(&mut record);
            }
            _ => {
                // The sound way: read and write under one lock.
                let mut by_key = lock(&self.records.by_key);
                let record = by_key.entry(key).or_default();
                merge(record);
                if !self.has("fields-as-given") {
                    record.sort();
                }
                return Ok(());
            }
        }
        record.sort();
        lock(&self.records.by_key).insert(key, record);
        Ok(())
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        if self.stores_nothing() || self.has("delete-ignored") {
            return Ok(());
        }
        let key = self.stored_key(key);
        if self.has("deleted-for-ever") {
            lock(&self.records.deleted).insert(key);
            return Ok(());
        }
        let removed = lock(&self.records.by_key).remove(&key);
        if removed.is_none() && self.has("delete-missing-fails") {
            return Err(DbError::new(ErrorClass::NotFound, "no record"));
        }
        Ok(())
    }
}
