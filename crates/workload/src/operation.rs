//! The operations that a workload asks for.

use crate::Key;

/// What one request does. The order is the order of every table and file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum OperationKind {
    /// Read one record by key.
    Read,
    /// Overwrite some fields of an existing record.
    Update,
    /// Write a new record.
    Insert,
    /// Read consecutive records in key order, from a key on.
    Scan,
    /// Read one record, then overwrite some of its fields: one operation, timed as a whole.
    ReadModifyWrite,
    /// Remove one record by key (not in YCSB's `CoreWorkload`).
    Delete,
}

impl OperationKind {
    /// Every kind, in order; `kind as usize` is its index here.
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Update,
        Self::Insert,
        Self::Scan,
        Self::ReadModifyWrite,
        Self::Delete,
    ];

    /// The name in our files and tables, e.g. `read-modify-write`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Update => "update",
            Self::Insert => "insert",
            Self::Scan => "scan",
            Self::ReadModifyWrite => "read-modify-write",
            Self::Delete => "delete",
        }
    }

    /// The kind of that [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

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
    /// What to do.
    pub kind: OperationKind,
    /// The record (for a scan: the first record).
    pub key: Key,
    /// What a read, scan or read-modify-write wants back.
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
