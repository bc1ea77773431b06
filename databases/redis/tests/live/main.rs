//! Redis, live: servers that the lab starts, shared by the tests of this file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod cluster;
mod failures;
mod layout;
mod security;

use std::future::Future;
use std::sync::OnceLock;

use dbdyno_database_redis::RedisDriver;
use dbdyno_driver::conformance::{self, BlockOn};
use dbdyno_driver::{Consistency, Driver, Durability, Table, Target};
use dbdyno_lab::{Keep, Lab, LabHome, Wish};
use dbdyno_server_redis::RedisRecipe;

pub struct Runtime(tokio::runtime::Runtime);

#[allow(clippy::new_without_default, reason = "a test's own")]
impl Runtime {
    pub fn new() -> Self {
        let built = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build();
        Self(built.unwrap())
    }
}

impl BlockOn for Runtime {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }
}

/// Starts what is wished for. It ends with this process at the latest.
pub fn start(wish: &str) -> Lab {
    let home = LabHome::for_tests().unwrap();
    dbdyno_lab::up(
        &RedisRecipe,
        &Wish::parse(wish).unwrap(),
        &home,
        Keep::UntilDropped,
        &mut (),
        &|| false,
    )
    .unwrap_or_else(|error| panic!("{error}\n{}", error.help))
}

/// One server for every test that only needs one.
pub fn shared() -> &'static str {
    static SHARED: OnceLock<Lab> = OnceLock::new();
    SHARED.get_or_init(|| start("redis")).address()
}

pub fn target(address: &str) -> Target {
    Target::parse(address).unwrap()
}

pub fn table(name: &str, fields: usize) -> Table {
    Table {
        name: name.to_owned(),
        field_names: (0..fields).map(|index| format!("field{index}")).collect(),
    }
}

#[test]
fn every_promise_is_kept() {
    conformance::assert_conforms_on::<RedisDriver, _>(&target(shared()), &Runtime::new());
}

#[test]
fn the_facts_are_those_of_the_live_server() {
    let runtime = Runtime::new();
    let facts = runtime.block_on(async {
        RedisDriver::connect(&target(shared()))
            .await
            .unwrap()
            .facts()
            .await
            .unwrap()
    });
    assert_eq!(facts.product, "Redis");
    assert!(
        facts.version.starts_with(|digit: char| digit.is_ascii_digit()),
        "{}",
        facts.version
    );
    assert_eq!(
        (facts.topology.as_str(), facts.durability),
        ("1 server", Durability::Buffered)
    );
    assert_eq!(facts.settings["appendfsync"], "everysec");
    assert_eq!(facts.consistency, None::<Consistency>);
}

#[test]
fn a_durability_that_the_server_does_not_give_is_refused() {
    let asked = format!("{}?durability=synced", shared());
    let error = Runtime::new()
        .block_on(RedisDriver::connect(&target(&asked)))
        .err()
        .unwrap();
    assert!(error.message.contains("appendfsync always"), "{error}");
}
