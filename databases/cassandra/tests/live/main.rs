//! Cassandra, live: servers that the lab starts, shared by the tests of this file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod cluster;
mod encryption;
mod failures;
mod layout;
mod relay;
mod security;
mod versions;

use std::sync::OnceLock;
use std::time::Duration;

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::conformance;
use dbdyno_driver::{Consistency, Durability, Session};
use dbdyno_lab::Lab;
use dbdyno_live::{Runtime, facts, read, start, target, with_options};
use dbdyno_server_cassandra::CassandraRecipe;

/// Small nodes whose Java compiles quickly rather than well: a test is over before better code would pay.
pub const SMALL: &str = "heap=256M&java_options=-XX:TieredStopAtLevel=1";
/// How long a session may take to work again after its server was started again, on a busy machine.
pub const BACK_WITHIN: Duration = Duration::from_secs(120);

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
}
