//! Options that may stand after `?` in the address.

use dbdyno_driver::{DbError, Durability, Target, options};
use fjall::CompressionType;

use crate::info::INFO;

const CACHE_BYTES: u64 = 32 << 20;

/// Size of a data block and of a table's write buffer (memtable): the library's own defaults, set so that they can be
/// stated.
pub(crate) const BLOCK_BYTES: u32 = 4 << 10;
pub(crate) const WRITE_BUFFER_BYTES: u64 = 64 << 20;

/// The options, read and checked.
pub struct Options {
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// Size of the block cache.
    pub cache_bytes: u64,
    /// Compression of blocks of new tables and of the journal.
    pub compression: CompressionType,
    /// Threads that flush and compact: one for each core, at most four, as is the library's default.
    pub background_threads: usize,
}

impl Options {
    /// Reads them from the address.
    pub fn read(target: &Target) -> Result<Self, DbError> {
        options::check(&INFO, target)?;
        let compression = options::choice(&INFO, target, "compression", &["none", "lz4"], "none")?;
        Ok(Self {
            durability: options::durability(&INFO, target)?,
            cache_bytes: options::bytes(&INFO, target, "cache", CACHE_BYTES)?,
            compression: if compression == "lz4" {
                CompressionType::Lz4
            } else {
                CompressionType::None
            },
            background_threads: std::thread::available_parallelism().map_or(1, usize::from).min(4),
        })
    }
}
