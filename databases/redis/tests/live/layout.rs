//! Records lie as YCSB's binding lays them: another tool reads what the driver wrote, and the driver what another tool
//! wrote.

use dbdyno_database_redis::RedisDriver;
use dbdyno_driver::{Driver, Fields, Key, Row, Rows, Session};
use dbdyno_testkit::live::{assert_reads, block_on, table, target};
use redis::Value;

use crate::shared;

fn raw(words: &[&str]) -> Value {
    let client = redis::Client::open(shared()).unwrap();
    let mut connection = client.get_connection().unwrap();
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]);
    command.query(&mut connection).unwrap()
}

#[test]
fn ycsbs_layout_is_written_and_read() {
    // Java's "user6284781860667377211".hashCode(), from jshell.
    raw(&[
        "HMSET",
        "user6284781860667377211",
        "field0",
        "by hand",
        "field1",
        "too",
    ]);
    raw(&["ZADD", "_indices", "1361389406", "user6284781860667377211"]);
    block_on(async {
        let driver = RedisDriver::connect(&target(shared())).await.unwrap();
        let table = table("usertable", 2);
        let mut session = driver.session(&table).await.unwrap();
        let mut rows = Rows::new();
        let key = Key::new(0, "user6284781860667377211");
        assert_reads(&mut session, key.as_str(), &[(0, "by hand"), (1, "too")]).await;
        assert_eq!(session.scan(&key, 1, Fields::All, &mut rows).await.unwrap(), 1);

        let mut row = Row::new();
        row.push(0, b"by dbdyno");
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();
    });
    assert_eq!(
        raw(&["HGET", "user1", "field0"]),
        Value::BulkString(b"by dbdyno".to_vec())
    );
    // "user1".hashCode()
    assert_eq!(
        raw(&["ZSCORE", "_indices", "user1"]),
        Value::BulkString(b"111578566".to_vec())
    );
    raw(&["DEL", "user1", "user6284781860667377211", "_indices"]);
}
