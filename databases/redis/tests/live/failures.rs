//! Errors by real provocation: each gets its class, nothing hangs, and the driver is back when the server is.

use std::time::{Duration, Instant};

use dbdyno_database_redis::{RedisDriver, RedisSession};
use dbdyno_driver::conformance::BlockOn;
use dbdyno_driver::{DbError, Driver, ErrorClass, Fields, Key, Row, Session};
use dbdyno_lab::Signal;

use crate::{Runtime, start, table, target};

fn refused(address: &str) -> DbError {
    Runtime::new()
        .block_on(RedisDriver::connect(&target(address)))
        .err()
        .unwrap()
}

async fn read(session: &mut RedisSession) -> Result<(), DbError> {
    session
        .read(&Key::new(1, "user1"), Fields::All, &mut Row::new())
        .await
        .map(drop)
}

#[test]
fn a_wrong_port_is_unavailable() {
    let error = refused("redis://127.0.0.1:1");
    assert_eq!(error.class, ErrorClass::Unavailable);
    assert!(error.message.contains("127.0.0.1:1"), "{error}");
}

#[test]
fn passwords_are_asked_for_and_never_told() {
    let lab = start("redis?password=hunter2");
    let host = lab.address().rsplit_once('@').unwrap().1.to_owned();
    for address in [format!("redis://{host}"), format!("redis://:hunter3@{host}")] {
        let error = refused(&address);
        assert_eq!(error.class, ErrorClass::Auth, "{error}");
        assert!(!format!("{error:?}").contains("hunter"), "{error:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "hunter2\n").unwrap();
    let address = format!("redis://{host}?password_file={}", file.display());
    Runtime::new()
        .block_on(RedisDriver::connect(&target(&address)))
        .unwrap();
}

#[test]
fn too_little_memory_is_overloaded_and_a_replica_is_read_only() {
    let lab = start("redis?appendfsync=off");
    let client = redis::Client::open(lab.address()).unwrap();
    let mut raw = client.get_connection().unwrap();
    let mut configure = |words: &[&str]| {
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query::<()>(&mut raw).unwrap();
    };
    Runtime::new().block_on(async {
        let driver = RedisDriver::connect(&target(lab.address())).await.unwrap();
        let mut session = driver.session(&table("t", 1)).await.unwrap();
        let mut row = Row::new();
        row.push(0, &[b'x'; 1000]);
        configure(&["CONFIG", "SET", "maxmemory", "1"]);
        let error = session.insert(&Key::new(1, "user1"), &row).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Overloaded, "{error}");
        configure(&["CONFIG", "SET", "maxmemory", "0"]);
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();

        configure(&["REPLICAOF", "127.0.0.1", "1"]);
        let error = session.insert(&Key::new(2, "user2"), &row).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        configure(&["REPLICAOF", "NO", "ONE"]);

        // A connection cut in the middle: one failure, then a new connection.
        configure(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        let error = read(&mut session).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Unavailable, "{error}");
        read(&mut session).await.unwrap();
    });
}

#[test]
fn a_server_that_stands_still_times_out_and_one_that_was_killed_comes_back() {
    let mut lab = start("redis");
    let address = format!("{}?timeout=300ms&connect_timeout=300ms", lab.address());
    Runtime::new().block_on(async {
        let driver = RedisDriver::connect(&target(&address)).await.unwrap();
        let mut session = driver.session(&table("t", 1)).await.unwrap();
        lab.signal("node1", Signal::Pause).unwrap();
        let error = read(&mut session).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Timeout, "{error}");
        lab.signal("node1", Signal::Resume).unwrap();
        read(&mut session).await.unwrap();

        lab.signal("node1", Signal::Kill).unwrap();
        for _ in 0..5 {
            let error = read(&mut session).await.unwrap_err();
            assert_eq!(error.class, ErrorClass::Unavailable, "{error}");
        }
        lab.restart("node1").unwrap();
        #[expect(
            clippy::disallowed_methods,
            reason = "a deadline of the test, not a measurement"
        )]
        let begin = Instant::now();
        while read(&mut session).await.is_err() {
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "the driver does not come back"
            );
        }
    });
}
