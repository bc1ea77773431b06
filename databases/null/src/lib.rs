//! The database that does nothing: what a run against it measures is the tool itself, its floor.

mod driver;
mod facts;
mod info;
mod session;

use dbdyno_engine::TrialRunner;

pub use driver::NullDriver;
pub use info::INFO;
pub use session::NullSession;

/// Carries out trials on this database: the engine is compiled for [`NullDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<NullDriver>();
