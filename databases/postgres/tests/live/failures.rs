//! Errors by real provocation: each gets its class, nothing hangs, and the driver is back when the server is.

use dbdyno_database_postgres::PostgresDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_server_postgres::PostgresRecipe;
use dbdyno_testkit::live::{
    assert_comes_back, assert_conflicts, assert_refuses, assert_times_out, block_on, read, start, table,
    target, with_options,
};

use crate::layout::sql;
use crate::shared;

#[test]
fn a_wrong_port_is_unavailable() {
    let address = "postgres://127.0.0.1:1/postgres";
    assert_refuses::<PostgresDriver>(address, ErrorClass::Unavailable, "127.0.0.1:1", "");
}

#[test]
fn a_database_that_is_not_there_is_refused() {
    let address = shared()
        .replace("/postgres", "/elsewhere")
        .replace("/elsewhere@", "/postgres@");
    assert_refuses::<PostgresDriver>(&address, ErrorClass::Rejected, "\"elsewhere\" does not exist", "");
}

#[test]
fn a_table_that_is_not_there_is_not_found() {
    block_on(async {
        let driver = PostgresDriver::connect(&target(shared())).await.unwrap();
        let table = table("nowhere", 1);
        let error = driver.session(&table).await.err().unwrap();
        assert_eq!(error.class, ErrorClass::NotFound, "{error}");
        assert!(error.message.contains("nowhere"), "{error}");
    });
}

#[test]
fn a_key_that_is_there_is_a_conflict() {
    assert_conflicts::<PostgresDriver>(&target(shared()), "23505");
}

#[test]
fn a_connection_that_the_server_cuts_is_made_again() {
    block_on(async {
        let driver = PostgresDriver::connect(&target(shared())).await.unwrap();
        let table = table("cut", 1);
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        // Only the connections of this test: others run beside it.
        sql(
            shared(),
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%\"cut\"%' AND pid <> pg_backend_pid()",
        )
        .await;
        let error = read(&mut session).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Unavailable, "{error}");
        read(&mut session).await.unwrap();
    });
}

#[test]
fn too_many_connections_are_overload() {
    let lab = start(&PostgresRecipe, "postgres?connections=10");
    block_on(async {
        let driver = PostgresDriver::connect(&target(lab.address())).await.unwrap();
        let table = table("crowd", 1);
        driver.create_table(&table).await.unwrap();
        let mut sessions = Vec::new();
        let error = loop {
            match driver.session(&table).await {
                Ok(session) => sessions.push(session),
                Err(error) => break error,
            }
            assert!(sessions.len() <= 10, "there is no end to the connections");
        };
        assert_eq!(error.class, ErrorClass::Overloaded, "{error}");
    });
}

#[test]
fn a_server_that_stands_still_or_is_killed_is_survived() {
    let mut lab = start(&PostgresRecipe, "postgres");
    let address = with_options(lab.address(), "timeout=500ms&connect_timeout=500ms");
    assert_times_out::<PostgresDriver>(&lab, "node1", &address);
    assert_comes_back::<PostgresDriver>(&mut lab, "node1", &address);
}
