//! Accepts every table and keeps none.

use dbdyno_driver::{
    Capabilities, DbError, Driver, DriverInfo, Durability, ErrorClass, Execution, ScanOrder, SystemFacts,
    Table, Target, Values, options,
};

use crate::{NullSession, facts};

/// The constant facts about `null`.
pub const INFO: DriverInfo = DriverInfo {
    name: "null",
    summary: "does nothing and says yes: the floor, what the tool itself costs",
    schemes: &["null"],
    example: "null",
    options: &[],
    remote: false,
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

/// A connection to nothing.
#[derive(Debug)]
pub struct NullDriver;

impl Driver for NullDriver {
    type Session = NullSession;
    const INFO: DriverInfo = INFO;

    async fn connect(target: &Target) -> Result<Self, DbError> {
        options::check(&INFO, target)?;
        options::durability(&INFO, target)?;
        if !target.place.is_empty() {
            return Err(DbError::new(
                ErrorClass::Rejected,
                format!(
                    "`null` keeps nothing, so it has no place `{}`; write `null`",
                    target.place
                ),
            ));
        }
        Ok(Self)
    }

    async fn create_table(&self, _table: &Table) -> Result<(), DbError> {
        Ok(())
    }

    async fn drop_table(&self, _table: &Table) -> Result<(), DbError> {
        Ok(())
    }

    async fn session(&self, _table: &Table) -> Result<NullSession, DbError> {
        Ok(NullSession)
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        Ok(facts::facts())
    }

    async fn load_manifest(&self, _table: &Table) -> Result<Option<String>, DbError> {
        Ok(None)
    }

    async fn store_manifest(&self, _table: &Table, _manifest: &str) -> Result<(), DbError> {
        Ok(())
    }
}
