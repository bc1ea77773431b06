//! Which shard a record lies on: MongoDB's own rules for a hashed and for a ranged shard key, and a key that all records share.
//!
//! Sources: the server's `src/mongo/db/hasher.cpp` (the hash) and `src/mongo/db/s/config/initial_split_policy.cpp` (the split
//! points of an empty collection), and the split of an HBase table in YCSB's documentation (the ranges).

use dbdyno_driver::{DbError, DriverInfo, Target, options};
use md5::{Digest as _, Md5};

/// What a collection is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShardKey {
    /// The hash of `_id`: each shard has an equal part of all hashes.
    Hashed,
    /// `_id` itself: each shard has a range of the keys.
    Ranged,
    /// A field that no record has: all records have one value of it, so all lie on one shard.
    OneShard,
}

/// How BSON's types are ordered among each other: the number of strings, which begins what is hashed.
const CANONICAL_STRING: i32 = 15;
/// The hash's seed in every index that MongoDB makes by itself.
const SEED: i32 = 0;
/// The names that YCSB's documentation splits a table between.
const FIRST_NAME: usize = 1000;
const LAST_NAME: usize = 9999;

impl ShardKey {
    const WORDS: [&'static str; 3] = ["hashed", "ranged", "one-shard"];

    /// The key that an address asks for; hashed unless it says otherwise.
    ///
    /// # Errors
    /// `Rejected`, with the keys that there are.
    pub(crate) fn read(info: &DriverInfo, target: &Target) -> Result<Self, DbError> {
        Ok(
            match options::choice(info, target, "shard_key", &Self::WORDS, "hashed")? {
                "ranged" => Self::Ranged,
                "one-shard" => Self::OneShard,
                _ => Self::Hashed,
            },
        )
    }

    /// Its name in an address.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Hashed => Self::WORDS[0],
            Self::Ranged => Self::WORDS[1],
            Self::OneShard => Self::WORDS[2],
        }
    }

    /// The parts of the key space, in words.
    pub(crate) fn means(self) -> &'static str {
        match self {
            Self::Hashed => "hash of _id as in MongoDB's hashed indexes, equal parts of all hashes",
            Self::Ranged => "ranges of _id, split evenly from user1000 to user9999",
            Self::OneShard => "a field that no record has: all records are on one shard",
        }
    }
}

/// The hash of a string in a hashed index: the first eight bytes of an MD5 of seed, type and value, little-endian.
pub(crate) fn hash(key: &str) -> i64 {
    let mut md5 = Md5::new();
    md5.update(SEED.to_le_bytes());
    md5.update(CANONICAL_STRING.to_le_bytes());
    // The value as BSON has it: the length with its NUL, the text, the NUL.
    md5.update((key.len() as i32 + 1).to_le_bytes());
    md5.update(key.as_bytes());
    md5.update([0]);
    let digest = md5.finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(first)
}

/// The hashes at which so many parts end, ascending and symmetric around 0, as MongoDB splits an empty collection.
pub(crate) fn hashed_splits(shards: usize) -> Vec<i64> {
    if shards < 2 {
        return Vec::new();
    }
    let interval = (i64::MAX / shards as i64) * 2;
    let mut splits = Vec::with_capacity(shards - 1);
    let mut current = 0;
    if shards.is_multiple_of(2) {
        splits.push(current);
        current += interval;
    } else {
        current += interval / 2;
    }
    for _ in 0..(shards - 1) / 2 {
        splits.push(current);
        splits.push(-current);
        current += interval;
    }
    splits.sort_unstable();
    splits
}

/// The keys at which so many ranges end, ascending.
pub(crate) fn ranged_splits(shards: usize) -> Vec<String> {
    (1..shards)
        .map(|index| format!("user{}", FIRST_NAME + index * (LAST_NAME - FIRST_NAME) / shards))
        .collect()
}

/// Shards, and the part of the key space that each has.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// What decides.
    pub(crate) key: ShardKey,
    /// How many there are.
    pub(crate) shards: usize,
    hashes: Vec<i64>,
    names: Vec<String>,
}

