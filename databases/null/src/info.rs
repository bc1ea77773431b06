//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `null`.
pub const INFO: DriverInfo = DriverInfo {
    name: "null",
    summary: "does nothing and says yes: the floor, what the tool itself costs",
    schemes: &["null"],
    example: "null",
    options: &[],
    remote: false,
    default_port: None,
    execution: Execution::Blocking,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: false,
        stores_records: false,
        durabilities: &[Durability::None],
        consistencies: &[],
        values: Values::Bytes,
    },
};
