//! Three region servers on an HDFS with three DataNodes.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Consistency, Driver, ErrorClass, Fields, Found, Key, Row, Session};
use dbdyno_lab::{Lab, Signal};
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, block_on, facts, start, table, target, with_options};

use crate::{SERVER, shared};

/// Regions of the table whose server is lost: enough that every server has some.
const REGIONS: u64 = 6;
/// How long recovery may take; it takes about ten seconds, six of them until the loss is noticed.
const RECOVERY: Duration = Duration::from_secs(120);

const WHOLE: &str = "3 region servers on HDFS with 3 data nodes";

/// How often a data node has synced a file, as its own web server says.
fn syncs(lab: &Lab, node: u32) -> u64 {
    let settings = lab.directory().join(format!("datanode{node}/hdfs-site.xml"));
    let settings = std::fs::read_to_string(settings).unwrap();
    let (_, rest) = settings
        .split_once("dfs.datanode.http.address</name><value>")
        .unwrap();
    let (address, _) = rest.split_once('<').unwrap();
    let mut server = TcpStream::connect(address).unwrap();
    server.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let question = "GET /jmx?qry=Hadoop:service=DataNode,name=DataNodeActivity* HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    server.write_all(question.as_bytes()).unwrap();
    let mut answer = String::new();
    server.read_to_string(&mut answer).unwrap();
    let (_, rest) = answer.split_once("\"FsyncCount\" : ").expect(&answer);
    rest.split(',').next().unwrap().parse().unwrap()
}

/// Three data nodes sync each write at the level `synced`, and none of them at `buffered`.
fn assert_syncs_reach_the_data_nodes(lab: &Lab) {
    const BUFFERED: u64 = 400;
    const SYNCED: u64 = 50;
    let of_all = || [1, 2, 3].map(|node| syncs(lab, node));
    let write = |durability: &str, count: u64| {
        let address = with_options(lab.address(), &format!("durability={durability}"));
        block_on(async {
            let driver = HbaseDriver::connect(&address).await.unwrap();
            let table = table(durability, 1);
            driver.create_table(&table).await.unwrap();
            let mut session = driver.session(&table).await.unwrap();
            let mut row = Row::new();
            row.push(0, b"kept");
            for number in 0..count {
                session.insert(&key(number), &row).await.unwrap();
            }
        });
    };
    let before = of_all();
    write("buffered", BUFFERED);
    write("synced", SYNCED);
    // A data node counts anew every ten seconds. What it has counted of the later writes, it has of the earlier ones.
    for _ in 0..600 {
        let now = of_all();
        let grown = [0, 1, 2].map(|node| now[node] - before[node]);
        assert!(grown.iter().all(|syncs| *syncs < BUFFERED), "{grown:?}");
        if grown.iter().all(|syncs| *syncs >= SYNCED) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!(
        "{SYNCED} synced writes were not synced: {before:?}, {:?}",
        of_all()
    );
}

/// The `number`th key; one after the other they go to different regions.
fn key(number: u64) -> Key {
    Key::new(number, &format!("user{}", 1000 + number * 1499 % 9000))
}

#[test]
fn every_promise_is_kept_and_a_lost_region_server_is_survived() {
    // The tests with one server connect before nine more processes start.
    facts::<HbaseDriver>(&target(shared()));
    let mut lab = start(&HbaseRecipe, &format!("{SERVER}&nodes=3&hdfs=3"));
    conformance::assert_conforms_on::<HbaseDriver, _>(&target(lab.address()), &Runtime::default());
    let told = facts::<HbaseDriver>(&target(lab.address()));
    assert_eq!(told.topology, WHOLE);
    assert_eq!(told.replicas, Some(3), "read back from HDFS");
    assert_eq!(told.consistency, Some(Consistency::Quorum));
    assert_syncs_reach_the_data_nodes(&lab);

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
        assert_eq!(
            driver.facts().await.unwrap().topology,
            "2 region servers on HDFS with 3 data nodes"
        );
        lab.restart("region1").unwrap();
        while driver.facts().await.unwrap().topology != WHOLE {
            assert!(killed.elapsed() < 2 * RECOVERY, "it does not join again");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
}
