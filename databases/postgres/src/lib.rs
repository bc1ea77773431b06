//! PostgreSQL: everything about it, in one folder. See the README beside this for addresses, layout and guarantees.

mod driver;
mod error;
mod exchange;
mod facts;
mod guarantee;
mod link;
mod session;
mod statements;
mod values;

pub use driver::PostgresDriver;
pub use session::PostgresSession;
