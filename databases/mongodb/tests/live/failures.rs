//! Errors by real provocation: each gets its class, nothing hangs, and the driver is back when the server is.

use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::ErrorClass;
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::live::{
    assert_comes_back, assert_conflicts, assert_refuses, assert_times_out, start, target, with_options,
};

use crate::shared;

#[test]
fn a_wrong_port_is_unavailable() {
    let address = "mongodb://127.0.0.1:1/ycsb?connect_timeout=500ms";
    assert_refuses::<MongodbDriver>(address, ErrorClass::Unavailable, "127.0.0.1:1", "");
}

#[test]
fn a_set_that_the_server_is_not_of_is_unavailable() {
    let address = with_options(shared(), "replicaSet=other&connect_timeout=500ms").to_string();
    assert_refuses::<MongodbDriver>(&address, ErrorClass::Unavailable, "127.0.0.1", "");
}

#[test]
fn a_key_that_is_there_is_a_conflict() {
    assert_conflicts::<MongodbDriver>(&target(shared()), "E11000");
}

#[test]
fn a_server_that_stands_still_or_is_killed_is_survived() {
    let mut lab = start(&MongodbRecipe, "mongodb");
    let address = with_options(lab.address(), "timeout=700ms&connect_timeout=700ms");
    assert_times_out::<MongodbDriver>(&lab, "node1", &address);
    assert_comes_back::<MongodbDriver>(&mut lab, "node1", &address);
}
