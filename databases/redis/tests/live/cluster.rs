//! A cluster of three masters on one address.

use dbdyno_database_redis::RedisDriver;
use dbdyno_driver::Driver;
use dbdyno_driver::conformance::{self, BlockOn};

use crate::{Runtime, start, target};

#[test]
fn every_promise_is_kept_by_a_cluster() {
    let lab = start("redis?nodes=3&appendfsync=off");
    let runtime = Runtime::new();
    conformance::assert_conforms_on::<RedisDriver, _>(&target(lab.address()), &runtime);
    let facts = runtime.block_on(async {
        RedisDriver::connect(&target(lab.address()))
            .await
            .unwrap()
            .facts()
            .await
            .unwrap()
    });
    assert_eq!(facts.topology, "cluster of 3 masters");
}
