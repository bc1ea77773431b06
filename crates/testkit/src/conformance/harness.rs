//! What a check gets: a connected driver, fresh tables, clients.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use dbdyno_driver::{DbError, Driver, Table, Target};

use super::{BlockOn, Client};

/// How a promise was broken.
#[derive(Debug)]
pub struct Failure(pub String);

impl From<DbError> for Failure {
    fn from(error: DbError) -> Self {
        Self(format!("an unexpected error: {error}"))
    }
}

impl From<fmt::Error> for Failure {
    fn from(error: fmt::Error) -> Self {
        Self(error.to_string())
    }
}

/// The result of a check.
pub type Outcome = Result<(), Failure>;

/// Ends a check with a [`Failure`] unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($words:tt)+) => {
        if !$condition {
            return Err($crate::conformance::Failure(format!($($words)+)));
        }
    };
}
pub(super) use ensure;

/// A connected driver and the tables a check has made.
pub struct Harness<'a, D: Driver, R: BlockOn> {
    /// The driver under test.
    pub driver: D,
    /// What waits for its futures.
    pub runtime: &'a R,
    /// Where it is connected to.
    pub target: &'a Target,
    tables: Mutex<Vec<Table>>,
}

/// A random name: runs must not meet, on a server that outlives them.
pub fn random_name() -> String {
    format!(
        "conformance_{:016x}",
        RandomState::new().hash_one(std::process::id())
    )
}

/// A table of that many fields.
pub fn table(name: String, fields: usize) -> Table {
    Table {
        name,
        field_names: (0..fields).map(|index| format!("field{index}")).collect(),
    }
}

impl<'a, D: Driver, R: BlockOn> Harness<'a, D, R> {
    /// Connects.
    ///
    /// # Errors
    /// That of the driver.
    pub fn connect(target: &'a Target, runtime: &'a R) -> Result<Self, DbError> {
        Ok(Self {
            driver: runtime.block_on(D::connect(target))?,
            runtime,
            target,
            tables: Mutex::new(Vec::new()),
        })
    }

    /// A table that does not exist yet, to be dropped after the check.
    pub fn missing_table(&self, fields: usize) -> Table {
        let table = table(random_name(), fields);
        self.tables
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(table.clone());
        table
    }

    /// A fresh table, to be dropped after the check.
    ///
    /// # Errors
    /// That of the driver.
    pub fn table(&self, fields: usize) -> Result<Table, DbError> {
        let table = self.missing_table(fields);
        self.create(&table)?;
        Ok(table)
    }

    /// Creates a table.
    ///
    /// # Errors
    /// That of the driver.
    pub fn create(&self, table: &Table) -> Result<(), DbError> {
        self.runtime.block_on(self.driver.create_table(table))
    }

    /// Drops a table.
    ///
    /// # Errors
    /// That of the driver.
    pub fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        self.runtime.block_on(self.driver.drop_table(table))
    }

    /// The manifest of a table.
    ///
    /// # Errors
    /// That of the driver.
    pub fn manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        self.runtime.block_on(self.driver.load_manifest(table))
    }

    /// Stores the manifest of a table.
    ///
    /// # Errors
    /// That of the driver.
    pub fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        self.runtime.block_on(self.driver.store_manifest(table, manifest))
    }

    /// A client of a table.
    ///
    /// # Errors
    /// That of the driver.
    pub fn client(&self, table: &Table) -> Result<Client<'a, D, R>, DbError> {
        let session = self.runtime.block_on(self.driver.session(table))?;
        Ok(Client::new(session, self.runtime))
    }

    /// A fresh table and a client of it.
    ///
    /// # Errors
    /// That of the driver.
    pub fn fresh(&self, fields: usize) -> Result<Client<'a, D, R>, DbError> {
        self.client(&self.table(fields)?)
    }

    /// Drops what the last check made. That this can fail is for other checks to find.
    pub(super) fn clean_up(&self) {
        let tables = std::mem::take(&mut *self.tables.lock().unwrap_or_else(PoisonError::into_inner));
        for table in tables {
            let _ = self.drop_table(&table);
        }
    }
}
