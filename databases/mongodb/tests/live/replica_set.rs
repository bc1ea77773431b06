//! Three servers that keep the same records.

use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::{Driver, ErrorClass, Key, Row, Session};
use dbdyno_lab::Signal;
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, block_on, facts, read, start, table, target, with_options};
use mongodb::bson::doc;

/// The name of the server that is the primary: servers that can be are numbered as their addresses are listed, and no address
/// lists hidden or delayed ones. The first one usually is, but
/// the set may elect another one while it is under load.
pub async fn primary(address: &str) -> String {
    let client = mongodb::Client::with_uri_str(address).await.unwrap();
    let hello = client
        .database("admin")
        .run_command(doc! { "hello": 1 })
        .await
        .unwrap();
    let primary = hello.get_str("primary").unwrap();
    let hosts = address
        .trim_start_matches("mongodb://")
        .split('/')
        .next()
        .unwrap();
    let position = hosts.split(',').position(|host| host == primary).unwrap();
    format!("node{}", position + 1)
}

#[test]
fn every_promise_is_kept_and_a_lost_primary_is_replaced() {
    let mut lab = start(&MongodbRecipe, "mongodb?nodes=3");
    conformance::assert_conforms_on::<MongodbDriver, _>(&target(lab.address()), &Runtime::default());
    assert_eq!(
        facts::<MongodbDriver>(&target(lab.address())).topology,
        "replica set rs0 of 3"
    );

    block_on(async {
        let address = with_options(lab.address(), "timeout=2s&connect_timeout=2s");
        let driver = MongodbDriver::connect(&address).await.unwrap();
        let table = table("failover", 1);
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"kept");
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();
        let primary = primary(lab.address()).await;
        lab.signal(&primary, Signal::Kill).unwrap();
        let (mut failures, mut number) = (0, 2);
        loop {
            match session
                .insert(&Key::new(number, &format!("user{number}")), &row)
                .await
            {
                Ok(()) => break,
                Err(error) => {
                    assert!(
                        matches!(error.class, ErrorClass::Unavailable | ErrorClass::Timeout),
                        "{error}"
                    );
                    failures += 1;
                    number += 1;
                    assert!(failures < 1_000, "no new primary");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            }
        }
        assert!(failures > 0, "the primary was not missed");
        read(&mut session).await.unwrap();
    });
}
