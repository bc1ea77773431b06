//! An ordered table in this process: what the work costs without any storage under it.

mod driver;
mod error;
mod facts;
mod info;
mod session;
mod table;

use dbdyno_engine::TrialRunner;

pub use driver::MemoryDriver;
pub use info::INFO;
pub use session::MemorySession;

/// Carries out trials on this database: the engine is compiled for [`MemoryDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<MemoryDriver>();
