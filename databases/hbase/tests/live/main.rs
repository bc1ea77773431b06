//! HBase, live: a server that the lab starts, shared by the tests of this file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::sync::OnceLock;

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Durability, ErrorClass, conformance};
use dbdyno_lab::Lab;
use dbdyno_live::{Runtime, facts, refusal, start, target, with_options};
use dbdyno_server_hbase::HbaseRecipe;

fn shared() -> &'static str {
    static SHARED: OnceLock<Lab> = OnceLock::new();
    SHARED.get_or_init(|| start(&HbaseRecipe, "hbase")).address()
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
}

#[test]
fn what_cannot_be_had_is_refused() {
    let error = refusal::<HbaseDriver>(&with_options(shared(), "durability=synced"));
    assert_eq!(error.class, ErrorClass::Rejected);
    assert!(error.message.contains("storage=hdfs"), "{error}");
    let error = refusal::<HbaseDriver>(&with_options(shared(), "tls=on"));
    assert_eq!(error.class, ErrorClass::Rejected);
    let error = refusal::<HbaseDriver>(&target("hbase://127.0.0.1:1?class_path=/no/such/place"));
    assert!(error.message.contains("/no/such/place"), "{error}");
}

#[test]
fn a_wrong_port_ends_with_unavailable() {
    let (_, options) = shared().split_once('?').unwrap();
    let wrong = format!("hbase://127.0.0.1:1?{options}&connect_timeout=2s");
    let error = refusal::<HbaseDriver>(&target(&wrong));
    assert_eq!(error.class, ErrorClass::Unavailable, "{error}");
    assert!(error.message.contains("127.0.0.1:1"), "{error}");
}
