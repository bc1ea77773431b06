//! Tables by name, gone with the driver.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use dbdyno_driver::{DbError, Driver, DriverInfo, SystemFacts, Table, Target, options};

use crate::info::INFO;
use crate::{
    MemorySession, error, facts,
    table::{self, Records},
};

/// Every table of one address; dropping it drops them.
#[derive(Default)]
pub struct MemoryDriver {
    tables: RwLock<HashMap<String, Arc<Records>>>,
    manifests: RwLock<HashMap<String, String>>,
}

impl Driver for MemoryDriver {
    type Session = MemorySession;
    const INFO: DriverInfo = INFO;

    fn memory_of_table(records: u64, fields: u32, value_bytes: u64) -> u64 {
        table::estimated_bytes(records, fields, value_bytes)
    }

    async fn connect(target: &Target) -> Result<Self, DbError> {
        options::check(&INFO, target)?;
        options::durability(&INFO, target)?;
        if !target.place.is_empty() {
            return Err(error::no_place(&target.place));
        }
        Ok(Self::default())
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        write(&self.tables).entry(table.name.clone()).or_default();
        Ok(())
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        // Sessions that are still open keep the old records alive and no longer belong to a table.
        write(&self.tables).remove(&table.name);
        write(&self.manifests).remove(&table.name);
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<MemorySession, DbError> {
        match read(&self.tables).get(&table.name) {
            Some(records) => Ok(MemorySession::new(Arc::clone(records))),
            None => Err(error::no_table(&table.name)),
        }
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        Ok(facts::facts())
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        Ok(read(&self.manifests).get(&table.name).cloned())
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        write(&self.manifests).insert(table.name.clone(), manifest.to_owned());
        Ok(())
    }
}

// The maps are changed by single calls, so a thread that panicked while holding a lock left them whole.
fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
