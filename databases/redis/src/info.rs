//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, Consistency, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The option that limits how long a write waits for replicas.
pub(crate) const REPLICA_TIMEOUT: &str = "replica_timeout";

/// The constant facts about `redis`.
pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "redis",
    summary: "in-memory key-value server: one, a master with replicas, or a cluster (redis)",
    schemes: &["redis", "rediss"],
    example: "redis://HOST:6379",
    options: &[(
        REPLICA_TIMEOUT,
        "longest wait of a write for its replicas, with consistency quorum or all (default: half of timeout)",
    )],
    remote: true,
    default_port: Some(6379),
    execution: Execution::Async,
    capabilities: Capabilities {
        scan: ScanOrder::Other,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None, Durability::Buffered, Durability::Synced],
        consistencies: &[Consistency::One, Consistency::Quorum, Consistency::All],
        values: Values::Bytes,
    },
};
