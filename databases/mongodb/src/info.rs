//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, Consistency, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `mongodb`.
pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "mongodb",
    summary: "document database: one server, a replica set, or shards (mongodb)",
    schemes: &["mongodb"],
    example: "mongodb://HOST:27017/ycsb",
    options: &[
        (
            "replicaSet",
            "name of the replica set that the servers must be of",
        ),
        ("authSource", "database that knows the user (default admin)"),
        (
            "directConnection",
            "true: talk to this one server, whatever set it is of",
        ),
        (
            "partition",
            "client: client-side partitioning, each host is a shard (default server: MongoDB itself)",
        ),
        (
            "replicas",
            "with partition=client: members of each shard; hosts are listed shard by shard (default 1)",
        ),
        (
            "shard_key",
            "hashed, ranged or one-shard: of partition=client, or of collections made through mongos (default hashed)",
        ),
    ],
    remote: true,
    default_port: Some(27017),
    execution: Execution::Async,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None, Durability::Synced],
        consistencies: &[Consistency::One, Consistency::Quorum],
        values: Values::Bytes,
    },
};
