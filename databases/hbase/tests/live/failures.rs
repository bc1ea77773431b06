//! Errors by real provocation: each gets its class, nothing hangs, and the driver is back when the server is.

use std::process::Command;

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_live::{
    assert_comes_back, assert_refuses, assert_survives_kill, assert_times_out, block_on, read, refusal,
    start, table, target, with_options,
};
use dbdyno_server_hbase::HbaseRecipe;

use crate::{ADDRESS, SERVER, shared};

#[test]
fn what_cannot_be_had_is_refused() {
    for (options, expected) in [
        ("durability=synced", "storage=hdfs"),
        ("tls=on", "without login and TLS"),
        ("regions=0", "regions=0"),
    ] {
        let error = refusal::<HbaseDriver>(&with_options(shared(), options));
        assert_eq!(error.class, ErrorClass::Rejected);
        assert!(error.message.contains(expected), "{error}");
    }
    let nowhere = "hbase://127.0.0.1:1?class_path=/no/such/place";
    assert_refuses::<HbaseDriver>(nowhere, ErrorClass::Rejected, "/no/such/place", "");
}

#[test]
fn a_wrong_port_is_unavailable() {
    let (_, options) = shared().split_once('?').unwrap();
    let wrong = format!("hbase://127.0.0.1:1?{options}&connect_timeout=500ms");
    assert_refuses::<HbaseDriver>(&wrong, ErrorClass::Unavailable, "127.0.0.1:1", "");
}

#[test]
fn a_table_or_family_that_is_not_there_is_named() {
    block_on(async {
        let driver = HbaseDriver::connect(&target(shared())).await.unwrap();
        let table = table(&format!("not_there_{}", std::process::id()), 1);
        let error = driver.session(&table).await.err().unwrap();
        assert_eq!(error.class, ErrorClass::NotFound, "{error}");
        assert!(error.message.contains("not_there"), "{error}");

        driver.create_table(&table).await.unwrap();
        let other = HbaseDriver::connect(&with_options(shared(), "columnfamily=other"))
            .await
            .unwrap();
        let error = other.session(&table).await.err().unwrap();
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        assert!(error.message.contains("columnfamily="), "{error}");

        let mut session = driver.session(&table).await.unwrap();
        read(&mut session).await.unwrap();
        driver.drop_table(&table).await.unwrap();
        let error = read(&mut session).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::NotFound, "{error}");
        assert!(error.message.contains("not_there"), "{error}");
    });
}

#[test]
fn nothing_is_said_on_standard_error() {
    // The client prints stacks of failures, and its logging library complains: in a process of its own it would be seen.
    let child = Command::new(std::env::current_exe().unwrap())
        .args([
            "failures::a_table_or_family_that_is_not_there_is_named",
            "--exact",
            "--nocapture",
        ])
        .env(ADDRESS, shared())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(said.contains("1 passed"), "{said}");
    assert_eq!(String::from_utf8_lossy(&child.stderr), "");
}

#[test]
fn a_server_that_stands_still_or_is_killed_is_survived() {
    let mut lab = start(&HbaseRecipe, SERVER);
    let address = with_options(lab.address(), "timeout=700ms");
    assert_times_out::<HbaseDriver>(&lab, "hbase", &address);
    assert_comes_back::<HbaseDriver>(&mut lab, "hbase", &address);
    let address = target(lab.address());
    assert_survives_kill::<HbaseDriver>(&mut lab, "hbase", &address);
}
