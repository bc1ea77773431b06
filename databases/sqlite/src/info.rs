//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `sqlite`.
pub const INFO: DriverInfo = DriverInfo {
    name: "sqlite",
    summary: "embedded relational database in one file, write-ahead log",
    schemes: &["sqlite"],
    example: "sqlite:FILE",
    options: &[
        (
            "cache",
            "page cache, bytes, shared out among the sessions (default 32M)",
        ),
        (
            "busy_timeout",
            "how long to wait for another process's lock, e.g. 500ms (default 5s)",
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
