//! A driver that does nothing, for tests and examples of the engine itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use dbdyno_driver::{
    Capabilities, DbError, Driver, DriverInfo, Durability, Execution, Fields, Found, Key, Row, Rows,
    ScanOrder, Session, SystemFacts, Table, Target, Values,
};

/// Says yes to everything.
pub struct Empty;

/// How often one was told that it is over.
pub static CLOSED: AtomicUsize = AtomicUsize::new(0);

impl Driver for Empty {
    type Session = Self;

    const INFO: DriverInfo = DriverInfo {
        name: "empty",
        summary: "does nothing",
        schemes: &["empty"],
        example: "empty",
        options: &[],
        remote: false,
        default_port: None,
        execution: Execution::Blocking,
        capabilities: Capabilities {
            scan: ScanOrder::Key,
            persistent: false,
            stores_records: false,
            durabilities: &[Durability::None],
            consistencies: &[],
            values: Values::Bytes,
        },
    };

    async fn connect(_: &Target) -> Result<Self, DbError> {
        Ok(Self)
    }

    async fn create_table(&self, _: &Table) -> Result<(), DbError> {
        Ok(())
    }

    async fn drop_table(&self, _: &Table) -> Result<(), DbError> {
        Ok(())
    }

    async fn session(&self, _: &Table) -> Result<Self, DbError> {
        Ok(Self)
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        Ok(SystemFacts {
            product: "Empty".to_owned(),
            version: "0".to_owned(),
            topology: "embedded".to_owned(),
            nodes: Some(0),
            replicas: Some(1),
            durability: Durability::None,
            durability_means: "keeps nothing".to_owned(),
            consistency: None,
            consistency_means: String::new(),
            settings: BTreeMap::new(),
        })
    }

    async fn load_manifest(&self, _: &Table) -> Result<Option<String>, DbError> {
        Ok(None)
    }

    async fn store_manifest(&self, _: &Table, _: &str) -> Result<(), DbError> {
        Ok(())
    }

    async fn close(&self) {
        CLOSED.fetch_add(1, Ordering::SeqCst);
    }
}

impl Session for Empty {
    async fn read(&mut self, _: &Key, _: Fields, _: &mut Row) -> Result<Found, DbError> {
        Ok(Found::Yes)
    }

    async fn scan(&mut self, _: &Key, limit: u32, _: Fields, _: &mut Rows) -> Result<u32, DbError> {
        Ok(limit)
    }

    async fn insert(&mut self, _: &Key, _: &Row) -> Result<(), DbError> {
        Ok(())
    }

    async fn update(&mut self, _: &Key, _: &Row) -> Result<(), DbError> {
        Ok(())
    }

    async fn delete(&mut self, _: &Key) -> Result<(), DbError> {
        Ok(())
    }
}
