//! fjall: a log-structured merge tree in this process, the family of Cassandra and HBase.

mod driver;
mod error;
mod facts;
mod options;
mod session;

pub use driver::{FjallDriver, INFO};
pub use session::FjallSession;
