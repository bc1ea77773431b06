//! What runs by night: the driver works under every security profile of the lab, with no more rights than it needs.

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_lab::Lab;
use dbdyno_testkit::live::{block_on, facts, read, table, target};

use crate::begun;

fn assert_works(lab: &Lab) {
    let address = target(lab.address());
    block_on(async {
        let driver = CassandraDriver::connect(&address).await.unwrap();
        let table = table("profiled", 2);
        driver.create_table(&table).await.unwrap();
        driver.store_manifest(&table, "made").await.unwrap();
        read(&mut driver.session(&table).await.unwrap()).await.unwrap();
        assert_eq!(
            driver.load_manifest(&table).await.unwrap().as_deref(),
            Some("made")
        );
        driver.drop_table(&table).await.unwrap();
    });
    assert!(
        facts::<CassandraDriver>(&address)
            .settings
            .contains_key("commitlog_sync")
    );
}

#[test]
fn the_driver_reads_and_writes_under_every_profile() {
    for profile in ["none", "auth", "tls", "mtls", "hardened"] {
        let lab = begun(&format!("security={profile}"));
        assert_works(&lab);
        assert_eq!(
            lab.instance().administrator.is_some(),
            ["auth", "hardened"].contains(&profile)
        );
    }
}

#[test]
fn a_hardened_cluster_is_used_and_its_application_makes_no_keyspaces() {
    let lab = begun("nodes=3&security=hardened");
    assert_works(&lab);
    assert!(
        facts::<CassandraDriver>(&target(lab.address()))
            .topology
            .starts_with("3 nodes")
    );
    let elsewhere = target(&lab.address().replace("/ycsb?", "/elsewhere?"));
    block_on(async {
        let driver = CassandraDriver::connect(&elsewhere).await.unwrap();
        let error = driver.create_table(&table("forbidden", 1)).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Auth, "{error}");
    });
}
