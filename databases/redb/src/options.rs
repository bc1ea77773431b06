//! Options that may stand after `?` in the address.

use dbdyno_driver::{DbError, Durability, Target, options};

use crate::info::INFO;

const CACHE_BYTES: u64 = 32 << 20;

/// The options, read and checked.
pub struct Options {
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// Size of the page cache.
    pub cache_bytes: usize,
}

impl Options {
    /// Reads them from the address.
    pub fn read(target: &Target) -> Result<Self, DbError> {
        options::check(&INFO, target)?;
        let cache_bytes = options::bytes(&INFO, target, "cache", CACHE_BYTES)?;
        Ok(Self {
            durability: options::durability(&INFO, target)?,
            // A cache that does not fit into the address space is a cache without limit.
            cache_bytes: usize::try_from(cache_bytes).unwrap_or(usize::MAX),
        })
    }
}
