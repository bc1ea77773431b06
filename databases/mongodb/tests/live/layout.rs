//! Records lie as YCSB's binding lays them: `ycsb.usertable`, the key in `_id`, fields as binary.

use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::{Driver, Key, Row, Session};
use dbdyno_testkit::live::{assert_reads, block_on, table, target};
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Document, doc};

use crate::shared;

fn binary(bytes: &[u8]) -> Binary {
    Binary {
        subtype: BinarySubtype::Generic,
        bytes: bytes.to_vec(),
    }
}

#[test]
fn ycsbs_layout_is_written_and_read() {
    block_on(async {
        let client = mongodb::Client::with_uri_str(shared()).await.unwrap();
        let raw = client.database("ycsb").collection::<Document>("usertable");
        // Fields in another order than ours, as an update by another tool may leave them.
        raw.insert_one(doc! { "_id": "user1", "field1": binary(b"two"), "field0": binary(b"one") })
            .await
            .unwrap();

        let driver = MongodbDriver::connect(&target(shared())).await.unwrap();
        let mut session = driver.session(&table("usertable", 2)).await.unwrap();
        let mut row = Row::new();
        assert_reads(&mut session, "user1", &[(0, "one"), (1, "two")]).await;

        row.clear();
        row.push(0, b"by dbdyno");
        session.insert(&Key::new(2, "user2"), &row).await.unwrap();
        let written = raw.find_one(doc! { "_id": "user2" }).await.unwrap().unwrap();
        assert_eq!(written, doc! { "_id": "user2", "field0": binary(b"by dbdyno") });
        driver.drop_table(&table("usertable", 2)).await.unwrap();
    });
}
