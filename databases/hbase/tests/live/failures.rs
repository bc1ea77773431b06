//! Errors by real provocation: each gets its class, nothing hangs, and the driver is back when the server is.

use std::process::Command;
use std::time::Instant;

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, ErrorClass, Fields, Found, Key, Row, Session};
use dbdyno_lab::{Lab, Signal};
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::live::{
    BACK_WITHIN, assert_refuses, assert_times_out, block_on, read, refusal, start, table, target,
    with_options,
};

use crate::{ADDRESS, SERVER, shared};

#[test]
fn what_cannot_be_had_is_refused() {
    for (options, expected) in [
        ("durability=synced", "storage=hdfs"),
        ("user=me", "knows no passwords"),
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
    let options = options.replace("connect_timeout=60s", "connect_timeout=500ms");
    let wrong = format!("hbase://127.0.0.1:1?{options}");
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
fn nothing_is_stated_on_standard_error() {
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
    let stated = String::from_utf8_lossy(&child.stdout);
    assert!(stated.contains("1 passed"), "{stated}");
    assert_eq!(String::from_utf8_lossy(&child.stderr), "");
}

#[test]
fn a_server_that_stands_still_or_is_killed_is_survived() {
    let lab = start(&HbaseRecipe, SERVER);
    let address = with_options(lab.address(), "timeout=700ms");
    assert_times_out::<HbaseDriver>(&lab, "hbase", &address);
    assert_kill_is_survived(lab);
}

/// Kills the server under working sessions: errors have a class, the same sessions work again when it is back, every
/// acknowledged record that was logged is there, and those that were not logged are lost, which shows that the kill was
/// one.
fn assert_kill_is_survived(mut lab: Lab) {
    const RECORDS: u64 = 300;
    block_on(async {
        let key = |number: u64| Key::new(number, &format!("user{number}"));
        let mut row = Row::new();
        row.push(0, b"kept");
        let mut sessions = Vec::new();
        for durability in ["buffered", "none"] {
            let address = with_options(lab.address(), &format!("timeout=1s&durability={durability}"));
            let driver = HbaseDriver::connect(&address).await.unwrap();
            let table = table(durability, 1);
            driver.create_table(&table).await.unwrap();
            let mut session = driver.session(&table).await.unwrap();
            for number in 0..RECORDS {
                session.insert(&key(number), &row).await.unwrap();
            }
            sessions.push(session);
        }
        lab.signal("hbase", Signal::Kill).unwrap();
        for session in &mut sessions {
            for _ in 0..2 {
                let error = read(session).await.unwrap_err();
                let expected = [ErrorClass::Unavailable, ErrorClass::Timeout];
                assert!(expected.contains(&error.class), "{error}");
            }
        }
        lab.restart("hbase").unwrap();
        #[expect(
            clippy::disallowed_methods,
            reason = "a deadline of a test, not a measurement"
        )]
        let restarted = Instant::now();
        let mut kept = Vec::new();
        for session in &mut sessions {
            while let Err(error) = read(session).await {
                assert!(
                    restarted.elapsed() < BACK_WITHIN,
                    "the driver does not come back: {error}"
                );
            }
            let mut found = 0;
            for number in 0..RECORDS {
                let read = session.read(&key(number), Fields::All, &mut row).await.unwrap();
                found += u64::from(read == Found::Yes);
            }
            kept.push(found);
        }
        assert_eq!(kept, [RECORDS, 0], "of the logged and of the others");
    });
}
