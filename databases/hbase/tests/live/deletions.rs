//! HBase orders writes by milliseconds: what is written right after a deletion must be seen all the same.

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, Fields, Found, Key, Row, Session};
use dbdyno_testkit::live::{block_on, table, target};

use crate::shared;

/// Without care one in some hundred is lost where an operation takes a third of a millisecond or more.
const ROUNDS: u32 = 500;

#[test]
fn what_is_inserted_right_after_its_deletion_is_seen() {
    block_on(async {
        let table = table("deletions", 2);
        let driver = HbaseDriver::connect(&target(shared())).await.unwrap();
        driver.create_table(&table).await.unwrap();
        let mut one = driver.session(&table).await.unwrap();
        let mut other = driver.session(&table).await.unwrap();
        let key = Key::new(1, "user1");
        let (mut whole, mut half, mut seen) = (Row::new(), Row::new(), Row::new());
        whole.push(0, b"a");
        whole.push(1, b"b");
        half.push(0, b"c");
        for round in 0..ROUNDS {
            one.delete(&key).await.unwrap();
            other.insert(&key, &whole).await.unwrap();
            let found = other.read(&key, Fields::All, &mut seen).await.unwrap();
            assert_eq!((found, &seen), (Found::Yes, &whole), "round {round}");
            // A shorter record takes the place of the longer one: the second field goes, and comes back.
            one.insert(&key, &half).await.unwrap();
            other.update(&key, &whole).await.unwrap();
            one.read(&key, Fields::All, &mut seen).await.unwrap();
            assert_eq!(seen, whole, "round {round}");
        }
        driver.drop_table(&table).await.unwrap();
    });
}
