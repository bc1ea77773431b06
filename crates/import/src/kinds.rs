//! Names of operations, theirs and ours.

use std::collections::BTreeMap;

use dbdyno_record::OperationRecord;

/// An operation that reads and writes; both tools count its halves with the reads and the updates, too.
pub const READ_MODIFY_WRITE: &str = "read-modify-write";

/// Our name of an operation; `None` for what is none (`CLEANUP`, `TOTAL`, `VERIFY`).
pub fn ours(name: &str) -> Option<&'static str> {
    Some(match name {
        "READ" => "read",
        "UPDATE" => "update",
        "INSERT" => "insert",
        "SCAN" => "scan",
        "DELETE" => "delete",
        "READ-MODIFY-WRITE" | "READ_MODIFY_WRITE" => READ_MODIFY_WRITE,
        _ => return None,
    })
}

/// Takes the halves of read-modify-writes out of the reads and the updates. Their latencies cannot be taken apart: those that
/// stay are of both.
pub fn without_halves(operations: &mut BTreeMap<String, OperationRecord>) {
    let whole = operations.get(READ_MODIFY_WRITE).map_or(0, |record| record.ok);
    for half in ["read", "update"] {
        if let Some(record) = operations.get_mut(half) {
            record.ok = record.ok.saturating_sub(whole);
            if record.attempts() == 0 {
                operations.remove(half);
            }
        }
    }
}
