//! PostgreSQL: everything about it, in one folder. See the README beside this for addresses, layout and guarantees.

mod bounded;
mod driver;
mod error;
mod exchange;
mod facts;
mod foreseen;
mod guarantee;
mod info;
mod link;
mod session;
mod statements;
mod values;

use dbdyno_engine::TrialRunner;

pub use driver::{PostgresDriver, remote};
pub use session::PostgresSession;

/// Carries out trials on this database: the engine is compiled for [`PostgresDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<PostgresDriver>();
