//! Login, and a durability that is enforced, on a server that insists on both.

use std::sync::OnceLock;

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, Durability, ErrorClass};
use dbdyno_lab::Lab;
use dbdyno_testkit::live::{
    assert_refuses, assert_unprivileged, block_on, facts, refusal, secret_file, table, target, with_options,
};
use scylla::client::session_builder::SessionBuilder;

use crate::{begun, hosts, shared};

/// A node that asks for passwords and syncs its log before it answers.
fn strict() -> &'static str {
    static STRICT: OnceLock<Lab> = OnceLock::new();
    STRICT
        .get_or_init(|| begun("auth=password&commitlog_sync=batch"))
        .address()
}

#[test]
fn passwords_are_asked_for_and_never_reported() {
    let hosts = hosts(strict());
    block_on(async {
        let plain = SessionBuilder::new()
            .known_node(hosts)
            .user("cassandra", "cassandra")
            .build()
            .await
            .unwrap();
        for statement in [
            "CREATE ROLE IF NOT EXISTS me WITH PASSWORD = 'hunter2' AND LOGIN = true",
            "CREATE KEYSPACE IF NOT EXISTS mine WITH REPLICATION = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "GRANT ALL ON KEYSPACE mine TO me",
        ] {
            plain.query_unpaged(statement, ()).await.unwrap();
        }
    });
    for login in ["", "me:hunter3@", "nobody:hunter2@"] {
        let address = format!("cassandra://{login}{hosts}");
        assert_refuses::<CassandraDriver>(&address, ErrorClass::Auth, "password_file", "hunter");
    }
    let file = secret_file("hunter2");
    let login = format!("user=me&password_file={}", file.path().display());
    block_on(async {
        let address = format!("cassandra://{hosts}/mine?replication=1&{login}");
        let driver = CassandraDriver::connect(&target(&address)).await.unwrap();
        driver.create_table(&table("allowed", 1)).await.unwrap();
        driver.session(&table("allowed", 1)).await.unwrap();
        // The same user has no right to another keyspace.
        let address = format!("cassandra://{hosts}/other?replication=1&{login}");
        let driver = CassandraDriver::connect(&target(&address)).await.unwrap();
        let error = driver.create_table(&table("forbidden", 1)).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Auth, "{error}");
        assert!(!format!("{error} {error:?}").contains("hunter"), "{error:?}");
    });
}

#[test]
fn a_log_that_is_synced_first_is_durability_synced_and_no_other_level_is_given() {
    let facts = facts::<CassandraDriver>(&with_options(strict(), "durability=synced"));
    assert_eq!(facts.durability, Durability::Synced);
    assert_eq!(facts.durability_means, "commitlog_sync=batch");
    assert_eq!(facts.settings["authenticator"], "PasswordAuthenticator");
    for (address, options, advice) in [
        (strict(), "durability=none", "commitlog_sync: periodic"),
        (strict(), "durability=buffered", "buffered"),
        (shared(), "durability=synced", "commitlog_sync: batch"),
        (shared(), "durability=buffered", "buffered"),
    ] {
        let error = refusal::<CassandraDriver>(&with_options(address, options));
        assert_eq!(error.class, ErrorClass::Rejected, "{options}: {error}");
        assert!(error.message.contains(advice), "{options}: {error}");
    }
}

#[test]
fn servers_run_as_an_unprivileged_user_and_none_is_left() {
    assert_unprivileged(begun("nodes=1"));
}
