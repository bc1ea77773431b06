//! redb: a copy-on-write B-tree in one file, in this process.

mod backend;
mod driver;
mod error;
mod facts;
mod info;
mod options;
mod session;
mod shared;

use dbdyno_engine::TrialRunner;

pub use driver::RedbDriver;
pub use info::INFO;
pub use session::RedbSession;

/// Carries out trials on this database: the engine is compiled for [`RedbDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<RedbDriver>();
