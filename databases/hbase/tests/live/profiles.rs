//! The driver reads and writes under every security profile of the lab.

use std::process::Command;

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, Key, Row, Session};
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::live::{block_on, read, start, table, with_options};

use crate::SERVER;

/// Set in a child process to the request of its server.
const REQUEST: &str = "DBDYNO_TEST_OF_A_PROFILE_OF_HBASE";

/// Java takes the configuration of one Kerberos server for a whole process, so each login gets a process of its own.
fn in_a_process_of_its_own(test: &str, request: &str) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(REQUEST, request)
        .output()
        .unwrap();
    let stated = String::from_utf8_lossy(&child.stdout);
    let errors = String::from_utf8_lossy(&child.stderr);
    assert!(stated.contains("1 passed"), "{request}: {stated}{errors}");
}

fn reads_and_writes(request: &str) {
    let lab = start(&HbaseRecipe, request);
    block_on(async {
        let driver = HbaseDriver::connect(&with_options(lab.address(), "connect_timeout=60s"))
            .await
            .unwrap();
        let table = table("of_a_profile", 1);
        driver.create_table(&table).await.unwrap();
        driver.store_manifest(&table, "manifest").await.unwrap();
        let manifest = driver.load_manifest(&table).await.unwrap();
        assert_eq!(manifest.as_deref(), Some("manifest"));
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"value");
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();
        read(&mut session).await.unwrap();
        driver.facts().await.unwrap();
        drop(session);
        driver.drop_table(&table).await.unwrap();
    });
}

#[test]
fn every_profile_lets_the_driver_read_and_write() {
    if let Ok(request) = std::env::var(REQUEST) {
        return reads_and_writes(&request);
    }
    for profile in [
        "auth",
        "tls",
        "mtls",
        "hardened",
        "auth&nodes=2",
        "tls&nodes=2",
        "hardened&nodes=3",
    ] {
        in_a_process_of_its_own(
            "profiles::every_profile_lets_the_driver_read_and_write",
            &format!("{SERVER}&security={profile}"),
        );
    }
}
