//! What drivers of embedded stores share: where the data lies and whether its disk is full, how a record
//! becomes bytes, locks per record.
//!
//! A database that keeps no bytes on this machine needs none of it.

mod encoding;
mod full_disk;
mod locks;
mod place;
mod temporary;

pub use encoding::{Malformed, decode, encode, merge, overwrite};
pub use full_disk::{full_disk, is_full};
pub use locks::{KeyLocks, hash};
pub use place::{Place, open_error, table_name};
pub use temporary::PREFIX as TEMPORARY_PREFIX;
