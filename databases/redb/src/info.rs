//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `redb`.
pub const INFO: DriverInfo = DriverInfo {
    name: "redb",
    summary: "embedded copy-on-write B-tree in one file",
    schemes: &["redb"],
    example: "redb:FILE",
    options: &[("cache", "page cache, bytes (default 32M)")],
    remote: false,
    default_port: None,
    execution: Execution::Blocking,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None, Durability::Buffered, Durability::Synced],
        consistencies: &[],
        values: Values::Bytes,
    },
};
