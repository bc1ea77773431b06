//! Connects: a healthy table in memory, and what is wrong with it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

use dbdyno_database_memory::MemoryDriver;
use dbdyno_driver::{DbError, Driver, DriverInfo, SystemFacts, Table, Target, options};

use crate::defects::{Defects, Panic};
use crate::deferred::Worker;
use crate::info::INFO;
use crate::session::SickSession;
use crate::shared::Shared;
use crate::{error, facts};

/// How often each address was connected to: which trial of it is the outlier.
static CONNECTIONS: LazyLock<Mutex<HashMap<String, u64>>> = LazyLock::new(Mutex::default);

/// A table in memory and its defects; dropping it drops the records.
pub struct SickDriver {
    healthy: MemoryDriver,
    shared: Arc<Shared>,
    /// What does the work that was put off; `None` where there is none.
    worker: Option<Worker>,
}

impl Driver for SickDriver {
    type Session = SickSession;
    const INFO: DriverInfo = INFO;

    async fn connect(target: &Target) -> Result<Self, DbError> {
        options::check(&INFO, target)?;
        options::durability(&INFO, target)?;
        if !target.place.is_empty() {
            return Err(error::no_place(&target.place));
        }
        let defects = Defects::read(&INFO, target)?;
        defects.panic.strike(Panic::Connect);
        let connection = {
            let mut connections = CONNECTIONS.lock().unwrap_or_else(PoisonError::into_inner);
            let count = connections.entry(target.to_string()).or_default();
            *count += 1;
            *count
        };
        let worker = Worker::start(defects.deferred, defects.deferred_limit)?;
        Ok(Self {
            healthy: MemoryDriver::default(),
            shared: Arc::new(Shared {
                defects,
                outlier: defects.outlier_every > 0 && connection.is_multiple_of(defects.outlier_every),
                standstill: RwLock::default(),
                overtaken: Mutex::default(),
                deferred: worker.as_ref().map(Worker::deferred),
            }),
            worker,
        })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        self.healthy.create_table(table).await
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        self.healthy.drop_table(table).await
    }

    async fn session(&self, table: &Table) -> Result<SickSession, DbError> {
        let healthy = self.healthy.session(table).await?;
        Ok(SickSession::new(healthy, &table.name, Arc::clone(&self.shared)))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        Ok(facts::facts(&self.shared.defects))
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        self.healthy.load_manifest(table).await
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        self.healthy.store_manifest(table, manifest).await
    }

    async fn close(&self) {
        if let Some(worker) = &self.worker {
            worker.end();
        }
        self.shared.defects.panic.strike(Panic::Close);
    }
}
