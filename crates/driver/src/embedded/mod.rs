//! What drivers of embedded stores share: where the data lies, how a record becomes bytes, locks per record.
//!
//! A database that keeps no bytes on this machine needs none of it.

mod encoding;
mod locks;
mod place;
pub(crate) mod temporary;

pub use encoding::{Malformed, decode, encode, merge, overwrite};
pub use locks::{KeyLocks, hash};
pub use place::{Place, open_error, table_name};
