//! Redis, live: servers that the lab starts, shared by the tests of this file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod cluster;
mod failures;
mod layout;
mod replicas;
mod security;

use std::sync::OnceLock;

use dbdyno_database_redis::RedisDriver;
use dbdyno_driver::{Consistency, Durability, ErrorClass};
use dbdyno_lab::Lab;
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, assert_survives_kill, facts, refusal, start, target, with_options};

/// One server for every test that only needs one.
pub fn shared() -> &'static str {
    static SHARED: OnceLock<Lab> = OnceLock::new();
    SHARED.get_or_init(|| start(&RedisRecipe, "redis")).address()
}

#[test]
fn every_promise_is_kept() {
    conformance::assert_conforms_on::<RedisDriver, _>(&target(shared()), &Runtime::default());
}

#[test]
fn the_facts_are_those_of_the_live_server() {
    let facts = facts::<RedisDriver>(&target(shared()));
    assert_eq!(facts.product, "Redis");
    assert!(
        facts.version.starts_with(|digit: char| digit.is_ascii_digit()),
        "{}",
        facts.version
    );
    assert_eq!(
        (facts.topology.as_str(), facts.durability),
        ("1 server", Durability::None)
    );
    assert_eq!(facts.settings["appendfsync"], "everysec");
    assert_eq!(facts.consistency, None::<Consistency>);
}

#[test]
fn a_durability_that_the_server_does_not_give_is_refused() {
    let error = refusal::<RedisDriver>(&with_options(shared(), "durability=synced"));
    assert_eq!(error.class, ErrorClass::Rejected);
    assert!(
        error
            .message
            .contains("`appendfsync always` (`lab:redis?appendfsync=always`)"),
        "{error}"
    );
}

#[test]
fn what_is_called_buffered_or_synced_survives_a_kill() {
    for (sync, level) in [("no", Durability::Buffered), ("always", Durability::Synced)] {
        let mut lab = start(&RedisRecipe, &format!("redis?appendfsync={sync}"));
        let target = target(lab.address());
        assert_eq!(facts::<RedisDriver>(&target).durability, level);
        assert_survives_kill::<RedisDriver>(&mut lab, "node1", &target);
    }
}
