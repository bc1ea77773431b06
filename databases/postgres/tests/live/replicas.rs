//! A primary and replicas that follow it.

use dbdyno_database_postgres::PostgresDriver;
use dbdyno_driver::{Consistency, Driver, Durability, ErrorClass, Key, Row, Session};
use dbdyno_lab::Signal;
use dbdyno_server_postgres::PostgresRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, block_on, facts, read, refusal, start, table, target, with_options};

#[test]
fn every_promise_is_kept_with_replicas_and_a_commit_waits_for_them() {
    let mut lab = start(&PostgresRecipe, "postgres?nodes=3&synchronous=1");
    let address = target(lab.address());
    // Each commit waits for the disks of two servers, and disks are busy beside other tests.
    let patient = with_options(lab.address(), "timeout=60s");
    conformance::assert_conforms_on::<PostgresDriver, _>(&patient, &Runtime::default());
    let given = facts::<PostgresDriver>(&address);
    assert_eq!(given.topology, "primary, 2 replicas");
    assert_eq!(given.consistency, Some(Consistency::Quorum));
    assert!(
        given.consistency_means.starts_with("2 of 3 copies"),
        "{}",
        given.consistency_means
    );
    assert_eq!(given.durability, Durability::Synced);
    let written = facts::<PostgresDriver>(&with_options(lab.address(), "durability=buffered"));
    assert_eq!(written.settings["synchronous_commit"], "remote_write");
    assert_eq!(written.durability, Durability::Buffered);
    assert_eq!(written.consistency, Some(Consistency::Quorum));
    assert!(
        written
            .consistency_means
            .contains("when their operating system has it"),
        "{written:?}"
    );
    let error = refusal::<PostgresDriver>(&with_options(lab.address(), "consistency=all"));
    assert_eq!(error.class, ErrorClass::Rejected);
    assert!(error.message.contains("synchronous_standby_names"), "{error}");

    let replica = lab.address().rsplit_once(',').unwrap().1;
    let replica = format!("postgres://postgres@{replica}");
    block_on(async {
        let table = table("copies", 1);
        let driver = PostgresDriver::connect(&with_options(lab.address(), "timeout=500ms"))
            .await
            .unwrap();
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"kept");
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();

        // A replica answers reads and refuses writes. It may still be a moment behind.
        let beside = PostgresDriver::connect(&target(&replica)).await.unwrap();
        let mut reader = loop {
            match beside.session(&table).await {
                Ok(session) => break session,
                Err(error) => assert_eq!(error.class, ErrorClass::NotFound, "{error}"),
            }
        };
        read(&mut reader).await.unwrap();
        let error = reader.insert(&Key::new(2, "user2"), &row).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        assert!(error.message.contains("25006"), "{error}");

        // One replica is enough, none is not.
        lab.signal("node2", Signal::Kill).unwrap();
        session.insert(&Key::new(3, "user3"), &row).await.unwrap();
        lab.signal("node3", Signal::Kill).unwrap();
        let error = session.insert(&Key::new(4, "user4"), &row).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Timeout, "{error}");
    });
    // Who comes now learns it before a table is made.
    let error = refusal::<PostgresDriver>(&address);
    assert_eq!(error.class, ErrorClass::Rejected);
    assert!(error.message.contains("0 of them are connected"), "{error}");
    let alone = facts::<PostgresDriver>(&with_options(lab.address(), "consistency=one"));
    assert_eq!(alone.durability, Durability::Synced);
    assert_eq!(alone.topology, "1 server");
}
