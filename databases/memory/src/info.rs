//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `memory`.
pub const INFO: DriverInfo = DriverInfo {
    name: "memory",
    summary: "an ordered table in this process: the work without storage",
    schemes: &["memory"],
    example: "memory",
    options: &[],
    remote: false,
    default_port: None,
    execution: Execution::Blocking,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: false,
        stores_records: true,
        durabilities: &[Durability::None],
        consistencies: &[],
        values: Values::Bytes,
    },
};
