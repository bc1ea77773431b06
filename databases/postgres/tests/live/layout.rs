//! Records lie as YCSB's JDBC binding lays them: another tool reads what the driver wrote, and the driver what another
//! tool wrote.

use dbdyno_database_postgres::PostgresDriver;
use dbdyno_driver::{Driver, ErrorClass, Fields, Key, Row, Rows, Session};
use dbdyno_testkit::live::{assert_reads, block_on, table, target};
use tokio_postgres::{NoTls, SimpleQueryMessage};

use crate::shared;

/// Runs SQL on a connection of its own; the rows of the answer, as text.
pub async fn sql(address: &str, sql: &str) -> Vec<Vec<String>> {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    let moving = tokio::spawn(connection);
    let messages = client.simple_query(sql).await.unwrap();
    drop(client);
    moving.await.unwrap().unwrap();
    messages
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(
                (0..row.len())
                    .map(|column| row.get(column).unwrap_or("(null)").to_owned())
                    .collect(),
            ),
            _ => None,
        })
        .collect()
}

#[test]
fn ycsbs_layout_is_written_and_read() {
    block_on(async {
        // As the README of YCSB's JDBC binding has it.
        sql(
            shared(),
            "CREATE TABLE usertable (YCSB_KEY VARCHAR(255) PRIMARY KEY, FIELD0 TEXT, FIELD1 TEXT); \
             INSERT INTO usertable (YCSB_KEY, FIELD0, FIELD1) VALUES ('user1', 'one', 'two')",
        )
        .await;
        let driver = PostgresDriver::connect(&target(shared())).await.unwrap();
        let table = table("usertable", 2);
        let mut session = driver.session(&table).await.unwrap();
        let (mut row, mut rows) = (Row::new(), Rows::new());
        let key = Key::new(1, "user1");
        assert_reads(&mut session, "user1", &[(0, "one"), (1, "two")]).await;
        assert_eq!(session.scan(&key, 1, Fields::All, &mut rows).await.unwrap(), 1);

        row.clear();
        row.push(0, b"by dbdyno");
        session.insert(&Key::new(2, "user2"), &row).await.unwrap();
        assert_eq!(
            sql(shared(), "SELECT * FROM usertable WHERE YCSB_KEY = 'user2'").await,
            [["user2", "by dbdyno", "(null)"]]
        );
        driver.drop_table(&table).await.unwrap();
    });
}

#[test]
fn keys_in_the_order_of_a_language_are_not_scanned() {
    block_on(async {
        sql(
            shared(),
            "CREATE TABLE tongues (YCSB_KEY VARCHAR(255) COLLATE \"und-x-icu\" PRIMARY KEY, FIELD0 TEXT)",
        )
        .await;
        let driver = PostgresDriver::connect(&target(shared())).await.unwrap();
        let table = table("tongues", 1);
        let mut session = driver.session(&table).await.unwrap();
        let error = session
            .scan(&Key::new(1, "user1"), 1, Fields::All, &mut Rows::new())
            .await
            .unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected);
        assert!(error.message.contains("und-x-icu"), "{error}");
        driver.drop_table(&table).await.unwrap();
    });
}
