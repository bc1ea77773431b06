//! Accepts every table and keeps none.

use dbdyno_driver::{DbError, Driver, DriverInfo, ErrorClass, SystemFacts, Table, Target, options};

use crate::info::INFO;
use crate::{NullSession, facts};

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
