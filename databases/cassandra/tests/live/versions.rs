//! Other versions, and a Cassandra that the user has unpacked.

use std::path::Path;

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, Fields, Found, Key, Row, Session};
use dbdyno_lab::{LabHome, Recipe, ServerRequest, Store};
use dbdyno_server_cassandra::CassandraRecipe;
use dbdyno_testkit::live::{block_on, facts, start, table, target};

use crate::SMALL;

/// What the release of a version looks like when it is unpacked, made of the jars that Maven brings.
fn unpack(version: &str, into: &Path) {
    let home = LabHome::for_tests().unwrap();
    let request = ServerRequest::parse(&format!("cassandra@{version}")).unwrap();
    let fetched = CassandraRecipe
        .install(&request, &Store::of(&home), &mut ())
        .unwrap();
    for directory in ["bin", "conf", "lib"] {
        std::fs::create_dir(into.join(directory)).unwrap();
    }
    // It has a configuration of its own, which must not be taken for the node's.
    std::fs::write(into.join("conf/cassandra.yaml"), "cluster_name: not this one\n").unwrap();
    for jar in std::fs::read_dir(fetched.path.join("lib")).unwrap() {
        let jar = jar.unwrap();
        let name = jar.file_name().into_string().unwrap();
        let name = name.replace("cassandra-all-", "apache-cassandra-");
        std::os::unix::fs::symlink(jar.path(), into.join("lib").join(name)).unwrap();
    }
}

#[test]
fn version_4_1_answers_from_a_directory_of_the_users() {
    let folder = tempfile::tempdir().unwrap();
    unpack("4.1", folder.path());
    let lab = start(
        &CassandraRecipe,
        &format!("cassandra@4.1?{SMALL}&home={}", folder.path().display()),
    );
    let facts = facts::<CassandraDriver>(&target(lab.address()));
    assert_eq!(
        (facts.version.as_str(), facts.topology.as_str()),
        ("4.1.10", "1 node, rf 1")
    );
    block_on(async {
        let driver = CassandraDriver::connect(&target(lab.address())).await.unwrap();
        let table = table("older", 1);
        driver.create_table(&table).await.unwrap();
        driver.store_manifest(&table, "what was loaded").await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"value");
        let key = Key::new(1, "user1");
        session.insert(&key, &row).await.unwrap();
        let found = session.read(&key, Fields::All, &mut row).await.unwrap();
        assert_eq!((found, row.iter().next()), (Found::Yes, Some((0, &b"value"[..]))));
        let manifest = driver.load_manifest(&table).await.unwrap();
        assert_eq!(manifest.as_deref(), Some("what was loaded"));
    });
}
