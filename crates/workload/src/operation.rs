//! The operations that a workload asks for.

pub use dbdyno_vocabulary::OperationKind;

use crate::Key;

/// Which fields of a record an operation wants back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// Whatever the record has (YCSB passes `null`).
    All,
    /// All fields, each asked for by name (YCSB `readallfieldsbyname=true`).
    AllByName,
    /// One field, by its index in [`Table::field_names`](crate::Table::field_names) (YCSB `readallfields=false`).
    One(u32),
}

/// Operation N of a workload, in a slot that is reused.
#[derive(Clone, Debug)]
pub struct Operation {
    /// N: the operation's place in the run's sequence, from 0.
    pub number: u64,
    /// The kind of operation.
    pub kind: OperationKind,
    /// The record (for a scan: the first record).
    pub key: Key,
    /// The fields that a read, scan or read-modify-write wants back.
    pub fields: Fields,
    /// The most records a scan returns; 0 for other kinds.
    pub scan_limit: u32,
    /// Key numbers at or above this one are inserted by this run: a record that is not found there may only not
    /// have been inserted yet.
    pub first_inserted: u64,
}

impl Default for Operation {
    fn default() -> Self {
        Self {
            number: 0,
            kind: OperationKind::Read,
            key: Key::default(),
            fields: Fields::All,
            scan_limit: 0,
            first_inserted: u64::MAX,
        }
    }
}
