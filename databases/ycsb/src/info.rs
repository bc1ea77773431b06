//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `ycsb`.
pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "ycsb",
    summary: "any database that YCSB has a binding for: hosts its Java class",
    schemes: &["ycsb"],
    example: "ycsb:site.ycsb.BasicDB",
    options: &[
        (
            "class_path",
            "jars and directories of the binding, joined by `:` (YCSB's core is fetched where it is not among them)",
        ),
        ("p.*", "a property of the binding: p.NAME=VALUE, with %26 for `&`"),
        ("properties", "file with properties of the binding; p.NAME wins"),
        (
            "key_field",
            "the field in which the binding's scans give the key, if they do",
        ),
        (
            "missing",
            "status by which reads say that a record is not there: NOT_FOUND (default) or ERROR",
        ),
        (
            "values",
            "what becomes of values that a read finds: read (default), or unread, as YCSB's client leaves them without dataintegrity",
        ),
        (
            "drop",
            "how a table is emptied, which no binding can: refuse (default), delete (each record) or keep (not at all)",
        ),
        (
            "connect_timeout",
            "longest wait for an instance of the binding to get ready (default 60s)",
        ),
        (
            "timeout",
            "longest wait for one operation, which is then interrupted (default: the binding's own)",
        ),
        (
            "manifests",
            "directory for notes on what was loaded (default ~/.local/state/dbdyno/ycsb)",
        ),
    ],
    remote: false,
    default_port: None,
    execution: Execution::Blocking,
    // What holds for every binding, however bad.
    capabilities: Capabilities {
        scan: ScanOrder::Other,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None],
        consistencies: &[],
        values: Values::Text,
    },
};
