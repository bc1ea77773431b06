//! A sharded cluster, whole where there is a mongos; elsewhere the refusal, before anything starts.

use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::{Driver, Key, Row, Session};
use dbdyno_lab::{LabErrorKind, LabHome, ServerRequest, prepare};
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, block_on, facts, start, table, target};
use mongodb::bson::{Document, doc};

const REQUEST: &str = "mongodb?shards=2&replicas=1&routers=2&config=1";

#[test]
fn a_cluster_is_whole_or_refused() {
    let request = ServerRequest::parse(REQUEST).unwrap();
    let home = LabHome::for_tests().unwrap();
    match prepare(&MongodbRecipe, &request, &home, &mut ()) {
        Ok(()) => keeps_every_promise(),
        Err(error) => {
            assert_eq!(error.kind, LabErrorKind::Software, "{error}");
            assert!(
                error
                    .message
                    .contains("shards=2 of mongodb is a sharded cluster, which needs mongos"),
                "{error}"
            );
            for way in ["home=DIR", "partition=client&shards=2"] {
                assert!(error.help.contains(way), "{}", error.help);
            }
        }
    }
}

fn keeps_every_promise() {
    let lab = start(&MongodbRecipe, REQUEST);
    let names: Vec<&str> = lab.servers().iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["config1", "shard1", "shard2", "router1", "router2"]);
    conformance::assert_conforms_on::<MongodbDriver, _>(&target(lab.address()), &Runtime::default());
    let seen = facts::<MongodbDriver>(&target(lab.address()));
    assert_eq!(
        seen.topology,
        "sharded cluster of 2 shards, 1 member each, 2 routers, 1 config server"
    );
    block_on(async {
        for (key, uses_all) in [("hashed", true), ("ranged", true), ("one-shard", false)] {
            let address = lab
                .address()
                .replace("shard_key=hashed", &format!("shard_key={key}"));
            let driver = MongodbDriver::connect(&target(&address)).await.unwrap();
            let table = table(key, 1);
            driver.create_table(&table).await.unwrap();
            let mut session = driver.session(&table).await.unwrap();
            let mut row = Row::new();
            row.push(0, b"value");
            for number in 1000..1400 {
                let name = format!("user{}", number * 20 % 9000 + 1000);
                session.insert(&Key::new(number, &name), &row).await.unwrap();
            }
            let (hosts, _) = lab.address().rsplit_once('/').unwrap();
            let client = mongodb::Client::with_uri_str(hosts).await.unwrap();
            let mut cursor = client
                .database("ycsb")
                .collection::<Document>(key)
                .aggregate([doc! { "$collStats": { "count": {} } }])
                .await
                .unwrap();
            let mut with_records = 0;
            while cursor.advance().await.unwrap() {
                let of_shard = cursor.deserialize_current().unwrap();
                with_records +=
                    u32::from(of_shard.get("count").is_some_and(|count| {
                        count.as_i64().or(count.as_i32().map(i64::from)).unwrap_or(0) > 0
                    }));
            }
            assert_eq!(
                with_records > 1,
                uses_all,
                "{key}: {with_records} shards have records"
            );
        }
    });
}
