//! The simulated database behind a driver that calls itself blocking: clients get threads of their own. Only without
//! service times or stalls, since nobody advances its virtual time.

use dbdyno_driver::{DbError, Driver, DriverInfo, Execution, SystemFacts, Table, Target};
use dbdyno_testkit::simulated::{Simulated, SimulatedSession};

pub struct Blocking(Simulated);

impl Driver for Blocking {
    type Session = SimulatedSession;

    const INFO: DriverInfo = DriverInfo {
        name: "blocking",
        execution: Execution::Blocking,
        ..Simulated::INFO
    };

    async fn connect(target: &Target) -> Result<Self, DbError> {
        Simulated::connect(target).await.map(Self)
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        self.0.create_table(table).await
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        self.0.drop_table(table).await
    }

    async fn session(&self, table: &Table) -> Result<SimulatedSession, DbError> {
        self.0.session(table).await
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        self.0.facts().await
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        self.0.load_manifest(table).await
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        self.0.store_manifest(table, manifest).await
    }
}
