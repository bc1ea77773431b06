//! Errors by real provocation: each gets its class, nothing hangs, and the driver is back when the server is.

use dbdyno_database_redis::RedisDriver;
use dbdyno_driver::{Driver, ErrorClass, Key, Row, Session};
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::live::{
    assert_comes_back, assert_refuses, assert_times_out, block_on, read, start, table, target, with_options,
};

#[test]
fn a_wrong_port_is_unavailable() {
    assert_refuses::<RedisDriver>("redis://127.0.0.1:1", ErrorClass::Unavailable, "127.0.0.1:1", "");
}

#[test]
fn too_little_memory_is_overloaded_and_a_replica_is_read_only() {
    let lab = start(&RedisRecipe, "redis?appendfsync=off");
    let client = redis::Client::open(lab.address()).unwrap();
    let mut raw = client.get_connection().unwrap();
    let mut configure = |words: &[&str]| {
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query::<()>(&mut raw).unwrap();
    };
    block_on(async {
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
fn a_server_that_stands_still_or_is_killed_is_survived() {
    let mut lab = start(&RedisRecipe, "redis");
    let address = with_options(lab.address(), "timeout=300ms&connect_timeout=300ms");
    assert_times_out::<RedisDriver>(&lab, "node1", &address);
    assert_comes_back::<RedisDriver>(&mut lab, "node1", &address);
}
