//! Values that look like statements, through the driver of the measurements.
//!
//! The driver makes the keyspace of its address where there is none. An audit leaves nothing behind, so the keyspace is then one of the
//! audit's own.

use std::sync::OnceLock;

use dbdyno_audit::{ChannelError, Scene, injection};
use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{DbError, Driver, DriverInfo, ErrorClass, SystemFacts, Table, Target};
use dbdyno_record::audit::{AuditFinding, Feature, UnknownReason};

use crate::client::{administrator, log_in, must};
use crate::cql::query;

/// The keyspace of addresses that name none.
const KEYSPACE: &str = "ycsb";

/// The client library trusts servers: types in types without end overflow its stack. So values are only tried on servers whose
/// answers to the library's first questions are sound to a reader that checks them.
pub fn injected(scene: &mut Scene<'_>) -> AuditFinding {
    match has_keyspace(scene) {
        Ok(true) => injection::<CassandraDriver>(scene),
        Ok(false) => {
            let finding = injection::<InOwnKeyspace>(scene);
            drop_own_keyspace(scene);
            finding
        }
        Err(error) => AuditFinding::unknown(
            Feature::Injection,
            UnknownReason::Unexpected,
            format!("Not tried: {error}."),
        ),
    }
}

/// Whether there is the keyspace of the address.
fn has_keyspace(scene: &Scene<'_>) -> Result<bool, ChannelError> {
    let mut channel = log_in(scene, scene.remote)?;
    for table in ["local", "peers"] {
        must(&mut channel, &format!("SELECT * FROM system.{table}"))?;
    }
    let keyspaces = must(&mut channel, "SELECT keyspace_name FROM system_schema.keyspaces")?;
    let path = scene.remote.path.as_str();
    let wanted = if path.is_empty() { KEYSPACE } else { path };
    Ok(keyspaces.texts().iter().any(|name| name == wanted))
}

/// Who made a keyspace may drop it. What stays is found by the last cleaning, which says so.
fn drop_own_keyspace(scene: &Scene<'_>) {
    let channel = log_in(scene, scene.remote).or_else(|_| administrator(scene));
    if let Ok(mut channel) = channel {
        let statement = format!("DROP KEYSPACE IF EXISTS {}", scene.own_name());
        query(&mut channel, &statement).ok();
    }
}

/// The driver with a keyspace that has the name of the table.
struct InOwnKeyspace {
    address: Target,
    driver: OnceLock<CassandraDriver>,
}

impl InOwnKeyspace {
    fn driver(&self) -> Result<&CassandraDriver, DbError> {
        let none = || DbError::new(ErrorClass::NotFound, "the table was not made");
        self.driver.get().ok_or_else(none)
    }
}

impl Driver for InOwnKeyspace {
    type Session = <CassandraDriver as Driver>::Session;
    const INFO: DriverInfo = CassandraDriver::INFO;

    async fn connect(target: &Target) -> Result<Self, DbError> {
        Ok(Self {
            address: target.clone(),
            driver: OnceLock::new(),
        })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        let address = with_keyspace(&self.address, &table.name);
        let driver = CassandraDriver::connect(&address).await?;
        self.driver.get_or_init(|| driver).create_table(table).await
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        self.driver()?.drop_table(table).await
    }

    async fn session(&self, table: &Table) -> Result<Self::Session, DbError> {
        self.driver()?.session(table).await
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        self.driver()?.facts().await
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        self.driver()?.load_manifest(table).await
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        self.driver()?.store_manifest(table, manifest).await
    }
}

/// The address with another keyspace. A keyspace that is to be made has no durability yet that could be compared with the
/// address.
fn with_keyspace(address: &Target, keyspace: &str) -> Target {
    let rest = address.place.strip_prefix("//").unwrap_or(&address.place);
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    Target {
        place: format!("//{authority}/{keyspace}"),
        durability: None,
        ..address.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyspace_of_an_address_is_exchanged_and_nothing_else() {
        for (before, after) in [
            ("cassandra://a:b@h:1,i:2/ycsb?tls=on", "//a:b@h:1,i:2/own"),
            ("cassandra://h", "//h/own"),
            ("cassandra://h/", "//h/own"),
        ] {
            let before = Target::parse(before).unwrap();
            let changed = with_keyspace(&before, "own");
            assert_eq!(changed.place, after);
            assert_eq!(changed.options, before.options);
        }
    }
}
