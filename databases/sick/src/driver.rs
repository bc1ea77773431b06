//! Connects: a healthy table in memory, and what is wrong with it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

use dbdyno_database_memory::MemoryDriver;
use dbdyno_driver::{
    Capabilities, DbError, Driver, DriverInfo, Durability, Execution, ScanOrder, SystemFacts, Table, Target,
    Values, options,
};

use crate::defects::Defects;
use crate::session::{Overtaken, SickSession};
use crate::{error, facts};

/// The constant facts about `sick`.
pub const INFO: DriverInfo = DriverInfo {
    name: "sick",
    summary: "a table in this process with planted defects, to try the tool on",
    schemes: &["sick"],
    example: "sick?delay=1ms&stall=200ms",
    options: &[
        ("delay", "time that each operation takes, e.g. 1ms (default none)"),
        ("slowdown", "how much longer than that it really takes, e.g. 10%"),
        (
            "drift",
            "how much the delay grows in a thousand operations of a client, e.g. 5%",
        ),
        (
            "outlier_every",
            "every which connection (trial) is ten times as slow",
        ),
        ("stall", "how long all clients stand still at a stall, e.g. 200ms"),
        (
            "stall_every",
            "operations of a client from stall to stall (default 1000)",
        ),
        (
            "lose_every",
            "every which acknowledged insert of a client is lost",
        ),
        (
            "stale_every",
            "every which read of a client lacks the last 64 writes",
        ),
        ("corrupt_every", "every which read of a client gives wrong bytes"),
        (
            "drop_every",
            "every which read of a client gives the first field only",
        ),
    ],
    remote: false,
    execution: Execution::Blocking,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: false,
        stores_records: true,
        durabilities: &[Durability::None],
        consistencies: &[],
        values: Values::Bytes,
    },
};

/// How often each address was connected to: which trial of it is the outlier.
static CONNECTIONS: LazyLock<Mutex<HashMap<String, u64>>> = LazyLock::new(Mutex::default);

/// A table in memory and its defects; dropping it drops the records.
pub struct SickDriver {
    healthy: MemoryDriver,
    ward: Arc<Ward>,
}

/// What the sessions of one connection share.
pub(crate) struct Ward {
    pub(crate) defects: Defects,
    pub(crate) outlier: bool,
    /// Held for reading by whoever works, for writing by whoever makes all stand still.
    pub(crate) standstill: RwLock<()>,
    /// What stale reads find; empty unless there are any.
    pub(crate) overtaken: Mutex<Overtaken>,
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
        let connection = {
            let mut connections = CONNECTIONS.lock().unwrap_or_else(PoisonError::into_inner);
            let count = connections.entry(target.to_string()).or_default();
            *count += 1;
            *count
        };
        Ok(Self {
            healthy: MemoryDriver::default(),
            ward: Arc::new(Ward {
                defects,
                outlier: defects.outlier_every > 0 && connection.is_multiple_of(defects.outlier_every),
                standstill: RwLock::default(),
                overtaken: Mutex::default(),
            }),
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
        Ok(SickSession::new(healthy, &table.name, Arc::clone(&self.ward)))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        Ok(facts::facts(&self.ward.defects))
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        self.healthy.load_manifest(table).await
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        self.healthy.store_manifest(table, manifest).await
    }
}
