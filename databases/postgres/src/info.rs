//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, Consistency, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `postgres`.
pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "postgres",
    summary: "relational database, one server or a primary with replicas (tokio-postgres)",
    schemes: &["postgres", "postgresql"],
    example: "postgres://USER@HOST:5432/DATABASE",
    options: &[
        (
            "target_session_attrs",
            "any or read-write: which of several hosts will do (default: read-write, where several are named)",
        ),
        (
            "sslmode",
            "disable or verify-full, as other clients of PostgreSQL write tls=off and tls=on",
        ),
    ],
    remote: true,
    default_port: Some(5432),
    execution: Execution::Async,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None, Durability::Buffered, Durability::Synced],
        consistencies: &[Consistency::One, Consistency::Quorum, Consistency::All],
        values: Values::Text,
    },
};
