//! Operations that a client claims and generates at once.

use std::ops::Deref;

use crate::chooser::BATCH;
use crate::operation::{Operation, OperationKind};

/// A range of a sequence's operations that belongs to one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The place of the first operation in the sequence, from 0. Without shares it is the operation's number.
    pub first: u64,
    /// How many: 1 to [`Claim::MOST`].
    pub length: u32,
    /// Inserts among the operations before the first, those of other shares included.
    pub(crate) inserted: u64,
    /// With Poisson arrivals: the sum of the gaps before the first operation's own, in 1/1024 ns.
    pub(crate) gaps: u64,
}

impl Claim {
    /// The most operations that one claim gives.
    pub const MOST: u32 = BATCH as u32;
}

/// Operations generated for one claim, in slots that are reused.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub(crate) slots: Vec<Operation>,
    pub(crate) length: usize,
    pub(crate) scratch: Scratch,
}

/// Room for the steps of generating a batch, kept so that it is not cleared for each.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub(crate) numbers: [u64; BATCH],
    pub(crate) kinds: [OperationKind; BATCH],
    pub(crate) keys: [u64; BATCH],
    pub(crate) inserted: [u64; BATCH],
    pub(crate) shown: [u64; BATCH],
    pub(crate) ranks: [f64; BATCH],
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            numbers: [0; BATCH],
            kinds: [OperationKind::Read; BATCH],
            keys: [0; BATCH],
            inserted: [0; BATCH],
            shown: [0; BATCH],
            ranks: [0.0; BATCH],
        }
    }
}

impl Batch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Deref for Batch {
    type Target = [Operation];

    fn deref(&self) -> &[Operation] {
        &self.slots[..self.length]
    }
}
