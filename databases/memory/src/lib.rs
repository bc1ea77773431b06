//! An ordered table in this process: what the work costs without any storage under it.

mod driver;
mod error;
mod facts;
mod session;
mod table;

pub use driver::{INFO, MemoryDriver};
pub use session::MemorySession;
