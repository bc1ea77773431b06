//! Which inserts of a sequence have ended, and how: what is there to be found.

use std::sync::atomic::Ordering;

use super::Sequence;
use crate::acknowledged::Acknowledged;
use crate::operation::{Operation, OperationKind};

impl Sequence {
    /// This operation succeeded. Only inserts matter. Lock-free.
    pub fn acknowledge(&self, operation: &Operation) {
        if let Some((acknowledged, place)) = self.place_of_insert(operation) {
            acknowledged.acknowledge(place);
        }
    }

    /// This operation failed. Only inserts matter: later ones are not held up by it. Lock-free.
    pub fn fail(&self, operation: &Operation) {
        if let Some((acknowledged, place)) = self.place_of_insert(operation) {
            acknowledged.fail(place);
        }
    }

    #[inline]
    fn place_of_insert(&self, operation: &Operation) -> Option<(&Acknowledged, u64)> {
        if operation.kind != OperationKind::Insert {
            return None;
        }
        let place = operation.key.number().checked_sub(self.first_inserted)?;
        Some((self.acknowledged.as_ref()?, place))
    }

    /// Whether the record of that key number is known to be there: it was when the phase began, or its insert was
    /// acknowledged. A read that does not find a record for which this is false only came too early. With shares, an insert counts as
    /// acknowledged once all before it are, as far as [`learn`](Self::learn) says.
    #[must_use]
    pub fn is_acknowledged(&self, key_number: u64) -> bool {
        let Some(place) = key_number.checked_sub(self.first_inserted) else {
            return true;
        };
        self.acknowledged.as_ref().is_some_and(|acknowledged| {
            if self.share.is_whole() {
                acknowledged.is_acknowledged(place)
            } else {
                place < self.known.load(Ordering::SeqCst) && !acknowledged.has_failed(place)
            }
        })
    }

    /// Records known to be present from `insertstart` on without a gap: those at the start and the inserts
    /// acknowledged after them, up to the first that is not. Deletes are not subtracted.
    #[must_use]
    pub fn contiguous_records(&self) -> u64 {
        let known = self.known.load(Ordering::SeqCst);
        self.records
            + self.acknowledged.as_ref().map_or(0, |acknowledged| {
                if self.share.is_whole() {
                    acknowledged.contiguous()
                } else {
                    known.min(acknowledged.first_failed())
                }
            })
    }

    /// How far the inserts of this share have ended: all its own among so many first inserts of the sequence.
    #[must_use]
    pub fn ended_inserts(&self) -> u64 {
        self.acknowledged.as_ref().map_or(0, Acknowledged::ended)
    }

    /// The inserts known to have failed, by their places among those of the sequence; at most 2^15 of them.
    #[must_use]
    pub fn failed_inserts(&self) -> Vec<u64> {
        self.acknowledged
            .as_ref()
            .map_or(Vec::new(), Acknowledged::failures)
    }

    /// The first `ended` inserts of the sequence have ended, whoever sent them, and of all inserts these `failed`.
    pub fn learn(&self, ended: u64, failed: &[u64]) {
        if let Some(acknowledged) = &self.acknowledged {
            failed.iter().for_each(|place| acknowledged.note_failed(*place));
            self.known.fetch_max(ended, Ordering::SeqCst);
        }
    }
}
