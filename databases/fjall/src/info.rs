//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `fjall`.
pub const INFO: DriverInfo = DriverInfo {
    name: "fjall",
    summary: "embedded log-structured merge tree",
    schemes: &["fjall"],
    example: "fjall:DIR",
    options: &[
        ("cache", "block cache, bytes (default 32M)"),
        (
            "compression",
            "none or lz4, for blocks and journal of tables that are created (default none)",
        ),
    ],
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
