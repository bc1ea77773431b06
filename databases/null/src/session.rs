//! Answers without looking.

use dbdyno_driver::{DbError, Fields, Found, Key, Row, Rows, Session};

/// Answers reads with "found" and an empty row, scans with as many records as were asked for and no rows, and writes with success.
#[derive(Debug)]
pub struct NullSession;

impl Session for NullSession {
    #[inline]
    async fn read(&mut self, _key: &Key, _fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        Ok(Found::Yes)
    }

    #[inline]
    async fn scan(
        &mut self,
        _from: &Key,
        limit: u32,
        _fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        rows.clear();
        Ok(limit)
    }

    #[inline]
    async fn insert(&mut self, _key: &Key, _row: &Row) -> Result<(), DbError> {
        Ok(())
    }

    #[inline]
    async fn update(&mut self, _key: &Key, _changed: &Row) -> Result<(), DbError> {
        Ok(())
    }

    #[inline]
    async fn delete(&mut self, _key: &Key) -> Result<(), DbError> {
        Ok(())
    }
}
