//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `sick`.
pub const INFO: DriverInfo = DriverInfo {
    name: "sick",
    summary: "a table in this process with planted defects, to try the tool on",
    schemes: &["sick"],
    example: "sick?delay=1ms&stall=200ms",
    options: &[
        ("delay", "time that each operation takes, e.g. 1ms (default none)"),
        ("slowdown", "how much longer than that it really takes, e.g. 10%"),
        (
            "drift",
            "how much the delay grows in a thousand operations of a client, e.g. 5%",
        ),
        (
            "outlier_every",
            "every which connection (trial) is ten times as slow",
        ),
        ("stall", "how long all clients stand still at a stall, e.g. 200ms"),
        (
            "stall_every",
            "operations of a client from stall to stall (default 1000)",
        ),
        (
            "deferred",
            "CPU time that each write leaves for a background thread, which works while no operations arrive, e.g. 20us",
        ),
        (
            "deferred_limit",
            "CPU time put off from which that thread works although operations arrive (default 1s)",
        ),
        (
            "lose_every",
            "every which acknowledged insert of a client is lost",
        ),
        (
            "stale_every",
            "every which read of a client lacks the last 64 writes",
        ),
        ("corrupt_every", "every which read of a client gives wrong bytes"),
        (
            "drop_every",
            "every which read of a client gives the first field only",
        ),
        (
            "panic",
            "where the driver itself panics: connect or close (default nowhere)",
        ),
        (
            "lie",
            "for dbdyno audit: what its server lies about (tls, tls_optional, any_password, strangers, revoke or old_version)",
        ),
    ],
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
