//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, Consistency, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `mongodb`.
pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "mongodb",
    summary: "document database, one server or a replica set (mongodb)",
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
