//! fjall: a log-structured merge tree in this process, the family of Cassandra and HBase.

mod driver;
mod error;
mod facts;
mod info;
mod options;
mod session;
mod shared;

use dbdyno_engine::TrialRunner;

pub use driver::FjallDriver;
pub use info::INFO;
pub use session::FjallSession;

/// Carries out trials on this database: the engine is compiled for [`FjallDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<FjallDriver>();
