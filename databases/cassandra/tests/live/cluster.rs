//! Three nodes that keep three copies.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{DbError, Driver, ErrorClass, Fields, Found, Key, Row, Session, Table, Target};
use dbdyno_lab::{Lab, Signal};
use dbdyno_testkit::conformance::{self, BlockOn};
use dbdyno_testkit::live::{BACK_WITHIN, Runtime, facts, table, target, with_options};

use crate::begun;

const CLIENTS: u64 = 4;

/// A client that writes records and reads each back, until somebody says stop.
struct Client {
    /// Writes that were acknowledged, and whose record was then found.
    kept: Vec<u64>,
    errors: Vec<DbError>,
}

async fn write_and_read(
    driver: Arc<CassandraDriver>,
    table: Table,
    client: u64,
    progress: Arc<AtomicU64>,
    stop: Arc<AtomicU64>,
) -> Client {
    let mut session = driver.session(&table).await.unwrap();
    let (mut row, mut found) = (Row::new(), Row::new());
    row.push(0, b"kept");
    let (mut kept, mut errors) = (Vec::new(), Vec::new());
    let mut number = client;
    while stop.load(Ordering::SeqCst) == 0 {
        let key = Key::new(number, &format!("user{number}"));
        let written = session.insert(&key, &row).await;
        let read = match written {
            Ok(()) => session.read(&key, Fields::All, &mut found).await,
            Err(error) => Err(error),
        };
        match read {
            Ok(was_found) => {
                assert_eq!(was_found, Found::Yes, "a quorum does not see record {number}");
                kept.push(number);
                progress.fetch_add(1, Ordering::SeqCst);
            }
            Err(error) => errors.push(error),
        }
        number += CLIENTS;
    }
    Client { kept, errors }
}

/// Waits until the clients have made so many further records.
async fn further(progress: &AtomicU64, records: u64) {
    let until = progress.load(Ordering::SeqCst) + records;
    let waiting = async {
        while progress.load(Ordering::SeqCst) < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting)
        .await
        .expect("the clients go on");
}

/// Writes at consistency `all` while a node is missing. At first it is not known to be dead and its answer is waited for;
/// then the server says at once that there are not enough replicas.
async fn assert_all_is_refused(address: &Target, table: &Table) {
    let driver = CassandraDriver::connect(address).await.unwrap();
    let mut session = driver.session(table).await.unwrap();
    let mut row = Row::new();
    row.push(0, b"for all");
    let refused = async {
        loop {
            let error = session.insert(&Key::new(1, "user1"), &row).await.unwrap_err();
            match error.class {
                ErrorClass::Timeout => {}
                ErrorClass::Unavailable if error.message.contains("required: 3, alive: 2") => break,
                _ => panic!("{error}"),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(120), refused)
        .await
        .expect("the dead node is noticed");
}

/// Reads from all three nodes, of which each has to notice by itself that the third is back, some of the records.
async fn assert_all_are_there<S: Session>(session: &mut S, kept: &[u64]) {
    for number in kept.iter().step_by(kept.len() / 500 + 1) {
        let key = Key::new(*number, &format!("user{number}"));
        let mut row = Row::new();
        loop {
            match session.read(&key, Fields::All, &mut row).await {
                Ok(found) => break assert_eq!(found, Found::Yes, "the acknowledged record {number} is lost"),
                Err(error) => assert!(
                    matches!(error.class, ErrorClass::Unavailable | ErrorClass::Timeout),
                    "{error}"
                ),
            }
        }
    }
}

/// How long the node is frozen, so that it misses the message: the others drop it after 10 s (`request_timeout`).
const MISSES_NEWS: Duration = Duration::from_secs(12);

/// A table is made though a node missed the news of it.
async fn assert_a_missed_table_is_made(lab: &mut Lab, address: &Target) {
    let driver = CassandraDriver::connect(address).await.unwrap();
    let missed = table("missed", 1);
    lab.signal("node3", Signal::Pause).unwrap();
    let resumed = async {
        tokio::time::sleep(MISSES_NEWS).await;
        lab.signal("node3", Signal::Resume).unwrap();
    };
    let (made, ()) = tokio::join!(driver.create_table(&missed), resumed);
    made.unwrap();
    driver.drop_table(&missed).await.unwrap();
}

#[test]
fn every_promise_is_kept_and_one_node_of_three_may_die_at_quorum() {
    let mut lab = begun("nodes=3&replication=3");
    let address = target(lab.address());
    let runtime = Runtime::default();
    conformance::assert_conforms_on::<CassandraDriver, _>(&address, &runtime);
    let facts = facts::<CassandraDriver>(&address);
    assert_eq!(facts.topology, "3 nodes, rf 3");
    assert!(facts.settings["replication"].contains("NetworkTopologyStrategy"));
    assert_eq!(facts.consistency_means, "reads and writes at QUORUM");

    let table = table("three", 1);
    let all = with_options(lab.address(), "consistency=all&timeout=30s");
    runtime.block_on(async {
        assert_a_missed_table_is_made(&mut lab, &address).await;
        let driver = Arc::new(CassandraDriver::connect(&address).await.unwrap());
        driver.create_table(&table).await.unwrap();
        let (progress, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (driver, table) = (Arc::clone(&driver), table.clone());
                let (progress, stop) = (Arc::clone(&progress), Arc::clone(&stop));
                tokio::spawn(write_and_read(driver, table, client, progress, stop))
            })
            .collect();
        further(&progress, 200).await;
        lab.signal("node3", Signal::Kill).unwrap();
        further(&progress, 1_000).await;
        assert_all_is_refused(&all, &table).await;
        further(&progress, 200).await;
        stop.store(1, Ordering::SeqCst);
        let mut kept = Vec::new();
        for client in clients {
            let client = client.await.unwrap();
            // The driver does not try again: what was under way to the dead node is lost and counted. Nothing after it is.
            assert!(client.errors.len() <= 1, "{:?}", client.errors);
            for error in &client.errors {
                assert_eq!(error.class, ErrorClass::Unavailable, "{error}");
            }
            kept.extend(client.kept);
        }

        lab.restart("node3").unwrap();
        let driver = CassandraDriver::connect(&all).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let returned = assert_all_are_there(&mut session, &kept);
        tokio::time::timeout(BACK_WITHIN, returned)
            .await
            .expect("the third node is back");
    });
}
