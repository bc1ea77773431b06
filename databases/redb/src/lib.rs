//! redb: a copy-on-write B-tree in one file, in this process.

mod backend;
mod driver;
mod error;
mod facts;
mod options;
mod session;

pub use driver::{INFO, RedbDriver};
pub use session::RedbSession;
