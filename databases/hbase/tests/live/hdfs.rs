//! An HDFS where everybody logs in, below an HBase where everybody does.

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, Durability, ErrorClass, Key, Row, Session, Target};
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::live::{block_on, facts, read, start, table, with_options};

use crate::{SERVER, kerberos};

/// What HDFS answers whoever this address names: it is said at once, and not after a trial.
fn refusal(address: &Target) -> String {
    let error = block_on(HbaseDriver::connect(address)).err().unwrap();
    assert_eq!(error.class, ErrorClass::Rejected, "{error}");
    error.message
}

/// HBase stores its files there, an observer counts the copies, and nobody else sees them.
fn is_closed(request: &str, scheme: &str) {
    let lab = start(&HbaseRecipe, &format!("{SERVER}&{request}"));
    let address = with_options(lab.address(), "connect_timeout=60s&durability=synced");
    block_on(async {
        let driver = HbaseDriver::connect(&address).await.unwrap();
        let table = table("on_a_closed_hdfs", 1);
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"value");
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();
        read(&mut session).await.unwrap();
    });
    let facts = facts::<HbaseDriver>(&address);
    assert_eq!(facts.durability, Durability::Synced);
    assert_eq!(facts.settings["hdfs_replication"], "2", "{facts:?}");
    assert_eq!(facts.settings["hdfs_data_nodes"], "2");
    let place = address.options["webhdfs"].clone();
    assert!(place.starts_with(scheme), "{place}");

    let mut nobody = address.clone();
    nobody.options.remove("webhdfs_principal");
    nobody.options.remove("webhdfs_keytab");
    let why = refusal(&nobody);
    assert!(why.contains("status 401"), "{why}");
    // It may use HBase, and see none of its files: HBase's rights would mean nothing.
    let mut application = address.clone();
    for name in ["principal", "keytab"] {
        let own = application.options[name].clone();
        application.options.insert(format!("webhdfs_{name}"), own);
    }
    let why = refusal(&application);
    assert!(why.contains("status 403"), "{why}");
    if !scheme.is_empty() {
        let mut clear = address.clone();
        clear
            .options
            .insert("webhdfs".to_owned(), place.replace(scheme, ""));
        let why = refusal(&clear);
        assert!(why.contains("gave no facts about HDFS"), "{why}");
    }
}

#[test]
fn only_an_observer_sees_the_files() {
    let _turn = kerberos();
    is_closed("security=auth&hdfs=2", "");
    is_closed("security=hardened&nodes=2&hdfs=2", "https://");
}
