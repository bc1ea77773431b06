//! ZooKeeper, a master and three region servers.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, ErrorClass, Fields, Found, Key, Row, Session};
use dbdyno_lab::Signal;
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, block_on, facts, start, table, target, with_options};

use crate::SERVER;

/// Regions of the table whose server is lost: enough that every server has some.
const REGIONS: u64 = 6;
/// How long recovery may take; it takes about ten seconds, six of them until the loss is noticed.
const RECOVERY: Duration = Duration::from_secs(120);

/// The `number`th key; one after the other they go to different regions.
fn key(number: u64) -> Key {
    Key::new(number, &format!("user{}", 1000 + number * 1499 % 9000))
}

#[test]
fn every_promise_is_kept_and_a_lost_region_server_is_survived() {
    let mut lab = start(&HbaseRecipe, &format!("{SERVER}&nodes=3"));
    conformance::assert_conforms_on::<HbaseDriver, _>(&target(lab.address()), &Runtime::default());
    assert_eq!(
        facts::<HbaseDriver>(&target(lab.address())).topology,
        "3 region servers"
    );

    let address = with_options(lab.address(), &format!("regions={REGIONS}&timeout=1s"));
    block_on(async {
        let driver = HbaseDriver::connect(&address).await.unwrap();
        let table = table("failover", 1);
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"kept");
        let (mut acknowledged, mut number) = (BTreeSet::new(), 0);
        for _ in 0..200 {
            session.insert(&key(number), &row).await.unwrap();
            acknowledged.insert(number);
            number += 1;
        }
        lab.signal("region1", Signal::Kill).unwrap();
        #[expect(
            clippy::disallowed_methods,
            reason = "a deadline of a test, not a measurement"
        )]
        let killed = Instant::now();
        let (mut failures, mut successes_in_a_row) = (0, 0);
        // As many in a row as there are regions, and some more, have reached every region.
        while failures == 0 || successes_in_a_row < 10 * REGIONS {
            assert!(
                killed.elapsed() < RECOVERY,
                "no recovery after {failures} failures"
            );
            match session.insert(&key(number), &row).await {
                Ok(()) => {
                    acknowledged.insert(number);
                    successes_in_a_row += 1;
                }
                Err(error) => {
                    assert!(
                        matches!(error.class, ErrorClass::Unavailable | ErrorClass::Timeout),
                        "{error}"
                    );
                    failures += 1;
                    successes_in_a_row = 0;
                }
            }
            number += 1;
        }
        for number in acknowledged {
            let found = session.read(&key(number), Fields::All, &mut row).await.unwrap();
            assert_eq!(found, Found::Yes, "the acknowledged record {number} is lost");
        }
        assert_eq!(driver.facts().await.unwrap().topology, "2 region servers");
        lab.restart("region1").unwrap();
        while driver.facts().await.unwrap().topology != "3 region servers" {
            assert!(killed.elapsed() < 2 * RECOVERY, "it does not join again");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
}
