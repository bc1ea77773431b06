//! Options that may stand after `?` in the address.

use std::time::Duration;

use dbdyno_driver::{DbError, Durability, Target, options};

use crate::info::INFO;

const CACHE_BYTES: u64 = 32 << 20;
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The options, read and checked.
pub struct Options {
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// Size of the page caches of all sessions together.
    pub cache_bytes: u64,
    /// How long to wait for a lock that another process holds.
    pub busy_timeout: Duration,
}

impl Options {
    /// Reads them from the address.
    pub fn read(target: &Target) -> Result<Self, DbError> {
        options::check(&INFO, target)?;
        Ok(Self {
            durability: options::durability(&INFO, target)?,
            cache_bytes: options::bytes(&INFO, target, "cache", CACHE_BYTES)?,
            busy_timeout: options::duration(&INFO, target, "busy_timeout", BUSY_TIMEOUT)?
                .clamp(Duration::ZERO, Duration::from_secs(3600)),
        })
    }

    /// The value of `PRAGMA synchronous` for the durability.
    pub fn synchronous(&self) -> &'static str {
        match self.durability {
            Durability::None => "OFF",
            Durability::Buffered => "NORMAL",
            Durability::Synced => "FULL",
        }
    }
}
