//! Hidden and delayed members: what the set says of them, and what a majority is without them.

use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::{Driver, Key, Row, Session};
use dbdyno_lab::Signal;
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::live::{block_on, facts, start, table, target, with_options};
use mongodb::bson::doc;

use crate::replica_set::primary;

#[test]
fn hidden_and_delayed_members_are_read_back_and_never_become_primary() {
    let mut lab = start(&MongodbRecipe, "mongodb?nodes=5&hidden=1&delayed=1&delay=30");
    let names: Vec<&str> = lab.servers().iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["node1", "node2", "node3", "hidden1", "delayed1"]);
    let seen = facts::<MongodbDriver>(&target(lab.address()));
    assert_eq!(seen.topology, "replica set rs0 of 5, 1 hidden, 1 delayed");
    assert_eq!((seen.nodes, seen.replicas), (Some(5), Some(5)));
    assert_eq!(
        seen.settings["members of the set"],
        "5 with data, 4 voting, 1 hidden, 1 delayed by 30 s without a vote"
    );
    assert!(
        seen.consistency_means
            .contains("w=majority (3 of 4 members that vote and keep data)"),
        "{}",
        seen.consistency_means
    );

    block_on(async {
        // Of the four that vote, three are left, which are a majority, because the hidden one acknowledges. Were the delayed
        // one waited for, no write would come back in time.
        let address = with_options(lab.address(), "timeout=10s");
        let driver = MongodbDriver::connect(&address).await.unwrap();
        let mut session = driver.session(&table("members", 1)).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"kept");
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();
        let lost = primary(lab.address()).await;
        lab.signal(&lost, Signal::Kill).unwrap();
        let mut number = 2;
        while let Err(error) = session
            .insert(&Key::new(number, &format!("user{number}")), &row)
            .await
        {
            number += 1;
            assert!(number < 1_000, "no new primary: {error}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let next = primary(lab.address()).await;
        assert!(next.starts_with("node") && next != lost, "{lost}, then {next}");
    });
}

#[test]
fn a_set_says_of_its_members_what_the_lab_asked_for() {
    let lab = start(&MongodbRecipe, "mongodb?nodes=4&delayed=1");
    block_on(async {
        let client = mongodb::Client::with_uri_str(lab.address()).await.unwrap();
        let answer = client
            .database("admin")
            .run_command(doc! { "replSetGetConfig": 1 })
            .await
            .unwrap();
        let members = answer
            .get_document("config")
            .unwrap()
            .get_array("members")
            .unwrap();
        let delayed = members[3].as_document().unwrap();
        assert_eq!(delayed.get_i64("secondaryDelaySecs").unwrap(), 60);
        assert_eq!(delayed.get_i32("votes").unwrap(), 0);
        assert!(delayed.get_bool("hidden").unwrap());
        assert_eq!(delayed.get_f64("priority").unwrap_or(0.0), 0.0);
    });
}
