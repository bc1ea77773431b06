//! A master and replicas: writes wait for them where that is asked for, and fail where too few have them.

use dbdyno_database_redis::{RedisDriver, RedisSession};
use dbdyno_driver::{Consistency, DbError, Driver, Durability, ErrorClass, Key, Row, Session, Target};
use dbdyno_lab::{Lab, Signal};
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{
    Runtime, assert_survives_kill, block_on, facts, read, refusal, start, table, target, with_options,
};

fn signal(lab: &Lab, server: &str, signal: Signal) {
    let servers = lab.servers().iter();
    let process = servers
        .filter(|known| known.name == server)
        .map(|known| known.process);
    process.for_each(|process| drop(signal.send(process)));
}

async fn session(target: &Target) -> RedisSession {
    let driver = RedisDriver::connect(target).await.unwrap();
    driver.session(&table("copies", 1)).await.unwrap()
}

async fn insert(session: &mut RedisSession) -> Result<(), DbError> {
    let mut row = Row::new();
    row.push(0, b"kept");
    session.insert(&Key::new(1, "user1"), &row).await
}

#[test]
fn every_promise_is_kept_with_replicas_and_the_record_says_which() {
    let lab = start(&RedisRecipe, "redis?replicas=2");
    let names: Vec<&str> = lab.servers().iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["master", "replica1", "replica2"]);
    let quorum = with_options(lab.address(), "consistency=quorum");
    conformance::assert_conforms_on::<RedisDriver, _>(&quorum, &Runtime::default());

    let given = facts::<RedisDriver>(&target(lab.address()));
    assert_eq!(given.topology, "1 master, 2 replicas");
    assert_eq!((given.nodes, given.replicas), (Some(3), Some(3)));
    assert_eq!(given.consistency, Some(Consistency::One));
    assert!(given.consistency_means.contains("asynchronous"), "{given:?}");
    let given = facts::<RedisDriver>(&quorum);
    assert_eq!(given.consistency, Some(Consistency::Quorum));
    assert!(
        given
            .consistency_means
            .contains("2 of 3 copies acknowledge a write (WAIT)"),
        "{given:?}"
    );
    // Of the server by itself: not what was asked for.
    assert_eq!(given.settings["min-replicas-to-write"], "0");

    // Redis 7.0 has no WAITAOF, by which a client could have more than the servers' own setting.
    if given.version.starts_with("7.0") {
        let error = refusal::<RedisDriver>(&with_options(
            lab.address(),
            "consistency=quorum&durability=synced",
        ));
        assert_eq!(error.class, ErrorClass::Rejected);
        assert!(
            error.message.contains("needs Redis 7.2 or newer; this is 7.0"),
            "{error}"
        );
    }
}

#[test]
fn a_write_that_too_few_replicas_have_is_an_error_and_never_acknowledged() {
    let lab = start(&RedisRecipe, "redis?replicas=2&appendfsync=always");
    let with = |options: &str| with_options(lab.address(), options);
    let all = with("consistency=all&replica_timeout=1s");
    let quorum = with("consistency=quorum&replica_timeout=5s");
    assert_eq!(facts::<RedisDriver>(&all).durability, Durability::Synced);
    block_on(async {
        let mut waits_for_all = session(&all).await;
        let mut waits_for_one = session(&quorum).await;
        let mut waits_for_none = session(&target(lab.address())).await;
        insert(&mut waits_for_all).await.unwrap();

        signal(&lab, "replica2", Signal::Pause);
        let error = insert(&mut waits_for_all).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Timeout, "{error}");
        assert!(
            error
                .message
                .contains("1 of 2 replicas acknowledged a write within 1000 ms (WAIT)"),
            "{error}"
        );
        let mut row = Row::new();
        row.push(0, b"more");
        let key = Key::new(1, "user1");
        for error in [
            waits_for_all.update(&key, &row).await.unwrap_err(),
            waits_for_all.delete(&key).await.unwrap_err(),
        ] {
            assert_eq!(error.class, ErrorClass::Timeout, "{error}");
        }
        // The other one is enough of three copies, and nobody is who asks for none.
        insert(&mut waits_for_one).await.unwrap();
        insert(&mut waits_for_none).await.unwrap();
        // Its connection is still good, and reads wait for nobody.
        read(&mut waits_for_all).await.unwrap();

        signal(&lab, "replica2", Signal::Resume);
        insert(&mut waits_for_all).await.unwrap();
    });
}

