//! One lock per record, without one lock per record: a fixed number of locks, chosen by the key's hash.

use std::sync::{Mutex, MutexGuard, PoisonError};

const STRIPES: usize = 256;

/// Makes read-modify-write of one record atomic among the threads of this process, for stores that have no cheaper
/// way. Two records share a lock with a chance of 1 in 256; each lock sits on a cache line pair of its own.
pub struct KeyLocks {
    stripes: Box<[Stripe]>,
}

#[derive(Default)]
#[repr(align(128))]
struct Stripe(Mutex<()>);

impl KeyLocks {
    /// Unlocked locks.
    #[must_use]
    pub fn new() -> Self {
        Self {
            stripes: (0..STRIPES).map(|_| Stripe::default()).collect(),
        }
    }

    /// Waits for, and holds, the lock of this record.
    pub fn lock(&self, key: &[u8]) -> MutexGuard<'_, ()> {
        let stripe = &self.stripes[hash(key) as usize % STRIPES];
        // The lock guards no data of its own, so a thread that panicked in it left nothing half done here.
        stripe.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for KeyLocks {
    fn default() -> Self {
        Self::new()
    }
}

/// A quick hash of a key's name for choosing a lock or a shard: eight bytes at a time, multiplied and folded (the
/// multiplier is 2^64 divided by the golden ratio, as in Knuth, The Art of Computer Programming 3, 6.4).
#[must_use]
pub fn hash(key: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = key.len() as u64;
    let mut words = key.chunks_exact(8);
    for word in &mut words {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        hash = (hash ^ u64::from_le_bytes(bytes)).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 32;
    }
    for byte in words.remainder() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(MULTIPLIER);
    }
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_spread_over_the_locks() {
        let mut used = [0_u32; STRIPES];
        for number in 0..25_600_u64 {
            used[hash(format!("user{number:019}").as_bytes()) as usize % STRIPES] += 1;
        }
        let (least, most) = (
            used.iter().min().copied().unwrap(),
            used.iter().max().copied().unwrap(),
        );
        assert!(
            least >= 50 && most <= 160,
            "100 expected in each, seen {least} to {most}"
        );
    }
}
