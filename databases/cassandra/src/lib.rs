//! Cassandra: everything about it, in one folder. See the README beside this for addresses, layout and durability.

mod driver;
mod error;
mod facts;
mod foreseen;
mod info;
mod layout;
mod link;
mod session;
mod statements;
mod table_options;

use dbdyno_engine::TrialRunner;

pub use driver::{CassandraDriver, remote};
pub use session::CassandraSession;

/// Carries out trials on this database: the engine is compiled for [`CassandraDriver`] here, and nowhere else.
pub static RUNNER: TrialRunner = TrialRunner::of::<CassandraDriver>();
