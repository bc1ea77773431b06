//! An HDFS where everybody logs in, below an HBase where everybody does.

use std::path::Path;

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

/// Stores a record with this value in a new table, and reads it back.
fn store(address: &Target, name: &str, value: &[u8]) {
    block_on(async {
        let driver = HbaseDriver::connect(address).await.unwrap();
        let table = table(name, 1);
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, value);
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();
        read(&mut session).await.unwrap();
    });
}

/// HBase stores its files there, an observer counts the copies, and nobody else sees them.
fn is_closed(request: &str, scheme: &str) {
    let lab = start(&HbaseRecipe, &format!("{SERVER}&{request}"));
    let address = with_options(lab.address(), "connect_timeout=60s&durability=synced");
    store(&address, "on_a_closed_hdfs", b"value");
    let facts = facts::<HbaseDriver>(&address);
    assert_eq!(facts.durability, Durability::Synced);
    assert_eq!(facts.settings["hdfs_replication"], "2", "{facts:?}");
    assert_eq!(facts.settings["hdfs_data_nodes"], "2");
    let zone = if request.contains("encryption_zone=on") {
        "on"
    } else {
        "off"
    };
    assert_eq!(facts.settings["hdfs_encryption_zone"], zone);
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
    is_closed("security=hardened&nodes=2&hdfs=2&encryption_zone=on", "https://");
}

/// A value that nothing else holds.
const CANARY: &[u8] = b"canary-of-the-blocks-7f3a";

/// Whether a file below this directory holds the canary.
fn holds_canary(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => holds_canary(&path),
            false => std::fs::read(&path)
                .unwrap_or_default()
                .windows(CANARY.len())
                .any(|part| part == CANARY),
        }
    })
}

#[test]
fn in_a_zone_no_block_can_be_read() {
    let _turn = kerberos();
    for (zone, is_readable) in [("off", true), ("on", false)] {
        let lab = start(&HbaseRecipe, &format!("{SERVER}&hdfs=1&encryption_zone={zone}"));
        let address = with_options(lab.address(), "connect_timeout=60s&durability=synced");
        store(&address, "in_a_zone", CANARY);
        let settings = facts::<HbaseDriver>(&address).settings;
        assert_eq!(settings["hdfs_encryption_zone"], zone);
        assert_eq!(lab.at_rest().is_some(), zone == "on");
        let node = lab.servers().iter().find(|server| server.name == "datanode1");
        let blocks = lab.directory().join("datanode1/blocks");
        assert!(node.is_some() && blocks.is_dir(), "{}", blocks.display());
        assert_eq!(holds_canary(&blocks), is_readable, "{zone}");
    }
}