impl Partition {
    pub(crate) fn new(key: ShardKey, shards: usize) -> Self {
        let is = |wanted| key == wanted;
        Self {
            key,
            shards,
            hashes: if is(ShardKey::Hashed) {
                hashed_splits(shards)
            } else {
                Vec::new()
            },
            names: if is(ShardKey::Ranged) {
                ranged_splits(shards)
            } else {
                Vec::new()
            },
        }
    }

    /// One server or set that has every record.
    pub(crate) fn whole() -> Self {
        Self::new(ShardKey::OneShard, 1)
    }

    /// The shard of a record, from 0. A split point belongs to the part that it begins, as in MongoDB.
    pub(crate) fn shard_of(&self, key: &str) -> usize {
        match self.key {
            ShardKey::Hashed if self.shards > 1 => {
                let hash = hash(key);
                self.hashes.partition_point(|split| *split <= hash)
            }
            ShardKey::Ranged => self.names.partition_point(|split| split.as_str() <= key),
            ShardKey::Hashed | ShardKey::OneShard => 0,
        }
    }

    /// The shards that a scan from this key asks one after the other until it has enough; `None`: records in the order of
    /// their keys are spread over all shards, which are asked together.
    pub(crate) fn scanned_in_order(&self, from: &str) -> Option<std::ops::Range<usize>> {
        match self.key {
            ShardKey::Hashed if self.shards > 1 => None,
            ShardKey::Ranged => Some(self.shard_of(from)..self.shards),
            ShardKey::Hashed | ShardKey::OneShard => Some(0..1),
        }
    }

    /// How scans find their records, in words.
    pub(crate) fn scans(&self) -> &'static str {
        match self.key {
            ShardKey::Hashed => "in key order: all shards are asked, and their answers merged",
            ShardKey::Ranged => "in key order: shards are asked one after the other",
            ShardKey::OneShard => "in key order: one shard is asked",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of the server's own test, `CalculateHashedSplitPointsTest`.
    #[test]
    fn hashes_are_split_where_the_server_splits_them() {
        assert_eq!(
            hashed_splits(4),
            [-4_611_686_018_427_387_902, 0, 4_611_686_018_427_387_902]
        );
        assert_eq!((hashed_splits(1).len(), hashed_splits(2)), (0, vec![0]));
        let five = hashed_splits(5);
        assert_eq!(five.len(), 4);
        assert_eq!(five[3], 5_534_023_222_112_865_483);
    }

    /// As a hashed index of MongoDB 6.0.5 has it. A live test compares many more.
    #[test]
    fn a_hash_is_that_of_a_hashed_index() {
        assert_eq!(hash("user6860"), 200_695_338_406_784_754);
    }

    #[test]
    fn ranges_are_those_that_ycsb_splits_a_table_into() {
        assert_eq!(ranged_splits(4), ["user3249", "user5499", "user7749"]);
        let partition = Partition::new(ShardKey::Ranged, 4);
        for (key, shard) in [
            ("a", 0),
            ("user1000385178204227360", 0),
            ("user3249", 1),
            ("user32490", 1),
            ("user6284781860667377211", 2),
            ("user8517097267634966620", 3),
            ("zzz", 3),
        ] {
            assert_eq!(partition.shard_of(key), shard, "{key}");
        }
        assert_eq!(partition.scanned_in_order("user55"), Some(2..4));
    }

    #[test]
    fn hashed_keys_spread_evenly_and_a_constant_key_does_not_spread() {
        let counted = |key| {
            let partition = Partition::new(key, 4);
            let mut counts = [0; 4];
            for number in 0..4000 {
                counts[partition.shard_of(&format!("user{number}"))] += 1;
            }
            counts
        };
        let hashed = counted(ShardKey::Hashed);
        assert!(
            hashed.iter().all(|count| (900..1100).contains(count)),
            "{hashed:?}"
        );
        assert_eq!(counted(ShardKey::OneShard), [4000, 0, 0, 0]);
    }

    #[test]
    fn only_hashed_keys_of_several_shards_make_a_scan_ask_all() {
        assert_eq!(Partition::new(ShardKey::Hashed, 2).scanned_in_order("a"), None);
        assert_eq!(
            Partition::new(ShardKey::OneShard, 4).scanned_in_order("a"),
            Some(0..1)
        );
        assert_eq!(Partition::whole().scanned_in_order("a"), Some(0..1));
        assert_eq!(Partition::whole().shard_of("a"), 0);
    }
}
