//! MongoDB, live: servers that the lab starts, shared by the tests of this file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod failures;
mod layout;
mod members;
mod partitioned;
mod replica_set;
mod security;
mod sharded;

use std::sync::OnceLock;

use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::{Consistency, Durability};
use dbdyno_lab::Lab;
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, facts, start, target, with_options};

/// One server for every test that only needs one.
pub fn shared() -> &'static str {
    static SHARED: OnceLock<Lab> = OnceLock::new();
    SHARED.get_or_init(|| start(&MongodbRecipe, "mongodb")).address()
}

#[test]
fn every_promise_is_kept() {
    conformance::assert_conforms_on::<MongodbDriver, _>(&target(shared()), &Runtime::default());
}

#[test]
fn the_facts_are_those_of_the_live_server() {
    let by_itself = facts::<MongodbDriver>(&target(shared()));
    assert_eq!(
        (by_itself.product.as_str(), by_itself.topology.as_str()),
        ("MongoDB", "1 server")
    );
    assert!(
        by_itself
            .version
            .starts_with(|digit: char| digit.is_ascii_digit()),
        "{}",
        by_itself.version
    );
    assert_eq!(by_itself.settings["storage engine"], "wiredTiger");
    assert_eq!(by_itself.settings["cache"], "268435456 bytes");
    // What MongoDB does when nobody says anything.
    assert_eq!(
        (by_itself.durability, by_itself.consistency),
        (Durability::Synced, Some(Consistency::Quorum))
    );
    let asked = facts::<MongodbDriver>(&with_options(shared(), "consistency=one"));
    assert_eq!(
        (asked.durability, asked.consistency),
        (Durability::None, Some(Consistency::One))
    );
}
