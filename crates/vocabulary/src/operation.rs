//! The kinds of operations, and their names in files, tables and expectations.

/// The name under which the operations of all kinds are put together.
pub const ALL_OPERATIONS: &str = "all operations";

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
