//! Cassandra, live: servers that the lab starts, shared by the tests of this file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod cluster;
mod encryption;
mod failures;
mod layout;
mod night;
mod relay;
mod resources;
mod security;
mod versions;

use std::sync::OnceLock;
use std::time::Duration;

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Consistency, Driver, Durability, Session};
use dbdyno_lab::Lab;
use dbdyno_server_cassandra::CassandraRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{
    BACK_WITHIN, Runtime, block_on, facts, read, refusal, start, table, target, with_options,
};
use scylla::client::session_builder::SessionBuilder;

/// Small nodes whose Java compiles quickly rather than well: a test is over before better code would pay.
pub const SMALL: &str = "heap=256M&java_options=-XX:TieredStopAtLevel=1";

/// Nodes of Cassandra's default version, started for one test.
pub fn begun(options: &str) -> Lab {
    start(&CassandraRecipe, &format!("cassandra?{SMALL}&{options}"))
}

/// One node for every test that only needs one.
pub fn shared() -> &'static str {
    static SHARED: OnceLock<Lab> = OnceLock::new();
    SHARED.get_or_init(|| begun("nodes=1")).address()
}

/// Waits until a session works.
pub async fn works_again<S: Session>(session: &mut S) {
    let waiting = async {
        while read(session).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(BACK_WITHIN, waiting)
        .await
        .expect("the session works again");
}

/// The part of an address between the login and the keyspace.
pub fn hosts(address: &str) -> &str {
    let rest = address.trim_start_matches("cassandra://");
    let rest = rest.split_once('@').map_or(rest, |(_, hosts)| hosts);
    rest.split_once('/').map_or(rest, |(hosts, _)| hosts)
}

#[test]
fn every_promise_is_kept() {
    conformance::assert_conforms_on::<CassandraDriver, _>(&target(shared()), &Runtime::default());
}

#[test]
fn the_facts_are_those_of_the_live_server() {
    let facts = facts::<CassandraDriver>(&with_options(shared(), "consistency=one"));
    assert_eq!(facts.product, "Apache Cassandra");
    assert_eq!(facts.version, "5.0.9");
    assert!(facts.topology.starts_with("1 node"), "{}", facts.topology);
    assert_eq!(facts.durability, Durability::None);
    assert_eq!(facts.consistency, Some(Consistency::One));
    assert_eq!(facts.settings["commitlog_sync"], "periodic");
    let client = ["connections", "shards", "write_coalescing"].map(|name| facts.settings[name].as_str());
    assert_eq!(client, ["1 to each node for each client thread", "none", "on"]);
    let address = with_options(shared(), "connections=3&write_coalescing=off");
    let settings = dbdyno_testkit::live::facts::<CassandraDriver>(&address).settings;
    assert_eq!(
        (
            &*settings["connections"],
            &*settings["write_coalescing"],
            &*settings["durable_writes"]
        ),
        ("3 to each node for each client thread", "off", "true")
    );
}

#[test]
fn a_keyspace_without_durable_writes_is_of_no_durability() {
    let lab = begun("nodes=1&commitlog_sync=batch");
    let address = format!("cassandra://{}/fleeting", hosts(lab.address()));
    assert_eq!(
        facts::<CassandraDriver>(&target(&address)).durability,
        Durability::Synced
    );
    block_on(async {
        let plain = SessionBuilder::new()
            .known_node(hosts(lab.address()))
            .build()
            .await
            .unwrap();
        let create = "CREATE KEYSPACE fleeting WITH replication = {'class': 'SimpleStrategy', \
                      'replication_factor': 1} AND durable_writes = false";
        plain.query_unpaged(create, ()).await.unwrap();
    });
    let facts = facts::<CassandraDriver>(&target(&address));
    assert_eq!(facts.durability, Durability::None);
    assert_eq!(facts.settings["durable_writes"], "false");
    let refused = refusal::<CassandraDriver>(&with_options(&address, "durability=synced"));
    assert!(refused.message.contains("durable_writes = true"), "{refused}");
}

#[test]
fn a_session_has_prepared_its_statements_before_the_first_operation() {
    block_on(async {
        let driver = CassandraDriver::connect(&target(shared())).await.unwrap();
        let table = table("prepared", 2);
        driver.create_table(&table).await.unwrap();
        let _session = driver.session(&table).await.unwrap();
        let plain = SessionBuilder::new()
            .known_node(hosts(shared()))
            .build()
            .await
            .unwrap();
        let answer = plain
            .query_unpaged("SELECT query_string FROM system.prepared_statements", ())
            .await
            .unwrap()
            .into_rows_result()
            .unwrap();
        let known: Vec<String> = answer
            .rows::<(String,)>()
            .unwrap()
            .map(|row| row.unwrap().0)
            .filter(|text| text.contains("\"prepared\""))
            .collect();
        for kind in ["SELECT \"", "SELECT y_id, ", "INSERT ", "UPDATE ", "DELETE "] {
            assert!(
                known.iter().any(|text| text.starts_with(kind)),
                "{kind}: {known:?}"
            );
        }
        // Each of two fields and all of them; with one field more there would be no more kinds.
        assert_eq!(known.iter().filter(|text| text.starts_with("UPDATE ")).count(), 3);
        driver.drop_table(&table).await.unwrap();
    });
}
