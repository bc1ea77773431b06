//! SQLite: a relational database in one file, in this process.

mod driver;
mod error;
mod facts;
mod info;
mod options;
mod session;
mod shared;
mod statements;

use dbdyno_engine::TrialRunner;

pub use driver::SqliteDriver;
pub use info::INFO;
pub use session::SqliteSession;

/// Carries out trials on this database: the engine is compiled for [`SqliteDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<SqliteDriver>();
