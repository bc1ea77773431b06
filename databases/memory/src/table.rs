//! The ordered, concurrent table: a fixed number of ordinary B-trees, each behind a lock of its own.
//!
//! Why not one tree behind one lock: its writers would queue behind one another. Why not a lock-free skip list: a
//! lookup in it follows one pointer per step where a B-tree looks through a node that is in the cache already, and its
//! values cannot be changed in place. The price of several trees is paid by scans, which merge them.

use std::array;
use std::collections::BTreeMap;
use std::collections::btree_map::{Entry, Range};
use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use dbdyno_driver::embedded::{self, Malformed};
use dbdyno_driver::{Fields, Row, Rows};

/// Enough that two of a few busy threads seldom meet in one, few enough that a scan over all of them stays cheap.
const SHARDS: usize = 16;

/// What a record takes beside its values: its key (`user` and up to 20 digits), two pointers with lengths in a node of a tree
/// that is two thirds full, and what the allocator adds to each of its two allocations.
const OVERHEAD_BYTES: u64 = 24 + 32 * 3 / 2 + 2 * 8;

/// The memory that so many records take at least, bytes. Fields cost an index and a length each, of one byte or more.
pub fn estimated_bytes(records: u64, fields: u32, value_bytes: u64) -> u64 {
    let record = value_bytes
        .saturating_add(2 * u64::from(fields))
        .saturating_add(OVERHEAD_BYTES);
    records.saturating_mul(record)
}

type Tree = BTreeMap<Box<[u8]>, Box<[u8]>>;
type TreeRange<'a> = Range<'a, Box<[u8]>, Box<[u8]>>;

/// The records of one table, as encoded by [`embedded::encode`].
#[derive(Default)]
pub struct Records {
    shards: [Shard; SHARDS],
}

/// A tree and its lock on a cache line pair of their own.
#[derive(Default)]
#[repr(align(128))]
struct Shard(RwLock<Tree>);

impl Shard {
    // Each change of a tree is one call that leaves it whole, so a panicked thread has not spoiled it.
    fn read(&self) -> RwLockReadGuard<'_, Tree> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tree> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Records {
    fn shard(&self, key: &[u8]) -> &Shard {
        &self.shards[embedded::hash(key) as usize % SHARDS]
    }

    /// Fills `row` and returns whether there is such a record.
    pub fn read(&self, key: &[u8], fields: Fields, row: &mut Row) -> Result<bool, Malformed> {
        match self.shard(key).read().get(key) {
            Some(record) => embedded::decode(record, fields, row).map(|()| true),
            None => {
                row.clear();
                Ok(false)
            }
        }
    }

    /// Fills `rows` with up to `limit` records from `from` on, in key order, as they were at one moment: the scan
    /// holds all trees' locks. Returns how many.
    pub fn scan(&self, from: &[u8], limit: u32, fields: Fields, rows: &mut Rows) -> Result<u32, Malformed> {
        rows.clear();
        let trees: [_; SHARDS] = array::from_fn(|index| self.shards[index].read());
        let mut ranges: [TreeRange<'_>; SHARDS] =
            array::from_fn(|index| trees[index].range::<[u8], _>((Bound::Included(from), Bound::Unbounded)));
        let mut heads: [_; SHARDS] = array::from_fn(|index| ranges[index].next());
        let mut found = 0;
        while found < limit {
            let Some((index, (key, record))) = heads
                .iter()
                .enumerate()
                .filter_map(|(index, head)| head.map(|head| (index, head)))
                .min_by_key(|(_, (key, _))| *key)
            else {
                break;
            };
            if let Err(malformed) = embedded::decode(record, fields, rows.push(key)) {
                rows.clear();
                return Err(malformed);
            }
            heads[index] = ranges[index].next();
            found += 1;
        }
        Ok(found)
    }

    /// Sets the record, whether or not there is one.
    pub fn insert(&self, key: &[u8], row: &Row, scratch: &mut Vec<u8>) {
        // Encoded and copied before the lock is taken: others wait only for the tree.
        embedded::encode(row, scratch);
        let record = scratch.as_slice().into();
        match self.shard(key).write().entry(key.into()) {
            Entry::Vacant(vacant) => {
                vacant.insert(record);
            }
            Entry::Occupied(mut occupied) => {
                occupied.insert(record);
            }
        }
    }

    /// Sets some fields and returns whether there is such a record.
    pub fn update(&self, key: &[u8], changed: &Row, scratch: &mut Vec<u8>) -> Result<bool, Malformed> {
        let mut tree = self.shard(key).write();
        let Some(record) = tree.get_mut(key) else {
            return Ok(false);
        };
        if !embedded::overwrite(record, changed)? {
            embedded::merge(record, changed, scratch)?;
            *record = scratch.as_slice().into();
        }
        Ok(true)
    }

    /// Removes the record if it is there.
    pub fn delete(&self, key: &[u8]) {
        self.shard(key).write().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_near_the_memory_of_a_record() {
        assert_eq!(estimated_bytes(1_000_000, 10, 1000), 1_108_000_000);
        assert_eq!(estimated_bytes(1, 1, 0), 90);
        assert_eq!(estimated_bytes(u64::MAX, 10, 1000), u64::MAX);
    }

    #[test]
    fn the_estimate_counts_no_less_than_is_stored() {
        let (mut row, mut record) = (Row::new(), Vec::new());
        for field in 0..10 {
            row.push(field, &[b'v'; 100]);
        }
        embedded::encode(&row, &mut record);
        assert!(estimated_bytes(1, 10, 1000) >= (record.len() + "user6284781860667377211".len()) as u64);
    }
}
