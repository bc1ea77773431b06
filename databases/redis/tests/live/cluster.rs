//! A cluster of three masters on one address.

use dbdyno_database_redis::RedisDriver;
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::conformance;
use dbdyno_testkit::live::{Runtime, facts, start, target};

#[test]
fn every_promise_is_kept_by_a_cluster() {
    let lab = start(&RedisRecipe, "redis?nodes=3&appendfsync=off");
    let target = target(lab.address());
    conformance::assert_conforms_on::<RedisDriver, _>(&target, &Runtime::default());
    assert_eq!(facts::<RedisDriver>(&target).topology, "cluster of 3 masters");
}

#[test]
fn a_cluster_of_valkey_is_found_to_be_one() {
    let lab = start(&RedisRecipe, "redis@valkey?nodes=3");
    let target = target(lab.address());
    conformance::assert_conforms_on::<RedisDriver, _>(&target, &Runtime::default());
    let facts = facts::<RedisDriver>(&target);
    assert_eq!(
        (facts.product.as_str(), facts.topology.as_str()),
        ("Valkey", "cluster of 3 masters")
    );
}
