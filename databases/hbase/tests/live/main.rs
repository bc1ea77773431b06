//! HBase, live: servers that the lab starts, one shared by the tests that only need one.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod cluster;
mod deletions;
mod failures;
mod hdfs;
mod layout;
mod login;
mod night;
mod resources;
mod security;
mod zookeeper;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::Durability;
use dbdyno_lab::Lab;
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, facts, start, target, with_options};

/// Without the optimising compiler a server of a test starts in half the processor time.
pub const SERVER: &str = "hbase?java_options=-XX:TieredStopAtLevel=1";

/// Set in a child process to the server of its parent.
pub const ADDRESS: &str = "DBDYNO_TEST_OF_HBASE";

/// One server for every test that only needs one.
pub fn shared() -> &'static str {
    static SHARED: OnceLock<(String, Option<Lab>)> = OnceLock::new();
    let (address, _) = SHARED.get_or_init(|| match std::env::var(ADDRESS) {
        Ok(address) => (address, None),
        Err(_) => {
            let lab = start(&HbaseRecipe, SERVER);
            // Other servers of these tests start meanwhile, and keep the machine busy.
            (format!("{}&connect_timeout=60s", lab.address()), Some(lab))
        }
    });
    address
}

/// The turn of one test with logins: Java in this process knows one Kerberos at a time.
pub fn kerberos() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn every_promise_is_kept() {
    conformance::assert_conforms_on::<HbaseDriver, _>(&target(shared()), &Runtime::default());
}

#[test]
fn the_facts_are_those_of_the_live_server() {
    let facts = facts::<HbaseDriver>(&with_options(shared(), "durability=none"));
    assert_eq!(
        (facts.product.as_str(), facts.version.as_str()),
        ("HBase", "2.6.4")
    );
    assert_eq!(facts.topology, "1 region server");
    assert_eq!(facts.durability, Durability::None);
    assert!(facts.durability_means.contains("SKIP_WAL"));
    assert_eq!(facts.settings["columnfamily"], "family");
    assert_eq!(facts.settings["java_client"], facts.version);
}
