//! PostgreSQL, live: servers that the lab starts, shared by the tests of this file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod failures;
mod layout;
mod replicas;
mod security;

use std::sync::OnceLock;

use dbdyno_database_postgres::PostgresDriver;
use dbdyno_driver::{Consistency, Driver, Durability, ErrorClass};
use dbdyno_lab::Lab;
use dbdyno_server_postgres::PostgresRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{
    Runtime, assert_survives_kill, block_on, facts, refusal, start, table, target, with_options,
};

/// One server for every test that only needs one.
pub fn shared() -> &'static str {
    static SHARED: OnceLock<Lab> = OnceLock::new();
    SHARED
        .get_or_init(|| start(&PostgresRecipe, "postgres"))
        .address()
}

#[test]
fn every_promise_is_kept() {
    conformance::assert_conforms_on::<PostgresDriver, _>(&target(shared()), &Runtime::default());
}

#[test]
fn the_facts_are_those_of_the_live_server() {
    let by_itself = facts::<PostgresDriver>(&target(shared()));
    assert_eq!(
        (by_itself.product.as_str(), by_itself.topology.as_str()),
        ("PostgreSQL", "1 server")
    );
    assert!(by_itself.version.starts_with("1"), "{}", by_itself.version);
    assert_eq!(by_itself.durability, Durability::Synced);
    assert_eq!(by_itself.consistency, Some(Consistency::Quorum));
    assert_eq!(by_itself.settings["shared_buffers"], "128MB");

    let loose = facts::<PostgresDriver>(&with_options(shared(), "durability=none"));
    assert_eq!(loose.durability, Durability::None);
    // Read back from a session of the driver, not from what it asked for.
    assert_eq!(loose.settings["synchronous_commit"], "off");
}

#[test]
fn a_session_has_prepared_its_statements_before_the_first_operation() {
    block_on(async {
        let driver = PostgresDriver::connect(&target(shared())).await.unwrap();
        let table = table("prepared", 2);
        driver.create_table(&table).await.unwrap();
        let session = driver.session(&table).await.unwrap();
        // The server shows the last statement that each connection had parsed.
        let last = layout::sql(
            shared(),
            "SELECT query FROM pg_stat_activity WHERE query LIKE '%prepared%' AND pid <> pg_backend_pid()",
        )
        .await;
        let is_operation = |query: &str| {
            ["SELECT", "INSERT", "UPDATE", "DELETE"]
                .iter()
                .any(|word| query.starts_with(word))
        };
        assert!(last.iter().flatten().any(|query| is_operation(query)), "{last:?}");
        drop(session);
        driver.drop_table(&table).await.unwrap();
    });
}

#[test]
fn a_level_that_the_server_does_not_give_is_refused() {
    let error = refusal::<PostgresDriver>(&with_options(shared(), "durability=buffered"));
    assert_eq!(error.class, ErrorClass::Rejected);
    assert!(error.message.contains("fsync = off"), "{error}");
}

#[test]
fn what_is_called_buffered_or_synced_survives_a_kill() {
    for (fsync, level) in [("off", Durability::Buffered), ("on", Durability::Synced)] {
        let mut lab = start(&PostgresRecipe, &format!("postgres?fsync={fsync}"));
        let target = with_options(lab.address(), &format!("durability={level}"));
        assert_eq!(facts::<PostgresDriver>(&target).durability, level);
        assert_survives_kill::<PostgresDriver>(&mut lab, "node1", &target);
    }
}
