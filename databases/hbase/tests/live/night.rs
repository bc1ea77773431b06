//! What runs by night: the driver reads and writes under every security profile of the lab.

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, Key, Row, Session};
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::live::{block_on, read, start, table, with_options};

use crate::{SERVER, kerberos};

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

/// One after the other in one process, as a study runs them: each start of servers has a Kerberos of its own.
#[test]
fn every_profile_lets_the_driver_read_and_write() {
    let _turn = kerberos();
    for profile in [
        "auth",
        "tls",
        "mtls",
        "hardened",
        "auth&nodes=2",
        "tls&nodes=2",
        "hardened&nodes=3",
    ] {
        reads_and_writes(&format!("{SERVER}&security={profile}"));
    }
}
