//! Bindings of YCSB, hosted: its own BasicDB, and those of `tests/java`.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod bindings;
mod refusals;
mod statuses;

use bindings::address;
use dbdyno_database_ycsb::{YcsbDriver, YcsbSession};
use dbdyno_driver::{Driver, Durability, ErrorClass, Fields, Found, Key, Row, Rows, Session};
use dbdyno_testkit::conformance::{self, Ready};
use dbdyno_testkit::live::{block_on, table, target};

fn session(address: &str) -> (YcsbDriver, YcsbSession) {
    block_on(async {
        let driver = YcsbDriver::connect(&target(address)).await.unwrap();
        let session = driver.session(&table("usertable", 2)).await.unwrap();
        (driver, session)
    })
}

/// The first field of a record.
fn first_field(session: &mut YcsbSession, key: &str) -> String {
    let mut row = Row::new();
    let found = block_on(session.read(&Key::new(0, key), Fields::All, &mut row));
    assert_eq!(found.unwrap(), Found::Yes);
    String::from_utf8(row.get(0).unwrap().to_vec()).unwrap()
}

#[test]
fn every_promise_is_kept() {
    let target = target(&address("SharedMap", "key_field=key&drop=delete"));
    conformance::assert_conforms_on::<YcsbDriver, _>(&target, &Ready);
}

#[test]
fn basicdb_says_yes_to_everything() {
    let (driver, mut session) = session("ycsb:site.ycsb.BasicDB?p.basicdb.verbose=false");
    block_on(async {
        let (key, mut row, mut rows) = (Key::new(1, "user1"), Row::new(), Rows::new());
        row.push(0, b"value");
        session.insert(&key, &row).await.unwrap();
        session.update(&key, &row).await.unwrap();
        assert_eq!(
            session.read(&key, Fields::All, &mut row).await.unwrap(),
            Found::Yes
        );
        assert!(row.is_empty());
        assert_eq!(session.scan(&key, 5, Fields::One(1), &mut rows).await.unwrap(), 0);
        session.delete(&key).await.unwrap();
        let facts = driver.facts().await.unwrap();
        assert_eq!(
            (facts.product.as_str(), facts.version.as_str()),
            ("site.ycsb.BasicDB", "0.17.0")
        );
        assert_eq!(facts.settings["ycsb_core"], "0.17.0");
        assert_eq!(facts.durability, Durability::None);
        assert!(facts.durability_means.contains("not known"), "{facts:?}");
        assert!(facts.topology.contains("not known"), "{facts:?}");
    });
}

#[test]
fn properties_come_from_a_file_and_from_the_address() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.properties");
    std::fs::write(&file, "hosts = one, two\nport=1\n").unwrap();
    let options = format!("properties={}&p.port=2&p.url=h?a=1%26b=2", file.display());
    let (_driver, mut session) = session(&address("Parrot", &options));
    for (name, expected) in [
        ("hosts", "one, two"),
        ("port", "2"),
        ("url", "h?a=1&b=2"),
        ("x", "none"),
    ] {
        assert_eq!(first_field(&mut session, &format!("property {name}")), expected);
    }
}

#[test]
fn each_session_has_an_instance_and_gives_it_back() {
    // A class path of its own, so that no other test's instances are counted.
    let own = format!(
        "ycsb:Parrot?class_path={}/.:{}",
        bindings::classes(),
        env!("CARGO_TARGET_TMPDIR")
    );
    let (driver, mut one) = session(&own);
    // The driver keeps one open.
    assert_eq!(first_field(&mut one, "open"), "2");
    let other = block_on(driver.session(&table("usertable", 1))).unwrap();
    assert_eq!(first_field(&mut one, "open"), "3");
    drop(other);
    assert_eq!(first_field(&mut one, "open"), "2");
    drop(driver);
    assert_eq!(first_field(&mut one, "open"), "1");
}

#[test]
fn values_are_left_where_they_are_when_the_address_says_so() {
    let (driver, mut session) = session(&address("SharedMap", "key_field=key&values=unread"));
    block_on(async {
        let (key, mut row, mut rows) = (Key::new(0, "unread0"), Row::new(), Rows::new());
        row.push(0, b"value");
        session.insert(&key, &row).await.unwrap();
        let found = session.read(&key, Fields::All, &mut row).await.unwrap();
        assert_eq!((found, row.is_empty()), (Found::Yes, true));
        let missing = Key::new(1, "unread1");
        let found = session.read(&missing, Fields::All, &mut row).await.unwrap();
        assert_eq!(found, Found::No);
        assert_eq!(session.scan(&key, 1, Fields::All, &mut rows).await.unwrap(), 1);
        let scanned: Vec<_> = rows
            .iter()
            .map(|(key, row)| (key.as_str(), row.is_empty()))
            .collect();
        assert_eq!(scanned, [("unread0", true)]);
        assert_eq!(driver.facts().await.unwrap().settings["values_found"], "unread");
    });
}

#[test]
fn a_table_is_emptied_as_the_address_says() {
    let table = table("emptied", 1);
    let fresh = |options: &str| {
        block_on(async {
            let driver = YcsbDriver::connect(&target(&address("SharedMap", options)))
                .await
                .unwrap();
            driver.create_table(&table).await.unwrap();
            let mut session = driver.session(&table).await.unwrap();
            let mut row = Row::new();
            row.push(0, b"value");
            // More than one scan's worth.
            for number in 0..1500 {
                let key = Key::new(number, &format!("user{number}"));
                session.insert(&key, &row).await.unwrap();
            }
            driver.store_manifest(&table, "loaded").await.unwrap();
            let dropped = driver.drop_table(&table).await;
            assert_eq!(driver.load_manifest(&table).await.unwrap(), None);
            let first = session.read(&Key::new(0, "user0"), Fields::All, &mut row).await;
            let last = session
                .read(&Key::new(1499, "user1499"), Fields::All, &mut row)
                .await;
            assert_eq!(first.as_ref().unwrap(), last.as_ref().unwrap());
            (dropped, first.unwrap())
        })
    };
    let (refused, found) = fresh("");
    let refused = refused.unwrap_err();
    assert_eq!((refused.class, found), (ErrorClass::Rejected, Found::Yes));
    assert!(refused.message.contains("drop="), "{refused}");
    let (kept, found) = fresh("drop=keep");
    assert_eq!((kept.is_ok(), found), (true, Found::Yes));
    let (misled, _) = fresh("drop=delete&key_field=id");
    assert!(misled.unwrap_err().message.contains("key_field"));
    let (deleted, found) = fresh("drop=delete&key_field=key");
    assert_eq!((deleted.is_ok(), found), (true, Found::No));
}
