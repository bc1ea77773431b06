//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `redis`.
pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "redis",
    summary: "in-memory key-value server, one or a cluster (redis)",
    schemes: &["redis", "rediss"],
    example: "redis://HOST:6379",
    options: &[],
    remote: true,
    default_port: Some(6379),
    execution: Execution::Async,
    capabilities: Capabilities {
        scan: ScanOrder::Other,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None, Durability::Buffered, Durability::Synced],
        consistencies: &[],
        values: Values::Bytes,
    },
};
