//! Records lie as YCSB's CQL binding lays them: keyspace `ycsb`, table `usertable`, the key in `y_id`, fields as text.

use std::collections::BTreeMap;

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, Key, Row, Session};
use dbdyno_testkit::live::{assert_reads, block_on, table, target};
use scylla::client::session_builder::SessionBuilder;

use crate::{hosts, shared};

#[test]
fn ycsbs_layout_is_written_and_read() {
    block_on(async {
        let plain = SessionBuilder::new()
            .known_node(hosts(shared()))
            .build()
            .await
            .unwrap();
        // What the binding's README has people type, with two fields.
        for statement in [
            "CREATE KEYSPACE IF NOT EXISTS ycsb WITH REPLICATION = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE ycsb.usertable (y_id varchar PRIMARY KEY, field0 varchar, field1 varchar)",
            "INSERT INTO ycsb.usertable (y_id, field1, field0) VALUES ('user1', 'two', 'one')",
        ] {
            plain.query_unpaged(statement, ()).await.unwrap();
        }

        let driver = CassandraDriver::connect(&target(shared())).await.unwrap();
        let table = table("usertable", 2);
        // A table that is there stays as it is.
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        assert_reads(&mut session, "user1", &[(0, "one"), (1, "two")]).await;

        row.clear();
        row.push(0, b"by dbdyno");
        session.insert(&Key::new(2, "user2"), &row).await.unwrap();
        row.clear();
        row.push(1, b"changed");
        session.update(&Key::new(1, "user1"), &row).await.unwrap();
        let answer = plain
            .query_unpaged("SELECT y_id, field0, field1 FROM ycsb.usertable", ())
            .await
            .unwrap()
            .into_rows_result()
            .unwrap();
        let records: BTreeMap<String, (Option<String>, Option<String>)> = answer
            .rows::<(String, Option<String>, Option<String>)>()
            .unwrap()
            .map(|record| record.map(|(key, first, second)| (key, (first, second))).unwrap())
            .collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            records,
            BTreeMap::from([
                ("user1".to_owned(), (text("one"), text("changed"))),
                ("user2".to_owned(), (text("by dbdyno"), None)),
            ])
        );
        driver.drop_table(&table).await.unwrap();
    });
}
