//! Client-side partitioning: every promise of one server, over two shards; where records lie, and the order of scans.

use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::{Driver, ErrorClass, Fields, Found, Key, Row, Rows, Session};
use dbdyno_lab::Lab;
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, block_on, facts, refusal, start, table, target};
use mongodb::bson::{Bson, Document, doc};
use mongodb::options::Hint;

const RECORDS: usize = 450;

/// A name of YCSB's key space, evenly from user1000 to user9990.
fn name(number: usize) -> String {
    format!("user{}", 1000 + number * 9000 / RECORDS)
}

/// The hosts of the address, which are the shards.
fn hosts(lab: &Lab) -> Vec<String> {
    let (_, rest) = lab.address().split_once("//").unwrap();
    let (hosts, _) = rest.split_once('/').unwrap();
    hosts.split(',').map(str::to_owned).collect()
}

/// A table of one shard, as it lies there.
async fn on_shard(host: &str, table: &str) -> mongodb::Collection<Document> {
    let address = format!("mongodb://{host}/?directConnection=true");
    let client = mongodb::Client::with_uri_str(address).await.unwrap();
    client.database("ycsb").collection(table)
}

/// Loads the table by one shard key, and looks at what each shard has of it.
async fn loaded(lab: &Lab, key: &str) -> (MongodbDriver, Vec<u64>) {
    let address = lab
        .address()
        .replace("shard_key=hashed", &format!("shard_key={key}"));
    let driver = MongodbDriver::connect(&target(&address)).await.unwrap();
    let table = table(key, 2);
    driver.drop_table(&table).await.unwrap();
    driver.create_table(&table).await.unwrap();
    let mut session = driver.session(&table).await.unwrap();
    let mut row = Row::new();
    for number in 0..RECORDS {
        row.clear();
        row.push(0, name(number).as_bytes());
        session
            .insert(&Key::new(number as u64, &name(number)), &row)
            .await
            .unwrap();
    }
    let mut counts = Vec::new();
    for host in hosts(lab) {
        let lying = on_shard(&host, key).await;
        counts.push(lying.count_documents(doc! {}).await.unwrap());
    }
    (driver, counts)
}

/// Scans across the middle of the key space, where shards of ranges meet.
async fn assert_scans_in_order(driver: &MongodbDriver, key: &str) {
    let mut session = driver.session(&table(key, 2)).await.unwrap();
    let mut rows = Rows::new();
    let from = Key::new(0, "user4000");
    let count = session.scan(&from, 200, Fields::All, &mut rows).await.unwrap();
    assert_eq!(count, 200, "{key}");
    let seen: Vec<String> = rows.iter().map(|(key, _)| key.as_str().to_owned()).collect();
    let expected: Vec<String> = (150..350).map(name).collect();
    assert_eq!(seen, expected, "{key}");
    // The last records, of which there are fewer than asked for.
    let from = Key::new(0, "user99");
    let count = session.scan(&from, 200, Fields::All, &mut rows).await.unwrap();
    assert_eq!(count, 5, "{key}");
}

#[test]
fn every_promise_is_kept_and_records_lie_where_the_shard_key_says() {
    let lab = start(&MongodbRecipe, "mongodb?partition=client&shards=2");
    conformance::assert_conforms_on::<MongodbDriver, _>(&target(lab.address()), &Runtime::default());

    let seen = facts::<MongodbDriver>(&target(lab.address()));
    assert_eq!(
        (seen.topology.as_str(), seen.nodes, seen.replicas),
        (
            "client-side partitioning over 2 shards, 1 member each",
            Some(2),
            Some(1)
        )
    );
    let described = format!("{seen:?}");
    assert!(!described.contains("sharded cluster"), "{described}");
    assert!(seen.settings["scans"].contains("answers merged"), "{described}");
    assert!(
        seen.settings["client-side partitioning"].contains("shard key hashed"),
        "{described}"
    );

    block_on(async {
        let (hashed, counts) = loaded(&lab, "hashed").await;
        assert!(counts.iter().all(|count| *count > 180), "{counts:?}");
        assert_eq!(counts.iter().sum::<u64>(), RECORDS as u64);
        assert_scans_in_order(&hashed, "hashed").await;
        assert_placed_as_the_server_hashes(&lab).await;

        let (ranged, counts) = loaded(&lab, "ranged").await;
        assert_eq!(counts, [225, 225]);
        assert_scans_in_order(&ranged, "ranged").await;

        let (one, counts) = loaded(&lab, "one-shard").await;
        assert_eq!(counts, [RECORDS as u64, 0]);
        assert_scans_in_order(&one, "one-shard").await;
        assert_parts_are_known(&lab, &hashed).await;
    });
    assert_refuses_what_is_no_partition(&lab);
}

/// Two shards meet at the hash 0: the server's own hashes of what lies on the first are below it.
async fn assert_placed_as_the_server_hashes(lab: &Lab) {
    for (shard, host) in hosts(lab).iter().enumerate() {
        let records = on_shard(host, "hashed").await;
        let index = mongodb::IndexModel::builder()
            .keys(doc! { "_id": "hashed" })
            .build();
        records.create_index(index).await.unwrap();
        let mut cursor = records
            .find(doc! {})
            .hint(Hint::Keys(doc! { "_id": "hashed" }))
            .return_key(true)
            .await
            .unwrap();
        let mut seen = 0;
        while cursor.advance().await.unwrap() {
            let entry = cursor.deserialize_current().unwrap();
            let Some(Bson::Int64(hash)) = entry.get("_id") else {
                panic!("{entry} is no entry of a hashed index");
            };
            assert_eq!(*hash >= 0, shard == 1, "{hash} on shard {}", shard + 1);
            seen += 1;
        }
        assert!(seen > 180, "{seen}");
    }
}

/// A table that lies elsewhere than the address says is refused, and not half found.
async fn assert_parts_are_known(lab: &Lab, hashed: &MongodbDriver) {
    let table = table("hashed", 2);
    hashed.store_manifest(&table, "text").await.unwrap();
    assert_eq!(
        hashed.load_manifest(&table).await.unwrap().as_deref(),
        Some("text")
    );
    let mut session = hashed.session(&table).await.unwrap();
    let mut row = Row::new();
    let found = session
        .read(&Key::new(0, &name(7)), Fields::All, &mut row)
        .await
        .unwrap();
    assert_eq!(found, Found::Yes);
    let both = hosts(lab);
    for (address, expected) in [
        (
            format!("mongodb://{},{}/ycsb?partition=client", both[1], both[0]),
            "holds shard 2 of 2",
        ),
        (lab.address().replace("hashed", "ranged"), "shard_key=hashed"),
        (format!("mongodb://{}/ycsb", both[0]), "client-side partitioning"),
    ] {
        let other = MongodbDriver::connect(&target(&address)).await.unwrap();
        let error = other.load_manifest(&table).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        assert!(error.message.contains(expected), "{address}: {error}");
    }
}

fn assert_refuses_what_is_no_partition(lab: &Lab) {
    let host = &hosts(lab)[0];
    for (address, expected) in [
        (
            format!("mongodb://{host},{host}/ycsb?partition=client"),
            "shards 1 and 2 are one server",
        ),
        (
            format!("mongodb://{host}/ycsb?shard_key=hashed"),
            "no mongos answered",
        ),
    ] {
        let error = refusal::<MongodbDriver>(&target(&address));
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        assert!(error.message.contains(expected), "{address}: {error}");
    }
}
