//! Cassandra, live: servers that the lab starts, shared by the tests of this file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::sync::OnceLock;

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::conformance;
use dbdyno_driver::{Consistency, Driver, Durability, ErrorClass, Key, Row, Session};
use dbdyno_lab::Lab;
use dbdyno_live::{Runtime, assert_refuses, block_on, facts, refusal, start, table, target, with_options};
use dbdyno_server_cassandra::CassandraRecipe;

/// One node for every test that only needs one.
fn shared() -> &'static str {
    static SHARED: OnceLock<Lab> = OnceLock::new();
    SHARED
        .get_or_init(|| start(&CassandraRecipe, "cassandra?heap=256"))
        .address()
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

#[test]
fn a_durability_that_the_server_does_not_give_is_refused() {
    let error = refusal::<CassandraDriver>(&with_options(shared(), "durability=synced"));
    assert_eq!(error.class, ErrorClass::Rejected, "{error}");
    assert!(error.message.contains("commitlog_sync: batch"), "{error}");
}

#[test]
fn a_wrong_port_is_unavailable() {
    assert_refuses::<CassandraDriver>(
        "cassandra://127.0.0.1:1",
        ErrorClass::Unavailable,
        "127.0.0.1:1",
        "",
    );
}

#[test]
fn a_missing_table_is_told_and_a_value_that_is_no_text_is_refused() {
    block_on(async {
        let driver = CassandraDriver::connect(&target(shared())).await.unwrap();
        let error = driver.session(&table("never_made", 1)).await.err().unwrap();
        assert!(matches!(error.class, ErrorClass::NotFound), "{error}");
        let texts = table("texts_only", 1);
        driver.create_table(&texts).await.unwrap();
        let mut session = driver.session(&texts).await.unwrap();
        let mut row = Row::new();
        row.push(0, &[0xff]);
        let error = session.insert(&Key::new(1, "user1"), &row).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        driver.drop_table(&texts).await.unwrap();
    });
}
