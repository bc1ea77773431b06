//! Errors by real provocation: each gets its class, nothing hangs, and the driver is back when the server is.

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, ErrorClass, Key, Row, Session};
use dbdyno_testkit::live::{
    assert_comes_back, assert_refuses, assert_survives_kill, assert_times_out, block_on, read, table, target,
    with_options,
};

use crate::relay::Relay;
use crate::{begun, hosts, shared, works_again};

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
fn a_missing_table_is_reported_and_a_value_that_is_no_text_is_refused() {
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

#[test]
fn a_table_that_is_dropped_under_a_session_is_not_found() {
    block_on(async {
        let driver = CassandraDriver::connect(&target(shared())).await.unwrap();
        let table = table("dropped", 1);
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        read(&mut session).await.unwrap();
        driver.drop_table(&table).await.unwrap();
        let error = read(&mut session).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::NotFound, "{error}");
    });
}

#[test]
fn a_connection_that_is_cut_in_the_middle_is_counted_and_made_again() {
    let relay = Relay::to(hosts(shared()));
    let address = format!("cassandra://127.0.0.1:{}/ycsb?replication=1", relay.port);
    block_on(async {
        let driver = CassandraDriver::connect(&target(&address)).await.unwrap();
        let table = table("cut", 1);
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        read(&mut session).await.unwrap();
        relay.cut_at_next_answer();
        let error = read(&mut session).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Unavailable, "{error}");
        works_again(&mut session).await;
        driver.drop_table(&table).await.unwrap();
    });
}

#[test]
fn a_server_that_stands_still_or_is_killed_is_survived_with_all_that_it_synced() {
    let mut lab = begun("commitlog_sync=batch");
    let address = with_options(lab.address(), "timeout=2s&connect_timeout=5s");
    assert_times_out::<CassandraDriver>(&lab, "node1", &address);
    assert_comes_back::<CassandraDriver>(&mut lab, "node1", &address);
    assert_survives_kill::<CassandraDriver>(&mut lab, "node1", &address);
}