#[test]
fn waitaof_has_writes_synced_that_the_servers_would_not_sync_before_their_answer() {
    let lab = start(&RedisRecipe, "redis@valkey?replicas=2");
    let quorum = with_options(lab.address(), "consistency=quorum&durability=synced");
    let given = facts::<RedisDriver>(&quorum);
    assert_eq!(
        (given.product.as_str(), given.durability),
        ("Valkey", Durability::Synced)
    );
    assert_eq!(
        given.durability_means,
        "appendonly yes, appendfsync everysec, WAITAOF: each write waits for the sync of 2 copies"
    );
    assert!(
        given
            .consistency_means
            .contains("2 of 3 copies acknowledge a write (WAITAOF)"),
        "{given:?}"
    );
    let own = facts::<RedisDriver>(&with_options(lab.address(), "consistency=quorum"));
    assert_eq!(own.durability, Durability::None, "nobody asked for more");

    let all = with_options(
        lab.address(),
        "consistency=all&durability=synced&replica_timeout=1s",
    );
    block_on(async {
        let (mut waits_for_all, mut waits_for_one) = (session(&all).await, session(&quorum).await);
        insert(&mut waits_for_all).await.unwrap();
        signal(&lab, "replica2", Signal::Pause);
        let error = insert(&mut waits_for_all).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Timeout, "{error}");
        assert!(error.message.contains("(WAITAOF)"), "{error}");
        insert(&mut waits_for_one).await.unwrap();
        signal(&lab, "replica2", Signal::Resume);
        insert(&mut waits_for_all).await.unwrap();
    });
}

#[test]
fn a_client_of_one_server_waits_for_the_sync_where_it_asks_for_it() {
    let mut lab = start(&RedisRecipe, "redis@valkey");
    let synced = with_options(lab.address(), "durability=synced");
    let given = facts::<RedisDriver>(&synced);
    assert_eq!(
        given.durability_means,
        "appendonly yes, appendfsync everysec, WAITAOF: each write waits for the sync"
    );
    assert_survives_kill::<RedisDriver>(&mut lab, "node1", &synced);
}

#[test]
fn reads_and_writes_go_to_the_master_only() {
    let mut lab = start(&RedisRecipe, "redis?replicas=1&appendfsync=always");
    // Whichever server comes first in the address.
    let hosts = lab.address().trim_start_matches("redis://").to_owned();
    let (master, replica) = hosts.split_once(',').unwrap();
    let turned = with_options(
        &format!("redis://{replica},{master}"),
        "consistency=quorum&timeout=10s&connect_timeout=1s",
    );
    block_on(async {
        let mut session = session(&turned).await;
        insert(&mut session).await.unwrap();
        lab.signal("master", Signal::Kill).unwrap();
        // The first operation finds the broken connection, the second that the other server is a replica.
        for _ in 0..2 {
            let error = read(&mut session).await.unwrap_err();
            assert_eq!(error.class, ErrorClass::Unavailable, "{error}");
        }
        lab.restart("master").unwrap();
        // The replica comes back by itself, and until then a write waits in vain.
        let mut tries = 0;
        while let Err(error) = insert(&mut session).await {
            assert!(
                matches!(error.class, ErrorClass::Unavailable | ErrorClass::Timeout),
                "{error}"
            );
            tries += 1;
            assert!(tries < 100, "{error}");
        }
        read(&mut session).await.unwrap();
    });
    let alone = target(&format!("redis://{replica}"));
    assert_eq!(facts::<RedisDriver>(&alone).topology, "replica of a master");
}

#[test]
fn replicas_that_the_address_does_not_name_are_not_believed_to_sync() {
    let lab = start(&RedisRecipe, "redis?replicas=1&appendfsync=always");
    let master = lab.address().split(',').next().unwrap();
    let both = "consistency=quorum&durability=synced";
    assert_eq!(
        facts::<RedisDriver>(&with_options(lab.address(), both)).durability,
        Durability::Synced
    );
    let error = refusal::<RedisDriver>(&with_options(master, both));
    assert_eq!(error.class, ErrorClass::Rejected);
    assert!(error.message.contains("0 of its 1 replicas"), "{error}");
    let weaker = facts::<RedisDriver>(&with_options(master, "consistency=quorum"));
    assert_eq!(weaker.durability, Durability::None);
}

#[test]
fn replicas_log_in_and_encrypt_as_clients_do() {
    for request in [
        "redis?replicas=1&password=hunter2/?@:\"\\ é",
        "redis?replicas=1&security=auth",
        "redis?replicas=1&security=mtls",
        "redis?replicas=1&security=hardened",
    ] {
        let lab = start(&RedisRecipe, request);
        let given = facts::<RedisDriver>(&with_options(lab.address(), "consistency=all"));
        assert_eq!(given.topology, "1 master, 1 replica", "{request}");
        block_on(async {
            let mut session = session(&with_options(lab.address(), "consistency=all")).await;
            insert(&mut session).await.unwrap();
        });
        // No password is on a command line or in an address.
        assert!(!lab.instance().request.contains("hunter"));
    }
}
