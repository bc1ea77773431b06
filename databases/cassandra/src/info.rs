//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, Consistency, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `cassandra`.
pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "cassandra",
    summary: "wide-column store, one node or a cluster (scylla)",
    schemes: &["cassandra"],
    example: "cassandra://HOST:9042",
    options: &[
        (
            "replication",
            "copies of each record when the keyspace is made (default: 3, or all nodes where there are fewer)",
        ),
        (
            "connections",
            "connections to each node for each client thread (default: 1)",
        ),
        (
            "write_coalescing",
            "wait a moment for more requests before sending: on or off (default: on)",
        ),
        (
            "compression",
            "compression of the table when it is made: lz4, zstd, snappy, deflate or off (default: the server's, lz4)",
        ),
        (
            "caching",
            "what the servers cache of the table when it is made: keys, rows, all or none (default: keys)",
        ),
    ],
    remote: true,
    default_port: Some(9042),
    execution: Execution::Async,
    capabilities: Capabilities {
        scan: ScanOrder::Other,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None, Durability::Synced],
        consistencies: &[Consistency::One, Consistency::Quorum, Consistency::All],
        values: Values::Text,
    },
};
